// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/security/Pausable.sol";

/// @notice What is stored for a delivery key that has been used: one storage slot.
/// @param blockNumber The block in which the key was used. 0: the key is unused.
/// @param contentHash The first 24 bytes of keccak256(abi.encode(token, to, tokenId, amount)).
/// 0: the key was cancelled.
struct Record {
    uint64 blockNumber;
    bytes24 contentHash;
}

/// @notice What a Delivery contract asks the contract that it replaces.
interface IPredecessor {
    /// @notice Whether the contract has stopped permanently.
    function retired() external view returns (bool);

    /// @notice The record of a key.
    function recordOf(bytes32 key) external view returns (Record memory);
}

/// @notice The transfer of ERC-721 that asks a recipient with code for its consent.
interface IERC721Transfer {
    function safeTransferFrom(address from, address to, uint256 tokenId) external;
}

/// @notice The transfer of ERC-1155.
interface IERC1155Transfer {
    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external;
}

/// @notice The system contract of Arbitrum chains that tells their own block number.
interface IArbSys {
    function arbBlockNumber() external view returns (uint256);
}

/// @title Delivers NFTs, each at most once
/// @notice Holders approve this contract as an operator of their tokens, and relayers ask it to
/// transfer them. Every transfer has a delivery key, and a key is used at most once: it does not
/// matter which relayer asks for it, how often, in which transaction or in which order.
/// @dev The contract holds no tokens and no ether. A key is recorded before the token is called,
/// so the record is also the lock against reentrancy.
contract Delivery is Ownable2Step, Pausable {
    /// @notice A transfer to make.
    /// @param key The delivery key.
    /// @param token The token contract. 0: use up the key without a transfer (cancel).
    /// @param from The holder of the token, who has approved this contract.
    /// @param to The recipient.
    /// @param tokenId The token.
    /// @param amount How many pieces of an ERC-1155 token. 0: the token is an ERC-721 token.
    struct Item {
        bytes32 key;
        address token;
        address from;
        address to;
        uint256 tokenId;
        uint256 amount;
    }

    /// @notice What a call of `deliver` did with an item.
    /// - NotReached: nothing, because too little gas was left.
    /// - Delivered: the token accepted the transfer. The key is used.
    /// - Skipped: nothing, because the key was used before.
    /// - Failed: the token reverted or ran out of gas. The key is unused.
    /// - Cancelled: the key is used, without a transfer.
    enum Outcome {
        NotReached,
        Delivered,
        Skipped,
        Failed,
        Cancelled
    }

    /// @notice The result of one item.
    /// @param outcome What was done.
    /// @param gasUsed The gas that the call of the token used. 0 without a call.
    /// @param reason What the token reverted with: the first 256 bytes. Empty unless `Failed`.
    struct Result {
        Outcome outcome;
        uint256 gasUsed;
        bytes reason;
    }

    /// @notice The daily limit of a relayer, and how much of it is used.
    /// @param perDay The most items that it may submit in a day (UTC). 0: it is not a relayer.
    /// @param day The day that `used` is about, in days since 1970. On later days nothing is used.
    /// @param used The items that it submitted on that day, whatever became of them.
    /// @param isListed Whether `relayerList` has it.
    struct Relayer {
        uint32 perDay;
        uint32 day;
        uint32 used;
        bool isListed;
    }

    /// @notice The token accepted the transfer with this key.
    event Delivered(bytes32 indexed key);

    /// @notice The transfer with this key failed. The key is unused.
    /// @param gasUsed The gas that the call of the token used. 0 without a call.
    /// @param reason What the token reverted with: the first 256 bytes.
    event DeliveryFailed(bytes32 indexed key, uint256 gasUsed, bytes reason);

    /// @notice The key was used up without a transfer.
    event Cancelled(bytes32 indexed key);

    /// @notice The daily limit of a relayer was set. 0: it was removed.
    event RelayerSet(address indexed relayer, uint32 perDay);

    /// @notice The contract has stopped permanently.
    event Retired();

    /// @notice The caller is not a relayer.
    error NotRelayer();
    /// @notice The relayer may not submit that many items today.
    error LimitReached();
    /// @notice The time of the block is after the deadline.
    error Expired();
    /// @notice There are more items than `MAX_ITEMS`.
    error TooManyItems();
    /// @notice There is too little gas for the minimum of items.
    error OutOfGas();
    /// @notice The contract has stopped permanently.
    error AlreadyRetired();
    /// @notice The predecessor could still deliver.
    error PredecessorNotRetired();
    /// @notice Without an owner nobody could remove a relayer.
    error OwnerRequired();
    /// @notice The reason of an item whose token address has no code.
    error TokenHasNoCode();

    /// @notice The most items of one call. It bounds the memory, and so the gas, of the results.
    uint256 public constant MAX_ITEMS = 256;

    /// @dev More than an item needs beside the call of its token: reading and writing its record,
    /// its event.
    uint256 private constant GAS_AROUND_CALL = 70_000;
    /// @dev More than it takes to return the result of an item.
    uint256 private constant GAS_PER_RESULT = 1_500;
    /// @dev More than it takes to get from the check of the gas into the token.
    uint256 private constant GAS_TO_ENTER = 5_000;
    /// @dev More is not copied, or a token could use up the gas of the other items.
    uint256 private constant MAX_REASON_BYTES = 256;

    IArbSys private constant ARB_SYS = IArbSys(address(100));

    /// @notice The retired contract that this one replaces: keys used there are used here. 0: none.
    IPredecessor public immutable predecessor;

    bool private immutable _isArbitrum;

    /// @notice Whether the contract has stopped permanently. Only then can another one replace it.
    bool public retired;

    /// @notice The daily limit of a relayer, and how much of it is used.
    mapping(address relayer => Relayer) public relayers;

    address[] private _relayerList;
    mapping(bytes32 key => Record) private _records;

    /// @dev Memory that the function allocates is used again after it, so that the gas of an item
    /// does not depend on its position. Not for functions that return memory.
    modifier releasesMemory() {
        uint256 free;
        assembly ("memory-safe") {
            free := mload(0x40)
        }
        _;
        assembly ("memory-safe") {
            mstore(0x40, free)
        }
    }

    /// @notice The deployer becomes the owner.
    /// @param predecessor_ The retired contract that this one replaces. 0: none.
    constructor(IPredecessor predecessor_) {
        if (address(predecessor_) != address(0) && !predecessor_.retired()) revert PredecessorNotRetired();
        predecessor = predecessor_;
        // With limited gas: BNB Smart Chain has a precompile here that uses up what it gets.
        (bool ok, bytes memory answer) =
            address(ARB_SYS).staticcall{gas: 50_000}(abi.encodeCall(IArbSys.arbBlockNumber, ()));
        _isArbitrum = ok && answer.length == 32;
    }

    /// @notice Adds a relayer, changes its daily limit, or removes it. For the owner.
    /// @param relayer The account.
    /// @param perDay The most items that it may submit in a day (UTC). 0: remove it.
    function setRelayer(address relayer, uint32 perDay) external onlyOwner {
        if (!relayers[relayer].isListed) {
            relayers[relayer].isListed = true;
            _relayerList.push(relayer);
        }
        relayers[relayer].perDay = perDay;
        emit RelayerSet(relayer, perDay);
    }

    /// @notice Stops all deliveries. For the owner and for every relayer.
    function pause() external {
        if (msg.sender != owner() && relayers[msg.sender].perDay == 0) revert NotRelayer();
        _pause();
    }

    /// @notice Allows deliveries again. For the owner.
    function unpause() external onlyOwner {
        if (retired) revert AlreadyRetired();
        _unpause();
    }

    /// @notice Stops all deliveries permanently, so that another contract can replace this one. For
    /// the owner.
    function retire() external onlyOwner {
        if (retired) revert AlreadyRetired();
        if (!paused()) _pause();
        retired = true;
        emit Retired();
    }

    /// @notice Always reverts.
    function renounceOwnership() public pure override {
        revert OwnerRequired();
    }

    /// @notice Makes the transfers whose keys are unused. A failing one does not stop the others.
    /// For relayers.
    /// @param items The transfers, in the order in which they are tried. At most `MAX_ITEMS`.
    /// @param minimum Revert if there is too little gas to try this many. The rest is not reached.
    /// @param gasPerItem The gas limit for the call of each token, with what it calls itself.
    /// @param deadline The last block time, in seconds since 1970, at which the call has an effect.
    /// @return results What was done with each item, in the same order.
    function deliver(Item[] calldata items, uint256 minimum, uint256 gasPerItem, uint256 deadline)
        external
        whenNotPaused
        returns (Result[] memory results)
    {
        if (block.timestamp > deadline) revert Expired();
        uint256 count = items.length;
        if (count > MAX_ITEMS) revert TooManyItems();
        _useDailyLimit(count);
        results = new Result[](count);
        uint64 blockNumber = uint64(_blockNumber());
        uint256 gasNeeded = _gasToCall(gasPerItem) + GAS_AROUND_CALL + count * GAS_PER_RESULT;
        uint256 reached = 0;
        for (; reached < count && gasleft() >= gasNeeded; ++reached) {
            _deliver(items[reached], gasPerItem, blockNumber, results[reached]);
        }
        if (reached < minimum) revert OutOfGas();
    }

    /// @notice The records of keys, and the block that has this answer. A key without a record was
    /// not used up to this block.
    /// @param keys The delivery keys.
    /// @return blockNumber The number of the block, as in the records.
    /// @return timestamp The time of the block, in seconds since 1970.
    /// @return found The record of each key, in the same order.
    function records(bytes32[] calldata keys)
        external
        view
        returns (uint256 blockNumber, uint256 timestamp, Record[] memory found)
    {
        found = new Record[](keys.length);
        for (uint256 i = 0; i < keys.length; ++i) {
            found[i] = recordOf(keys[i]);
        }
        return (_blockNumber(), block.timestamp, found);
    }

    /// @notice The accounts that are relayers, and those that were and have been removed.
    function relayerList() external view returns (address[] memory) {
        return _relayerList;
    }

    /// @notice The record of a key, from this contract or the one that it replaces.
    /// @param key The delivery key.
    /// @return found All zero: the key is unused.
    function recordOf(bytes32 key) public view returns (Record memory found) {
        found = _records[key];
        if (found.blockNumber == 0 && address(predecessor) != address(0)) found = predecessor.recordOf(key);
    }

    /// @dev Before the items are tried, so that a relayer that reenters is charged for that, too.
    function _useDailyLimit(uint256 count) private {
        Relayer storage relayer = relayers[msg.sender];
        (uint256 perDay, uint256 day, uint256 used) = (relayer.perDay, relayer.day, relayer.used);
        if (perDay == 0) revert NotRelayer();
        uint256 today = block.timestamp / 1 days;
        used = (day == today ? used : 0) + count;
        if (used > perDay) revert LimitReached();
        (relayer.day, relayer.used) = (uint32(today), uint32(used));
    }

    function _deliver(Item calldata item, uint256 gasPerItem, uint64 blockNumber, Result memory result) private {
        bytes32 key = item.key;
        if (_isUsed(key)) {
            result.outcome = Outcome.Skipped;
        } else if (item.token == address(0)) {
            _records[key].blockNumber = blockNumber;
            result.outcome = Outcome.Cancelled;
            emit Cancelled(key);
        } else if (item.token.code.length == 0) {
            _fail(key, result, abi.encodeWithSelector(TokenHasNoCode.selector));
        } else {
            // Before the call, so that a call back finds the key used.
            _records[key] = Record(blockNumber, _contentHash(item));
            bool ok;
            (ok, result.gasUsed) = _callToken(item, gasPerItem);
            if (ok) {
                result.outcome = Outcome.Delivered;
                emit Delivered(key);
            } else {
                delete _records[key];
                _fail(key, result, _returnData());
            }
        }
    }

    function _fail(bytes32 key, Result memory result, bytes memory reason) private {
        result.outcome = Outcome.Failed;
        result.reason = reason;
        emit DeliveryFailed(key, result.gasUsed, reason);
    }

    function _isUsed(bytes32 key) private view releasesMemory returns (bool) {
        return _records[key].blockNumber != 0
            || (address(predecessor) != address(0) && predecessor.recordOf(key).blockNumber != 0);
    }

    function _contentHash(Item calldata item) private pure releasesMemory returns (bytes24) {
        return bytes24(keccak256(abi.encode(item.token, item.to, item.tokenId, item.amount)));
    }

    function _callToken(Item calldata item, uint256 gasPerItem)
        private
        releasesMemory
        returns (bool ok, uint256 gasUsed)
    {
        address token = item.token;
        bytes memory data = item.amount == 0
            ? abi.encodeCall(IERC721Transfer.safeTransferFrom, (item.from, item.to, item.tokenId))
            : abi.encodeCall(IERC1155Transfer.safeTransferFrom, (item.from, item.to, item.tokenId, item.amount, ""));
        uint256 gasBefore = gasleft();
        // Whatever the rest costs on this chain: a token that gets less than the limit has not failed.
        if (gasBefore < _gasToCall(gasPerItem)) revert OutOfGas();
        assembly ("memory-safe") {
            ok := call(gasPerItem, token, 0, add(data, 32), mload(data), 0, 0)
        }
        gasUsed = gasBefore - gasleft();
    }

    /// @dev A call is given at most 63/64 of the gas that is left (EIP-150).
    function _gasToCall(uint256 gasPerItem) private pure returns (uint256) {
        return gasPerItem + gasPerItem / 63 + GAS_TO_ENTER;
    }

    /// @dev The first bytes that the last call returned or reverted with.
    function _returnData() private pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_REASON_BYTES) { size := MAX_REASON_BYTES }
            data := mload(0x40)
            mstore(0x40, add(data, and(add(size, 63), not(31))))
            mstore(data, size)
            returndatacopy(add(data, 32), 0, size)
        }
    }

    /// @dev On Arbitrum `block.number` is about the parent chain.
    function _blockNumber() private view returns (uint256) {
        return _isArbitrum ? ARB_SYS.arbBlockNumber() : block.number;
    }
}
