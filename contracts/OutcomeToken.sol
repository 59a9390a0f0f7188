// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title OutcomeToken
/// @notice An ERC-1155 token for tests of shops on a local chain: each of its ids cannot be delivered
/// in one way, and its holders never run out of pieces. It calls no recipient, and mints nothing.
contract OutcomeToken {
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

    /// @notice Only accounts without coins may have a piece. A marketplace tries transfers to such a one, to
    /// find out whether the recipient is why another one fails.
    uint256 public constant WITHOUT_COINS = 4;
    /// @notice A transfer uses up half a million gas.
    uint256 public constant EXPENSIVE = 5;
    /// @notice A transfer succeeds, moves nothing and emits nothing.
    uint256 public constant SILENT = 6;
    /// @notice Nobody can transfer a piece.
    uint256 public constant FROZEN = 7;
    /// @notice A transfer fails in blocks of `ADVERSARY`.
    uint256 public constant FAILS_IN_BLOCK = 8;
    /// @notice A transfer burns its gas in blocks of `ADVERSARY`.
    uint256 public constant BURNS_IN_BLOCK = 9;

    /// @notice The producer of blocks in which transfers fail that succeed in a simulation.
    address public constant ADVERSARY = 0x000000000000000000000000000000000000BAd0;

    uint256 private constant PIECES = 1_000_000;

    mapping(address account => mapping(address operator => bool)) public isApprovedForAll;
    mapping(address account => bool) private _isHolder;
    mapping(address account => mapping(uint256 id => uint256)) private _received;

    /// @param holders They have pieces of every id.
    /// @param operator May transfer those of the first one.
    constructor(address[] memory holders, address operator) {
        for (uint256 i = 0; i < holders.length; ++i) {
            _isHolder[holders[i]] = true;
        }
        isApprovedForAll[holders[0]][operator] = true;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function balanceOf(address account, uint256 id) external view returns (uint256) {
        return _received[account][id] + (_isHolder[account] ? PIECES : 0);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata) external {
        bool isAllowed = from == msg.sender || isApprovedForAll[from][msg.sender];
        if (!_isHolder[from] || !isAllowed) revert("not approved");
        if (id == WITHOUT_COINS && to.balance > 0) revert("the recipient holds coins");
        if (id == FROZEN) revert("frozen");
        if (id == EXPENSIVE) {
            uint256 start = gasleft();
            while (start - gasleft() < 500_000) {}
        }
        if (block.coinbase == ADVERSARY) {
            if (id == FAILS_IN_BLOCK) revert("not in this block");
            if (id == BURNS_IN_BLOCK) {
                assembly {
                    invalid()
                }
            }
        }
        if (id == SILENT) return;
        _received[to][id] += amount;
        emit TransferSingle(msg.sender, from, to, id, amount);
    }

    function hasRole(bytes32, address) external pure returns (bool) {
        return false;
    }

    function mint(address, uint256, uint256, bytes calldata) external pure {
        revert("minter role missing");
    }
}
