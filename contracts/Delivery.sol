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

    /// @notice How many contracts the keys are in: this one and those before it.
    function generation() external view returns (uint256);

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

/// @notice The mint of ERC-721, as OpenZeppelin's wizard writes it. A token whose second argument is
/// a quantity has the same selector. It must get no limit, because it could mint more than one piece.
interface IERC721Mint {
    function safeMint(address to, uint256 tokenId) external;
}

/// @notice The mint of ERC-1155, as OpenZeppelin's wizard and preset write it.
interface IERC1155Mint {
    function mint(address to, uint256 id, uint256 amount, bytes calldata data) external;
}

/// @notice A token contract with an owner, who may mint.
interface IOwnable {
    function transferOwnership(address newOwner) external;
}

/// @notice The system contract of Arbitrum chains that tells their own block number.
interface IArbSys {
    function arbBlockNumber() external view returns (uint256);
}

/// @title Delivers NFTs, each at most once
/// @notice Holders approve this contract as an operator of their tokens, and relayers ask it to
/// transfer them. Token contracts may also allow this contract to mint. Every transfer and every
/// mint has a delivery key, and a key is used at most once: it does not matter which relayer asks
/// for it, how often, in which transaction or in which order.
/// @dev The contract holds no tokens and no ether. A key is recorded before the token is called,
/// so the record is also the lock against reentrancy.
contract Delivery is Ownable2Step, Pausable {
    /// @notice A transfer or a mint.
    /// @param key The delivery key.
    /// @param token The token contract. 0: use up the key without a transfer (cancel).
    /// @param from The holder of the token, who has approved this contract. 0: mint the token.
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
    /// - NotReached: nothing, because too little gas was left or an item before it stopped the contract.
    /// - Delivered: the token accepted the transfer. The key is used.
    /// - Skipped: nothing, because the key was used before.
    /// - Failed: the token reverted or ran out of gas, has no code, or a limit was reached. The key is
    /// unused.
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
    /// @param reason What the token reverted with: the first 256 bytes. Empty unless `Failed`. With
    /// `gasUsed` 0 it is an error of this contract; a token may revert with the same.
    struct Result {
        Outcome outcome;
        uint256 gasUsed;
        bytes reason;
    }

    /// @notice A relayer of a new contract, with its limit.
    /// @param relayer The account.
    /// @param capacity The most pieces that it may move at once.
    /// @param perDay The pieces that flow back to it in a day.
    struct RelayerLimit {
        address relayer;
        uint64 capacity;
        uint64 perDay;
    }

    /// @notice The limit of a relayer or a token: a bucket of pieces that refills with time.
    /// @param isSet Whether the limit was ever set. A relayer has a capacity above 0, too.
    /// @param capacity The most pieces that the bucket holds.
    /// @param perDay The pieces that flow back in a day.
    /// @param available The pieces that are in the bucket now.
    /// @param nextCapacity The capacity from `nextAt` on.
    /// @param nextPerDay The pieces that flow back in a day from `nextAt` on.
    /// @param nextAt When a raise takes effect, in seconds since 1970. 0: none is announced.
    struct Limit {
        bool isSet;
        uint64 capacity;
        uint64 perDay;
        uint64 available;
        uint64 nextCapacity;
        uint64 nextPerDay;
        uint64 nextAt;
    }

    /// @dev One storage slot, and a second one that deliveries do not write.
    /// @param used The pieces that are missing in the bucket, times 86,400, so that short times
    /// lose no fractions of a piece.
    /// @param updatedAt When `used` was right, in seconds since 1970.
    struct Bucket {
        uint64 capacity;
        uint64 perDay;
        uint88 used;
        uint40 updatedAt;
        uint64 nextCapacity;
        uint64 nextPerDay;
        uint64 nextAt;
        bool isSet;
    }

    /// @notice An announced new owner of a token contract that this contract owns.
    struct HandOver {
        address newOwner;
        uint64 effectiveAt;
    }

    /// @notice The token accepted the transfer or the mint with this key.
    /// @param from The holder. 0: the token was minted.
    event Delivered(
        bytes32 indexed key,
        address indexed relayer,
        address indexed token,
        address from,
        address to,
        uint256 tokenId,
        uint256 amount
    );

    /// @notice The item with this key failed. The key is unused.
    /// @param gasUsed The gas that the call of the token used. 0 without a call.
    /// @param reason What the token reverted with: the first 256 bytes.
    event DeliveryFailed(bytes32 indexed key, uint256 gasUsed, bytes reason);

    /// @notice The key was used up without a transfer.
    event Cancelled(bytes32 indexed key);

    /// @notice The limit of a relayer is set from `effectiveAt` on, in seconds since 1970. What is
    /// lower than before is in force at once. A capacity of 0 removes it.
    event RelayerSet(address indexed relayer, uint64 capacity, uint64 perDay, uint256 effectiveAt);

    /// @notice The limit of a token is set from `effectiveAt` on, in seconds since 1970. What is lower
    /// than before is in force at once.
    event TokenLimitSet(address indexed token, uint64 capacity, uint64 perDay, uint256 effectiveAt);

    /// @notice A token contract gets a new owner from `effectiveAt` on, by a second call.
    event HandOverAnnounced(address indexed token, address indexed newOwner, uint256 effectiveAt);

    /// @notice The contract has stopped permanently.
    event Retired();

    /// @notice The caller is not a relayer, nor one of those who may pause.
    error NotRelayer();
    /// @notice The reason of an item that does not fit into the bucket of the relayer.
    error RelayerLimitReached();
    /// @notice The reason of an item that does not fit into the bucket of its token.
    error TokenLimitReached();
    /// @notice The reason of a mint whose token has no limit.
    error TokenLimitMissing();
    /// @notice The time of the block is after the deadline.
    error Expired();
    /// @notice There are more items than `MAX_ITEMS`.
    error TooManyItems();
    /// @notice Fewer items than the minimum were reached, for want of gas or since an item stopped the
    /// contract; or the gas does not suffice for the call of a token.
    error OutOfGas();
    /// @notice The contract has stopped permanently.
    error AlreadyRetired();
    /// @notice The predecessor could still deliver.
    error PredecessorNotRetired();
    /// @notice The contract would be the sixth of its chain: each makes deliveries dearer.
    error TooManyPredecessors();
    /// @notice The caller is neither the owner nor the guardian.
    error NotGuardian();
    /// @notice Without an owner nobody could remove a relayer.
    error OwnerRequired();
    /// @notice The reason of an item whose token address has no code.
    error TokenHasNoCode();

    /// @notice The most items of one call. It bounds the memory, and so the gas, of the results.
    uint256 public constant MAX_ITEMS = 256;

    /// @dev The most contracts of a chain, this one included.
    uint256 private constant MAX_GENERATION = 5;

    /// @dev More than an item needs beside the call of its token: reading and writing its record
    /// and the buckets, its event. Each predecessor is asked, too.
    uint256 private constant GAS_AROUND_CALL = 90_000;
    uint256 private constant GAS_PER_PREDECESSOR = 20_000;
    /// @dev More than it takes to return the result of an item.
    uint256 private constant GAS_PER_RESULT = 1_500;
    /// @dev More than it takes to get from the check of the gas into the token.
    uint256 private constant GAS_TO_ENTER = 5_000;
    /// @dev More is not copied, or a token could use up the gas of the other items.
    uint256 private constant MAX_REASON_BYTES = 256;

    IArbSys private constant ARB_SYS = IArbSys(address(100));

    /// @notice The retired contract that this one replaces: keys used there are used here. 0: none.
    IPredecessor public immutable predecessor;

    /// @notice How many contracts the keys are in: this one and those before it.
    uint256 public immutable generation;

    /// @notice Seconds after which a raise or the hand-over of a token takes effect. It protects only if
    /// the guardian can stop the contract meanwhile: a stolen owner key can be transferred at once.
    uint64 public immutable delay;

    /// @notice The account that may pause and retire the contract, and nothing else. 0: none.
    address public immutable guardian;

    bool private immutable _isArbitrum;

    /// @notice Whether the contract has stopped permanently. Only then can another one replace it.
    bool public retired;

    /// @notice The announced owners of token contracts that this contract owns.
    mapping(address token => HandOver) public handOvers;

    mapping(address relayer => Bucket) private _relayers;
    mapping(address token => Bucket) private _tokens;
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
    /// @param delay_ Seconds after which a raise takes effect.
    /// @param guardian_ The account that may pause and retire the contract. 0: none.
    /// @param relayers_ The first relayers. They may deliver at once.
    constructor(IPredecessor predecessor_, uint64 delay_, address guardian_, RelayerLimit[] memory relayers_) {
        if (address(predecessor_) != address(0)) {
            if (!predecessor_.retired()) revert PredecessorNotRetired();
            generation = predecessor_.generation() + 1;
            if (generation > MAX_GENERATION) revert TooManyPredecessors();
        } else {
            generation = 1;
        }
        predecessor = predecessor_;
        delay = delay_;
        guardian = guardian_;
        for (uint256 i = 0; i < relayers_.length; ++i) {
            RelayerLimit memory limit = relayers_[i];
            _setRelayer(limit.relayer, limit.capacity, limit.perDay, 0);
        }
        // With limited gas: BNB Smart Chain has a precompile here that uses up what it gets.
        (bool ok, bytes memory answer) =
            address(ARB_SYS).staticcall{gas: 50_000}(abi.encodeCall(IArbSys.arbBlockNumber, ()));
        _isArbitrum = ok && answer.length == 32;
    }

    /// @notice Sets the limit of a relayer, adds one or removes it. For the owner. What is above
    /// the present limit takes effect after `delay`, the rest at once. A second call replaces the first
    /// and starts the delay again. A lower bucket keeps what was used, as far as it goes.
    /// @param relayer The account.
    /// @param capacity The most pieces that it may move at once. 0: remove it.
    /// @param perDay The pieces that flow back to it in a day.
    function setRelayer(address relayer, uint64 capacity, uint64 perDay) external onlyOwner {
        _setRelayer(relayer, capacity, perDay, delay);
    }

    /// @notice Sets the limit of a token, over all relayers. For the owner. The first one takes
    /// effect at once; then what is above the present limit takes effect after `delay`.
    /// @param token The token contract.
    /// @param capacity The most pieces that may be moved at once. 0: nothing may be moved. A limit
    /// cannot be removed.
    /// @param perDay The pieces that flow back in a day.
    function setTokenLimit(address token, uint64 capacity, uint64 perDay) external onlyOwner {
        Bucket storage bucket = _tokens[token];
        uint256 effectiveAt = _setLimit(bucket, capacity, perDay, bucket.isSet ? delay : 0);
        bucket.isSet = true;
        emit TokenLimitSet(token, capacity, perDay, effectiveAt);
    }

    /// @notice Gives a token contract that this contract owns to another owner. For the owner. The
    /// first call announces it. A call with the same values after `delay` does it; an earlier one starts
    /// the delay again. Retiring the contract does not stop it, so that a successor can get the token.
    /// @param token The token contract.
    /// @param newOwner Its next owner.
    function handOver(address token, address newOwner) external onlyOwner {
        HandOver memory announced = handOvers[token];
        if (announced.newOwner == newOwner && announced.effectiveAt != 0 && announced.effectiveAt <= block.timestamp) {
            delete handOvers[token];
            IOwnable(token).transferOwnership(newOwner);
        } else {
            uint64 effectiveAt = uint64(block.timestamp) + delay;
            handOvers[token] = HandOver(newOwner, effectiveAt);
            emit HandOverAnnounced(token, newOwner, effectiveAt);
        }
    }

    /// @notice Stops all deliveries. For the owner, the guardian and every relayer.
    function pause() external {
        if (msg.sender != owner() && msg.sender != guardian && relayerLimit(msg.sender).capacity == 0) {
            revert NotRelayer();
        }
        _pause();
    }

    /// @notice Allows deliveries again. For the owner.
    function unpause() external onlyOwner {
        if (retired) revert AlreadyRetired();
        _unpause();
    }

    /// @notice Stops all deliveries permanently, so that another contract can replace this one. For
    /// the owner and the guardian.
    function retire() external {
        if (msg.sender != owner() && msg.sender != guardian) revert NotGuardian();
        if (retired) revert AlreadyRetired();
        if (!paused()) _pause();
        retired = true;
        emit Retired();
    }

    /// @notice Always reverts.
    function renounceOwnership() public pure override {
        revert OwnerRequired();
    }

    /// @notice Makes the transfers and mints whose keys are unused. A failing one does not stop the
    /// others, nor does one that exceeds a limit. For relayers.
    /// @param items The transfers and mints, in the order in which they are tried. At most `MAX_ITEMS`.
    /// @param minimum Revert if fewer than this many are reached. The rest may not be reached.
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
        if (_settle(_relayers[msg.sender]).capacity == 0) revert NotRelayer();
        results = new Result[](count);
        uint64 blockNumber = uint64(_blockNumber());
        uint256 gasNeeded =
            _gasToCall(gasPerItem) + GAS_AROUND_CALL + (generation - 1) * GAS_PER_PREDECESSOR + count * GAS_PER_RESULT;
        uint256 reached = 0;
        // An item may pause or retire the contract.
        for (; reached < count && gasleft() >= gasNeeded && !paused(); ++reached) {
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

    /// @notice The limit of a relayer now.
    function relayerLimit(address relayer) public view returns (Limit memory) {
        return _limit(_settle(_relayers[relayer]));
    }

    /// @notice The limit of a token now.
    function tokenLimit(address token) external view returns (Limit memory) {
        return _limit(_settle(_tokens[token]));
    }

    /// @notice The accounts that are relayers, were or are announced. Their capacity tells.
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

    function _setRelayer(address relayer, uint64 capacity, uint64 perDay, uint64 delay_) private {
        Bucket storage bucket = _relayers[relayer];
        if (!bucket.isSet) {
            bucket.isSet = true;
            _relayerList.push(relayer);
        }
        emit RelayerSet(relayer, capacity, perDay, _setLimit(bucket, capacity, perDay, delay_));
    }

    /// @dev Returns when the whole limit takes effect.
    function _setLimit(Bucket storage stored, uint64 capacity, uint64 perDay, uint64 delay_)
        private
        returns (uint64 effectiveAt)
    {
        Bucket memory bucket = _settle(stored);
        effectiveAt = uint64(block.timestamp);
        (bucket.nextCapacity, bucket.nextPerDay, bucket.nextAt) = (0, 0, 0);
        if (delay_ > 0 && (capacity > bucket.capacity || perDay > bucket.perDay)) {
            effectiveAt += delay_;
            (bucket.nextCapacity, bucket.nextPerDay, bucket.nextAt) = (capacity, perDay, effectiveAt);
            if (capacity > bucket.capacity) capacity = bucket.capacity;
            if (perDay > bucket.perDay) perDay = bucket.perDay;
        }
        _apply(bucket, capacity, perDay);
        _store(stored, bucket);
        _storeNext(stored, bucket);
    }

    /// @dev The bucket as it is now: what has flowed back, and a raise whose time has come.
    function _settle(Bucket storage stored) private view returns (Bucket memory bucket) {
        bucket = stored;
        if (bucket.nextAt != 0 && bucket.nextAt <= block.timestamp) {
            _refill(bucket, bucket.nextAt);
            _apply(bucket, bucket.nextCapacity, bucket.nextPerDay);
            (bucket.nextCapacity, bucket.nextPerDay, bucket.nextAt) = (0, 0, 0);
        }
        _refill(bucket, block.timestamp);
    }

    // The pieces of a bucket have 64 bits at most, so times 86,400 they fit into 88. A time fits into 40.
    // forge-lint: disable-start(unsafe-typecast)

    function _refill(Bucket memory bucket, uint256 time) private pure {
        if (time <= bucket.updatedAt) return;
        uint256 back = (time - bucket.updatedAt) * bucket.perDay;
        bucket.used = back >= bucket.used ? 0 : uint88(bucket.used - back);
        bucket.updatedAt = uint40(time);
    }

    /// @dev A smaller bucket that is empty refills from 0, and not from below: what more was missing is
    /// forgiven.
    function _apply(Bucket memory bucket, uint64 capacity, uint64 perDay) private pure {
        uint256 most = uint256(capacity) * 1 days;
        if (bucket.used > most) bucket.used = uint88(most);
        (bucket.capacity, bucket.perDay) = (capacity, perDay);
    }

    /// @dev Writes the first slot, and the second one only if a raise has taken effect.
    function _store(Bucket storage stored, Bucket memory bucket) private {
        (stored.capacity, stored.perDay, stored.used, stored.updatedAt) =
        (bucket.capacity, bucket.perDay, bucket.used, bucket.updatedAt);
        if (stored.nextAt != bucket.nextAt) _storeNext(stored, bucket);
    }

    function _storeNext(Bucket storage stored, Bucket memory bucket) private {
        (stored.nextCapacity, stored.nextPerDay, stored.nextAt) =
        (bucket.nextCapacity, bucket.nextPerDay, bucket.nextAt);
    }

    function _limit(Bucket memory bucket) private pure returns (Limit memory limit) {
        limit.isSet = bucket.isSet;
        (limit.capacity, limit.perDay, limit.available) = (bucket.capacity, bucket.perDay, uint64(_available(bucket)));
        (limit.nextCapacity, limit.nextPerDay, limit.nextAt) = (bucket.nextCapacity, bucket.nextPerDay, bucket.nextAt);
    }

    function _available(Bucket memory bucket) private pure returns (uint256) {
        return (uint256(bucket.capacity) * 1 days - bucket.used) / 1 days;
    }

    /// @dev Takes pieces from a bucket. In storage, so that a relayer that reenters is charged, too.
    function _take(Bucket storage stored, uint256 pieces) private releasesMemory returns (bool) {
        Bucket memory bucket = _settle(stored);
        if (pieces > _available(bucket)) return false;
        bucket.used += uint88(pieces * 1 days);
        _store(stored, bucket);
        return true;
    }

    /// @dev Gives pieces back that were not moved. Nothing has changed the bucket since: a call that
    /// fails undoes what it did.
    function _giveBack(Bucket storage stored, uint256 pieces) private {
        stored.used -= uint88(pieces * 1 days);
    }

    // forge-lint: disable-end(unsafe-typecast)

    function _deliver(Item calldata item, uint256 gasPerItem, uint64 blockNumber, Result memory result) private {
        bytes32 key = item.key;
        if (_isUsed(key)) {
            result.outcome = Outcome.Skipped;
            return;
        }
        bool isCancel = item.token == address(0);
        if (!isCancel && item.token.code.length == 0) return _fail(key, result, TokenHasNoCode.selector);
        uint256 pieces = isCancel || item.amount == 0 ? 1 : item.amount;
        bool hasLimit = !isCancel && _tokens[item.token].isSet;
        if (!isCancel && item.from == address(0) && !hasLimit) return _fail(key, result, TokenLimitMissing.selector);
        if (!_take(_relayers[msg.sender], pieces)) return _fail(key, result, RelayerLimitReached.selector);
        if (isCancel) {
            _records[key].blockNumber = blockNumber;
            result.outcome = Outcome.Cancelled;
            emit Cancelled(key);
            return;
        }
        if (hasLimit && !_take(_tokens[item.token], pieces)) {
            _giveBack(_relayers[msg.sender], pieces);
            return _fail(key, result, TokenLimitReached.selector);
        }
        // Before the call, so that a call back finds the key used.
        _records[key] = Record(blockNumber, _contentHash(item));
        bool ok;
        (ok, result.gasUsed) = _callToken(item, gasPerItem);
        if (ok) {
            result.outcome = Outcome.Delivered;
            _emitDelivered(item);
        } else {
            delete _records[key];
            _giveBack(_relayers[msg.sender], pieces);
            if (hasLimit) _giveBack(_tokens[item.token], pieces);
            _fail(key, result, _returnData());
        }
    }

    function _emitDelivered(Item calldata item) private releasesMemory {
        emit Delivered(item.key, msg.sender, item.token, item.from, item.to, item.tokenId, item.amount);
    }

    function _fail(bytes32 key, Result memory result, bytes4 selector) private {
        _fail(key, result, abi.encodeWithSelector(selector));
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
        bytes memory data = _callData(item);
        uint256 gasBefore = gasleft();
        // Whatever the rest costs on this chain: a token that gets less than the limit has not failed.
        if (gasBefore < _gasToCall(gasPerItem)) revert OutOfGas();
        assembly ("memory-safe") {
            ok := call(gasPerItem, token, 0, add(data, 32), mload(data), 0, 0)
        }
        gasUsed = gasBefore - gasleft();
    }

    function _callData(Item calldata item) private pure returns (bytes memory) {
        if (item.from == address(0)) {
            return item.amount == 0
                ? abi.encodeCall(IERC721Mint.safeMint, (item.to, item.tokenId))
                : abi.encodeCall(IERC1155Mint.mint, (item.to, item.tokenId, item.amount, ""));
        }
        return item.amount == 0
            ? abi.encodeCall(IERC721Transfer.safeTransferFrom, (item.from, item.to, item.tokenId))
            : abi.encodeCall(IERC1155Transfer.safeTransferFrom, (item.from, item.to, item.tokenId, item.amount, ""));
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
