// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Tells what deliveries would do, and undoes them
/// @notice It is never deployed: a node runs it in `eth_call`, in place of the code at the address of
/// the Delivery contract, and with a relayer as the sender. So a token sees the same accounts as in a
/// delivery. Pauses, limits and keys of the Delivery contract have no part in it.
contract Trial {
    /// @notice A transfer or a mint, as in `Delivery.Item`.
    struct Item {
        address token;
        address from;
        address to;
        uint256 tokenId;
        uint256 amount;
    }

    /// @notice What an item would do.
    /// @param isTold Whether there was enough gas to try it.
    /// @param isAccepted Whether the token did not revert.
    /// @param isExact Whether just these pieces arrived. A recipient with code may pass them on.
    /// @param gasUsed The gas that the call of the token used.
    /// @param reason What the token reverted with: the first 256 bytes.
    struct Result {
        bool isTold;
        bool isAccepted;
        bool isExact;
        uint256 gasUsed;
        bytes reason;
    }

    uint256 private constant QUESTION_GAS = 200_000;
    uint256 private constant MAX_REASON_BYTES = 256;

    /// @notice Tries each item for itself: none sees what another one did.
    function run(Item[] calldata items, uint256 gasPerItem) external returns (Result[] memory results) {
        results = new Result[](items.length);
        for (uint256 i = 0; i < items.length; ++i) {
            (, bytes memory answer) = address(this).call(abi.encodeCall(this.tryItem, (items[i], gasPerItem)));
            // It is shorter if the gas ended before the result.
            if (answer.length >= 224) results[i] = abi.decode(answer, (Result));
        }
    }

    /// @notice Reverts with the result, which undoes what the item did.
    function tryItem(Item calldata item, uint256 gasPerItem) external {
        Result memory result;
        (uint256 pieces, uint256 owner) = (_pieces(item), _owner(item));
        uint256 gasBefore = gasleft();
        result.isTold = gasBefore > gasPerItem + gasPerItem / 63 + 50_000;
        if (result.isTold) {
            result.isAccepted = _call(item, gasPerItem);
            result.gasUsed = gasBefore - gasleft();
            if (result.isAccepted) result.isExact = _isExact(item, pieces, owner, gasPerItem);
            else result.reason = _returnData();
        }
        bytes memory answer = abi.encode(result);
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    /// @param pieces Those that the recipient had before.
    /// @param owner The owner of the ERC-721 token before.
    function _isExact(Item calldata item, uint256 pieces, uint256 owner, uint256 gasPerItem) private returns (bool) {
        uint256 added;
        // A token may say anything.
        unchecked {
            added = _pieces(item) - pieces;
        }
        bool hasCode = item.to.code.length > 0;
        if (item.amount > 0) return added == item.amount || hasCode;
        uint256 newOwner = _owner(item);
        bool hasArrived = newOwner == uint160(item.to) || (hasCode && newOwner != 0);
        if (item.from != address(0)) return hasArrived;
        // A token that takes a quantity may by chance mint this id. It can do so again.
        return hasArrived && owner == 0 && added <= 1 && !_call(item, gasPerItem);
    }

    function _pieces(Item calldata item) private view returns (uint256) {
        return _read(
            item.token,
            item.amount == 0
                ? abi.encodeWithSignature("balanceOf(address)", item.to)
                : abi.encodeWithSignature("balanceOf(address,uint256)", item.to, item.tokenId)
        );
    }

    function _owner(Item calldata item) private view returns (uint256) {
        return item.amount == 0 ? _read(item.token, abi.encodeWithSignature("ownerOf(uint256)", item.tokenId)) : 0;
    }

    /// @dev 0 if the token does not answer.
    function _read(address token, bytes memory data) private view returns (uint256 word) {
        assembly ("memory-safe") {
            mstore(0, 0)
            let ok := staticcall(QUESTION_GAS, token, add(data, 32), mload(data), 0, 32)
            if and(ok, eq(returndatasize(), 32)) { word := mload(0) }
        }
    }

    /// @dev The call that the Delivery contract makes.
    function _call(Item calldata item, uint256 gasPerItem) private returns (bool ok) {
        (address from, address to, uint256 id, uint256 amount) = (item.from, item.to, item.tokenId, item.amount);
        bytes memory data;
        if (from == address(0)) {
            data = amount == 0
                ? abi.encodeWithSignature("safeMint(address,uint256)", to, id)
                : abi.encodeWithSignature("mint(address,uint256,uint256,bytes)", to, id, amount, "");
        } else {
            data = amount == 0
                ? abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", from, to, id)
                : abi.encodeWithSignature(
                    "safeTransferFrom(address,address,uint256,uint256,bytes)", from, to, id, amount, ""
                );
        }
        address token = item.token;
        assembly ("memory-safe") {
            ok := call(gasPerItem, token, 0, add(data, 32), mload(data), 0, 0)
        }
    }

    /// @dev The first bytes that the last call reverted with.
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
}
