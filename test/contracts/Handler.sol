// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery, Record} from "../../contracts/Delivery.sol";
import {Bucket, Buckets} from "./Bucket.sol";
import {MintableUnique} from "./fixtures/Mintables.sol";
import {Hook, Recipient} from "./fixtures/Recipients.sol";
import {vm} from "./Vm.sol";
import {World} from "./World.sol";

/// @notice A token, a recipient and a relayer in one.
contract Accomplice is Recipient {
    /// @notice How often it has accepted the transfer of an id, as a token.
    mapping(uint256 id => uint256) public moved;

    function safeTransferFrom(address, address, uint256 id) external {
        ++moved[id];
        _act();
    }
}

/// @notice What relayers, owner, guardian, a thief, hostile contracts and time may do, in any order.
contract Handler is World {
    using Buckets for Bucket;

    uint256 private constant KEYS = 8;
    uint256 private constant KINDS = 10;
    /// @dev The kind of item that uses a key up.
    uint256 private constant CANCEL = 4;
    uint256 private constant ENOUGH = 150_000;
    uint256 private constant ENOUGH_TO_REENTER = 2_500_000;
    uint256 private constant MUCH_GAS = 30_000_000;

    Accomplice private _accomplice;
    MintableUnique private _unlimited;
    Delivery[] private _retired;
    /// @dev The records that were seen, by the number of the key.
    mapping(uint256 key => Record) private _seen;
    mapping(address account => Bucket) private _buckets;

    function setUp() public override {
        super.setUp();
        _accomplice = new Accomplice();
        _unlimited = new MintableUnique();
        for (uint256 key = 0; key < KEYS; ++key) {
            edition.mint(HOLDER, 1000 + key, 2, "");
        }
        _begin();
    }

    /// @notice Delivers a batch with any gas. The accomplice does something when its turn comes.
    function deliver(uint256 by, uint256 picks, uint256 gas) public {
        _plot(_mix(picks));
        address relayer = [RELAYER, OTHER_RELAYER, address(_accomplice)][by % 3];
        uint256 gasPerItem = gas % 4 == 0 ? ENOUGH : ENOUGH_TO_REENTER;
        _send(relayer, _batch(picks), gas % 3 == 0 ? 100_000 + gas % 1_400_000 : MUCH_GAS, gasPerItem);
    }

    /// @notice A block is replaced: what was delivered in it comes again after something else.
    function reorganise(uint256 picks, uint256 otherPicks) external {
        uint256 state = vm.snapshotState();
        deliver(picks % 7, picks, 1);
        vm.revertToState(state);
        deliver(otherPicks % 7, otherPicks, 1);
        deliver(picks % 7, picks, 1);
    }

    /// @notice Tries to deliver with a contract that was replaced, and to revive it.
    function deliverWithRetired(uint256 which, uint256 picks) external {
        if (_retired.length == 0) return;
        address retired = address(_retired[which % _retired.length]);
        _mustFail(retired, RELAYER, abi.encodeCall(Delivery.deliver, (_batch(picks), 0, ENOUGH, NEVER)));
        _mustFail(retired, address(this), abi.encodeCall(Delivery.unpause, ()));
    }

    /// @notice Somebody tries whatever he may not do.
    function steal(uint256 who, uint256 picks) external {
        address thief = [STRANGER, HOLDER, RELAYER, GUARDIAN][who % 4];
        bytes[10] memory calls = [
            abi.encodeCall(Delivery.deliver, (_batch(picks), 0, ENOUGH, NEVER)),
            abi.encodeCall(Delivery.pause, ()),
            abi.encodeCall(Delivery.retire, ()),
            abi.encodeCall(Delivery.setRelayer, (thief, AMPLE, AMPLE)),
            abi.encodeCall(Delivery.setTokenLimit, (address(edition), AMPLE, AMPLE)),
            abi.encodeCall(Delivery.handOver, (address(edition), thief)),
            abi.encodeCall(Delivery.unpause, ()),
            abi.encodeWithSignature("transferOwnership(address)", thief),
            abi.encodeWithSignature("acceptOwnership()"),
            abi.encodeWithSignature("renounceOwnership()")
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            bool isAllowed = (thief == RELAYER && i < 2) || (thief == GUARDIAN && (i == 1 || i == 2));
            if (!isAllowed) _mustFail(address(delivery), thief, calls[i]);
        }
    }

    function setRelayer(uint256 which, uint256 capacity, uint256 perDay) public {
        address relayer = [RELAYER, OTHER_RELAYER, address(_accomplice)][which % 3];
        delivery.setRelayer(relayer, _capacity(capacity), _perDay(perDay));
        _bucketOf(relayer).set(_capacity(capacity), _perDay(perDay), DELAY);
    }

    function setTokenLimit(uint256 which, uint256 capacity, uint256 perDay) public {
        address token = [address(edition), address(unique)][which % 2];
        delivery.setTokenLimit(token, _capacity(capacity), _perDay(perDay));
        _bucketOf(token).set(_capacity(capacity), _perDay(perDay), DELAY);
    }

    function pause(uint256 who) external {
        if (delivery.paused()) return;
        vm.prank([address(this), GUARDIAN][who % 2]);
        delivery.pause();
    }

    /// @notice The guardian retires the contract, and another one replaces it.
    function replace() external {
        if (delivery.generation() == 5) return;
        vm.prank(GUARDIAN);
        delivery.retire();
        _retired.push(delivery);
        delivery = deploy(address(delivery), DELAY, AMPLE, AMPLE);
        _begin();
    }

    function letTimePass(uint256 pick) external {
        wait([uint256(1), 60, 1 hours, DELAY, 100_000][pick % 5]);
    }

    /// @notice Everything works again.
    function restore() public {
        if (delivery.paused()) delivery.unpause();
        for (uint256 i = 0; i < 3; ++i) {
            setRelayer(i, 3, 3);
            setTokenLimit(i, 3, 3);
        }
        wait(DELAY);
    }

    /// @notice Delivers an honest item of each key, once everything works again.
    function deliverTheRest(uint256 picks) external {
        restore();
        for (uint256 key = 0; key < KEYS; ++key) {
            _send(RELAYER, list(_itemOf(key, picks % CANCEL)), MUCH_GAS, ENOUGH);
            vm.assertTrue(_recordOf(key).blockNumber != 0, "in the end, each key is used");
        }
    }

    /// @notice The record of a key tells which of its items was delivered, once, and no other was.
    function checkKeys() external view {
        for (uint256 key = 0; key < KEYS; ++key) {
            Record memory record = _recordOf(key);
            vm.assertEq(abi.encode(record), abi.encode(_seen[key]));
            for (uint256 kind = 0; kind < KINDS; ++kind) {
                bool isRecorded = record.contentHash == _contentHashOf(key, kind);
                vm.assertEq(_timesDelivered(key, kind), isRecorded ? 1 : 0, "deliveries of an item");
            }
        }
    }

    /// @notice Limits are as documented: no raise comes early, no lower limit late, and nothing is gained.
    function checkLimits() external {
        address[5] memory accounts = [RELAYER, OTHER_RELAYER, address(_accomplice), address(edition), address(unique)];
        for (uint256 i = 0; i < accounts.length; ++i) {
            Delivery.Limit memory limit = i < 3 ? delivery.relayerLimit(accounts[i]) : delivery.tokenLimit(accounts[i]);
            Bucket storage bucket = _bucketOf(accounts[i]);
            vm.assertEq(limit.capacity, bucket.capacity, "capacity");
            vm.assertEq(limit.perDay, bucket.perDay, "pieces that flow back in a day");
            vm.assertEq(limit.available, bucket.available(), "available pieces");
            vm.assertLe(limit.available, limit.capacity, "a bucket above its capacity");
        }
    }

    /// @notice The holder has lost what was delivered, and nobody else has lost anything.
    function checkPieces() external view {
        uint256 pieces = edition.balanceOf(HOLDER, 1);
        for (uint256 key = 0; key < KEYS; ++key) {
            pieces += edition.balanceOf(_itemOf(key, 0).to, 1);
            address owner = unique.ownerOf(2 * key);
            vm.assertTrue(owner == HOLDER || owner == _itemOf(key, 2).to, "a token that nobody asked for");
        }
        vm.assertEq(pieces, 1_000_000, "pieces of the holder and its recipients");
        vm.assertEq(edition.balanceOf(OTHER_HOLDER, 1), 1_000_000, "pieces of the other holder");
    }

    /// @dev The limits of a new contract.
    function _begin() private {
        allowToMint(AMPLE);
        _unlimited.grantRole(_unlimited.MINTER_ROLE(), address(delivery));
        address[5] memory accounts = [RELAYER, OTHER_RELAYER, address(edition), address(unique), address(_accomplice)];
        for (uint256 i = 0; i < accounts.length; ++i) {
            delete _buckets[accounts[i]];
            if (i < 4) _bucketOf(accounts[i]).set(AMPLE, i < 2 ? AMPLE : 0, 0);
        }
        setRelayer(2, 3, 3);
    }

    /// @dev Tells the accomplice what to do.
    function _plot(uint256 seed) private {
        _accomplice.setAnswer(Hook.Answer(seed % 8 < 5 ? seed % 8 : 0));
        for (uint256 count = (seed >> 8) % 4; count > 0; --count) {
            seed = _mix(seed);
            bytes memory data = seed % 16 == 0
                ? abi.encodeCall(Delivery.pause, ())
                : abi.encodeCall(Delivery.deliver, (_batch(seed), 0, ENOUGH, NEVER));
            _accomplice.addCall(address(delivery), data);
        }
    }

    function _send(address relayer, Delivery.Item[] memory items, uint256 gas, uint256 gasPerItem) private {
        bytes memory data = abi.encodeCall(Delivery.deliver, (items, 0, gasPerItem, NEVER));
        bool isStopped = delivery.paused() || _bucketOf(relayer).capacity == 0;
        vm.prank(relayer);
        (bool ok, bytes memory answer) = address(delivery).call{gas: gas}(data);
        vm.assertFalse(ok && isStopped, "nobody delivers while the contract is paused, nor who is no relayer");
        Delivery.Result[] memory results = ok ? abi.decode(answer, (Delivery.Result[])) : new Delivery.Result[](0);
        for (uint256 key = 0; key < KEYS; ++key) {
            _charge(relayer, items, results, key);
        }
        for (uint256 i = 0; i < results.length; ++i) {
            if (results[i].outcome == Delivery.Outcome.Failed) {
                _checkFailure(relayer, items[i], bytes4(results[i].reason));
            }
        }
    }

    /// @dev Charges a relayer and a token if the key was used just now. Who did not say so has reentered.
    function _charge(address relayer, Delivery.Item[] memory items, Delivery.Result[] memory results, uint256 key)
        private
    {
        Record memory record = _recordOf(key);
        if (_seen[key].blockNumber != 0 || record.blockNumber == 0) return;
        _seen[key] = record;
        address payer = address(_accomplice);
        for (uint256 i = 0; i < results.length; ++i) {
            Delivery.Outcome outcome = results[i].outcome;
            bool isUse = outcome == Delivery.Outcome.Delivered || outcome == Delivery.Outcome.Cancelled;
            if (isUse && items[i].key == _keyOf(key)) payer = relayer;
        }
        uint256 kind = CANCEL;
        if (record.contentHash != 0) {
            for (kind = 0; _contentHashOf(key, kind) != record.contentHash;) {
                ++kind;
            }
        }
        Delivery.Item memory item = _itemOf(key, kind);
        _bucketOf(payer).take(_piecesOf(item));
        if (_hasLimit(item.token)) _bucketOf(item.token).take(_piecesOf(item));
    }

    /// @dev An honest item fails only if a bucket has too few pieces. Later ones of the call make them fewer.
    function _checkFailure(address relayer, Delivery.Item memory item, bytes4 reason) private {
        bool isHonest = _hasLimit(item.token) && item.from != OTHER_HOLDER && item.to != address(_accomplice);
        if (!isHonest) return;
        bool isOfRelayer = reason == Delivery.RelayerLimitReached.selector;
        vm.assertTrue(isOfRelayer || reason == Delivery.TokenLimitReached.selector, "an honest item has failed");
        uint256 available = _bucketOf(isOfRelayer ? relayer : item.token).available();
        vm.assertTrue(_piecesOf(item) > available, "an item has failed that fits into the buckets");
    }

    function _mustFail(address target, address by, bytes memory data) private {
        vm.prank(by);
        (bool ok,) = target.call(data);
        vm.assertFalse(ok, "a call that nobody may make");
    }

    /// @dev From 1 to 6 items of any kinds.
    function _batch(uint256 picks) private view returns (Delivery.Item[] memory items) {
        picks = _mix(picks);
        items = new Delivery.Item[](1 + picks % 6);
        for (uint256 i = 0; i < items.length; ++i) {
            picks = _mix(picks);
            items[i] = _itemOf(picks % KEYS, picks / KEYS % KINDS);
        }
    }

    /// @dev One of the items of a key. No two have the same recipient, token and id.
    function _itemOf(uint256 key, uint256 kind) private view returns (Delivery.Item memory item) {
        item.key = _keyOf(key);
        if (kind == CANCEL) return item;
        (item.token, item.from) = (address(edition), HOLDER);
        item.to = address(uint160(uint256(keccak256(abi.encode(key, kind)))));
        if (kind == 0) (item.tokenId, item.amount) = (1, 1 + key);
        if (kind == 1) (item.from, item.tokenId, item.amount) = (address(0), 2, 1 + key);
        if (kind == 2) (item.token, item.tokenId) = (address(unique), 2 * key);
        if (kind == 3) (item.token, item.from, item.tokenId) = (address(unique), address(0), 100 + key);
        if (kind == 5) (item.to, item.tokenId, item.amount) = (address(_accomplice), 1000 + key, 2);
        if (kind == 6) (item.token, item.tokenId) = (address(_accomplice), key);
        if (kind == 7) (item.token, item.tokenId) = (STRANGER, key);
        if (kind == 8) (item.from, item.tokenId, item.amount) = (OTHER_HOLDER, 1, 1 + key);
        if (kind == 9) (item.token, item.from, item.tokenId) = (address(_unlimited), address(0), key);
    }

    /// @dev How often an item was delivered, as its token tells.
    function _timesDelivered(uint256 key, uint256 kind) private view returns (uint256) {
        if (kind == CANCEL || kind == 7) return 0;
        if (kind == 6) return _accomplice.moved(key);
        Delivery.Item memory item = _itemOf(key, kind);
        if (item.amount > 0) return edition.balanceOf(item.to, item.tokenId) / item.amount;
        try MintableUnique(item.token).ownerOf(item.tokenId) returns (address owner) {
            return owner == item.to ? 1 : 0;
        } catch {
            return 0;
        }
    }

    function _contentHashOf(uint256 key, uint256 kind) private view returns (bytes24) {
        Delivery.Item memory item = _itemOf(key, kind);
        return bytes24(keccak256(abi.encode(item.token, item.to, item.tokenId, item.amount)));
    }

    function _recordOf(uint256 key) private view returns (Record memory) {
        return delivery.recordOf(_keyOf(key));
    }

    function _keyOf(uint256 key) private pure returns (bytes32) {
        return keccak256(abi.encode(key));
    }

    function _hasLimit(address token) private view returns (bool) {
        return token == address(edition) || token == address(unique);
    }

    function _piecesOf(Delivery.Item memory item) private pure returns (uint256) {
        return item.amount == 0 ? 1 : item.amount;
    }

    function _bucketOf(address account) private returns (Bucket storage bucket) {
        bucket = _buckets[account];
        bucket.advance();
    }

    function _capacity(uint256 pick) private pure returns (uint64) {
        return [uint64(0), 3, 30, AMPLE][pick % 4];
    }

    function _perDay(uint256 pick) private pure returns (uint64) {
        return [uint64(0), 1000, 86_400, AMPLE][pick % 4];
    }

    /// @dev Foundry often chooses small numbers.
    function _mix(uint256 seed) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed)));
    }
}
