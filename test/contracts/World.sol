// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1155PresetMinterPauser} from "@openzeppelin/contracts/token/ERC1155/presets/ERC1155PresetMinterPauser.sol";
import {Delivery, IPredecessor, Record} from "../../contracts/Delivery.sol";
import {MintableUnique} from "./fixtures/Mintables.sol";
import {vm} from "./Vm.sol";

/// @notice The Delivery contract, whose owner is the test, with relayers, holders and honest tokens.
abstract contract World {
    /// @dev The limit of the relayers. No test reaches it by accident.
    uint64 internal constant AMPLE = 1_000_000_000;
    uint64 internal constant DELAY = 2 hours;
    uint256 internal constant GAS_PER_ITEM = 300_000;
    /// @dev A deadline that no test reaches.
    uint256 internal constant NEVER = type(uint256).max;

    address internal constant RELAYER = address(uint160(uint256(keccak256("relayer"))));
    address internal constant OTHER_RELAYER = address(uint160(uint256(keccak256("other relayer"))));
    address internal constant HOLDER = address(uint160(uint256(keccak256("holder"))));
    /// @dev Has tokens, but has not approved the contract.
    address internal constant OTHER_HOLDER = address(uint160(uint256(keccak256("other holder"))));
    address internal constant STRANGER = address(uint160(uint256(keccak256("stranger"))));
    address internal constant GUARDIAN = address(uint160(uint256(keccak256("guardian"))));

    Delivery internal delivery;
    ERC1155PresetMinterPauser internal edition;
    /// @dev Has the ids from 0 to 19. The even ones are the holder's.
    MintableUnique internal unique;

    uint256 private _count;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        vm.roll(1000);
        edition = new ERC1155PresetMinterPauser("");
        unique = new MintableUnique();
        unique.grantRole(unique.MINTER_ROLE(), address(this));
        for (uint256 id = 0; id < 20; ++id) {
            unique.safeMint(id % 2 == 0 ? HOLDER : OTHER_HOLDER, id);
        }
        edition.mint(HOLDER, 1, 1_000_000, "");
        edition.mint(OTHER_HOLDER, 1, 1_000_000, "");
        delivery = deploy(address(0), DELAY, AMPLE, AMPLE);
    }

    /// @notice Deploys a contract that the holder approves. Both relayers have the limit.
    function deploy(address predecessor, uint64 delay, uint64 capacity, uint64 perDay)
        internal
        returns (Delivery deployed)
    {
        Delivery.RelayerLimit[] memory relayers = new Delivery.RelayerLimit[](2);
        relayers[0] = Delivery.RelayerLimit(RELAYER, capacity, perDay);
        relayers[1] = Delivery.RelayerLimit(OTHER_RELAYER, capacity, perDay);
        // `npm run test:guards` breaks the source, and deploys what Foundry has compiled.
        string memory artifact = vm.envOr("DELIVERY", string("contracts/Delivery.json"));
        deployed = Delivery(vm.deployCode(artifact, abi.encode(IPredecessor(predecessor), delay, GUARDIAN, relayers)));
        approve(address(deployed), true);
    }

    /// @notice Retires the contract, and deploys one that replaces it.
    function succeed() internal {
        delivery.retire();
        delivery = deploy(address(delivery), DELAY, AMPLE, AMPLE);
    }

    function approve(address operator, bool isApproved) internal {
        vm.prank(HOLDER);
        edition.setApprovalForAll(operator, isApproved);
        vm.prank(HOLDER);
        unique.setApprovalForAll(operator, isApproved);
    }

    function wait(uint256 time) internal {
        vm.warp(vm.getBlockTimestamp() + time);
        vm.roll(vm.getBlockNumber() + 1);
    }

    /// @notice Sets the limit of a relayer, and waits until it is in force.
    function addRelayer(address relayer, uint64 capacity) internal {
        delivery.setRelayer(relayer, capacity, 0);
        wait(DELAY);
    }

    /// @notice Allows the contract to mint editions and uniques, as far as the limits of both go.
    function allowToMint(uint64 capacity) internal {
        edition.grantRole(edition.MINTER_ROLE(), address(delivery));
        unique.grantRole(unique.MINTER_ROLE(), address(delivery));
        delivery.setTokenLimit(address(edition), capacity, 0);
        delivery.setTokenLimit(address(unique), capacity, 0);
    }

    function aKey() internal returns (bytes32) {
        return keccak256(abi.encode("key", ++_count));
    }

    /// @notice An account without code that nobody else uses.
    function aWallet() internal returns (address) {
        return address(uint160(uint256(keccak256(abi.encode("wallet", ++_count)))));
    }

    /// @notice Pieces of the ERC-1155 token for a new wallet under a new key.
    function anEdition(uint256 amount) internal returns (Delivery.Item memory) {
        return Delivery.Item(aKey(), address(edition), HOLDER, aWallet(), 1, amount);
    }

    function anEdition() internal returns (Delivery.Item memory) {
        return anEdition(1);
    }

    function anEditionTo(address to) internal returns (Delivery.Item memory item) {
        item = anEdition();
        item.to = to;
    }

    function anEditionOf(address token) internal returns (Delivery.Item memory item) {
        item = anEdition();
        item.token = token;
    }

    /// @notice An ERC-721 token of the holder for a new wallet under a new key. Each token once.
    function aUnique() internal returns (Delivery.Item memory item) {
        uint256 id = 0;
        while (unique.ownerOf(id) != HOLDER || _isTaken[id]) id += 2;
        _isTaken[id] = true;
        return Delivery.Item(aKey(), address(unique), HOLDER, aWallet(), id, 0);
    }

    mapping(uint256 id => bool) private _isTaken;

    /// @notice Mints an ERC-721 token.
    function aUniqueMint(uint256 id) internal returns (Delivery.Item memory) {
        return Delivery.Item(aKey(), address(unique), address(0), aWallet(), id, 0);
    }

    /// @notice Mints pieces of an ERC-1155 token.
    function anEditionMint(uint256 amount) internal returns (Delivery.Item memory) {
        return Delivery.Item(aKey(), address(edition), address(0), aWallet(), 42, amount);
    }

    /// @notice Uses a key up.
    function aCancel(bytes32 key) internal pure returns (Delivery.Item memory item) {
        item.key = key;
    }

    /// @notice How many pieces of an item its recipient has.
    function arrived(Delivery.Item memory item) internal view returns (uint256) {
        if (item.token == address(edition)) return edition.balanceOf(item.to, item.tokenId);
        return unique.ownerOf(item.tokenId) == item.to ? 1 : 0;
    }

    function isUsed(Delivery.Item memory item) internal view returns (bool) {
        return delivery.recordOf(item.key).blockNumber != 0;
    }

    function deliver(Delivery.Item[] memory items) internal returns (Delivery.Result[] memory) {
        vm.prank(RELAYER);
        return delivery.deliver(items, items.length, GAS_PER_ITEM, NEVER);
    }

    /// @notice Delivers one item, and returns what became of it, such as "delivered".
    function deliver(Delivery.Item memory item) internal returns (string memory) {
        return outcomes(deliver(list(item)));
    }

    /// @notice Delivers items, and returns what became of each, such as "delivered failed".
    function deliver(Delivery.Item memory a, Delivery.Item memory b) internal returns (string memory) {
        return outcomes(deliver(list(a, b)));
    }

    function deliver(Delivery.Item memory a, Delivery.Item memory b, Delivery.Item memory c)
        internal
        returns (string memory)
    {
        return outcomes(deliver(list(a, b, c)));
    }

    function deliverAs(address by, Delivery.Item[] memory items) internal returns (string memory) {
        vm.prank(by);
        return outcomes(delivery.deliver(items, items.length, GAS_PER_ITEM, NEVER));
    }

    /// @notice A call of `deliver` that succeeds however few items are reached.
    function callOf(Delivery.Item[] memory items) internal pure returns (bytes memory) {
        return abi.encodeCall(Delivery.deliver, (items, 0, GAS_PER_ITEM, NEVER));
    }

    function list(Delivery.Item memory a) internal pure returns (Delivery.Item[] memory items) {
        items = new Delivery.Item[](1);
        items[0] = a;
    }

    function list(Delivery.Item memory a, Delivery.Item memory b) internal pure returns (Delivery.Item[] memory items) {
        items = new Delivery.Item[](2);
        (items[0], items[1]) = (a, b);
    }

    function list(Delivery.Item memory a, Delivery.Item memory b, Delivery.Item memory c)
        internal
        pure
        returns (Delivery.Item[] memory items)
    {
        items = new Delivery.Item[](3);
        (items[0], items[1], items[2]) = (a, b, c);
    }

    function outcomes(Delivery.Result[] memory results) internal pure returns (string memory text) {
        string[5] memory names = ["not reached", "delivered", "skipped", "failed", "cancelled"];
        for (uint256 i = 0; i < results.length; ++i) {
            text = string.concat(text, i == 0 ? "" : " ", names[uint256(results[i].outcome)]);
        }
    }

    /// @notice Checks that an item has failed without a call of its token.
    function assertRefused(Delivery.Result memory result, bytes4 reason) internal pure {
        vm.assertEq(
            abi.encode(result), abi.encode(Delivery.Result(Delivery.Outcome.Failed, 0, abi.encodePacked(reason)))
        );
    }

    function assertRecord(bytes32 key, uint256 blockNumber, bytes24 contentHash) internal view {
        Record memory record = delivery.recordOf(key);
        vm.assertEq(record.blockNumber, blockNumber);
        vm.assertEq(abi.encode(record.contentHash), abi.encode(contentHash));
    }

    /// @notice How many pieces a relayer may move now.
    function availableTo(address relayer) internal view returns (uint256) {
        return delivery.relayerLimit(relayer).available;
    }

    /// @notice How many pieces of a token may be moved now.
    function availableOf(address token) internal view returns (uint256) {
        return delivery.tokenLimit(token).available;
    }
}
