// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery} from "../../contracts/Delivery.sol";
import {MintableUnique, OwnedUnique} from "./fixtures/Mintables.sol";
import {Hook, Recipient} from "./fixtures/Recipients.sol";
import {vm} from "./Vm.sol";
import {World} from "./World.sol";

contract MintTest is World {
    function setUp() public override {
        super.setUp();
        allowToMint(100);
    }

    function test_MakesTokensOfBothStandards() public {
        Delivery.Item memory one = aUniqueMint(107);
        Delivery.Item memory five = anEditionMint(5);
        vm.expectEmit(address(delivery));
        emit Delivery.Delivered(one.key, RELAYER, address(unique), address(0), one.to, 107, 0);
        vm.expectEmit(address(delivery));
        emit Delivery.Delivered(five.key, RELAYER, address(edition), address(0), five.to, 42, 5);
        vm.assertEq(deliver(one, five), "delivered delivered");
        vm.assertEq(arrived(one), 1);
        vm.assertEq(arrived(five), 5);
    }

    function test_MakesTokensThatTheContractOwns() public {
        OwnedUnique owned = new OwnedUnique();
        owned.transferOwnership(address(delivery));
        delivery.setTokenLimit(address(owned), 1, 0);
        Delivery.Item memory item = aUniqueMint(3);
        item.token = address(owned);
        vm.assertEq(deliver(item), "delivered");
        vm.assertEq(owned.ownerOf(3), item.to);
    }

    function test_IsChargedToTheRelayerAndTheTokenAsATransferIs() public {
        deliver(aUniqueMint(107), anEditionMint(5), anEdition(2));
        vm.assertEq(availableOf(address(unique)), 99);
        vm.assertEq(availableOf(address(edition)), 93);
        vm.assertEq(availableTo(RELAYER), AMPLE - 8);
    }

    function test_ThatExceedsTheLimitOfItsTokenFailsAlone() public {
        Delivery.Result[] memory results = deliver(list(anEditionMint(101), anEditionMint(100)));
        vm.assertEq(outcomes(results), "failed delivered");
        assertRefused(results[0], Delivery.TokenLimitReached.selector);
    }

    function test_OfATokenWithoutALimitFailsAndChargesNothing() public {
        MintableUnique unlimited = new MintableUnique();
        unlimited.grantRole(unlimited.MINTER_ROLE(), address(delivery));
        Delivery.Item memory item = aUniqueMint(107);
        item.token = address(unlimited);
        Delivery.Result[] memory results = deliver(list(item, aUniqueMint(107)));
        vm.assertEq(outcomes(results), "failed delivered");
        assertRefused(results[0], Delivery.TokenLimitMissing.selector);
        vm.assertEq(availableTo(RELAYER), AMPLE - 1);
        delivery.setTokenLimit(address(unlimited), 1, 0);
        vm.assertEq(deliver(item), "delivered");
    }

    function test_ThatTheTokenDoesNotAllowFailsAndChargesNothing() public {
        address token = address(new OwnedUnique());
        delivery.setTokenLimit(token, 10, 0);
        Delivery.Item memory item = aUniqueMint(1);
        item.token = token;
        Delivery.Result[] memory results = deliver(list(item));
        vm.assertEq(outcomes(results), "failed");
        vm.assertEq(results[0].reason, abi.encodeWithSignature("Error(string)", "Ownable: caller is not the owner"));
        vm.assertEq(availableOf(token), 10);
        assertRecord(item.key, 0, 0);
    }

    function test_OfAnIdThatExistsFailsWhateverItsKey() public {
        vm.assertEq(deliver(aUniqueMint(107), aUniqueMint(107)), "delivered failed");
        vm.assertEq(availableOf(address(unique)), 99);
    }

    function test_ToAWalletThatRefusesItFailsAndCanBeTriedAgain() public {
        Recipient recipient = new Recipient();
        recipient.setAnswer(Hook.Answer.Refuse);
        Delivery.Item memory one = aUniqueMint(107);
        Delivery.Item memory five = anEditionMint(5);
        (one.to, five.to) = (address(recipient), address(recipient));
        vm.assertEq(deliver(one, five), "failed failed");
        vm.assertEq(availableOf(address(unique)), 100);
        recipient.setAnswer(Hook.Answer.Accept);
        vm.assertEq(deliver(one, five), "delivered delivered");
    }

    function test_IsMadeOncePerKeyWhicheverRelayerAsksAndForWhichContent() public {
        Delivery.Item memory item = anEditionMint(5);
        Delivery.Item memory otherMint = aUniqueMint(107);
        Delivery.Item memory transfer = anEdition();
        (otherMint.key, transfer.key) = (item.key, item.key);
        vm.assertEq(deliver(item, otherMint, transfer), "delivered skipped skipped");
        vm.recordLogs();
        vm.assertEq(deliverAs(RELAYER, list(item, otherMint, transfer)), "skipped skipped skipped");
        vm.assertEq(deliverAs(OTHER_RELAYER, list(item, otherMint, transfer)), "skipped skipped skipped");
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(arrived(item), 5);
    }

    function test_IsMadeOncePerKeyThroughAChainOfContracts() public {
        Delivery.Item memory item = anEditionMint(5);
        Delivery.Item memory open = anEditionMint(5);
        deliver(item);
        for (uint256 generation = 2; generation < 4; ++generation) {
            succeed();
            allowToMint(100);
            vm.assertEq(deliver(item), "skipped");
        }
        vm.assertEq(deliver(item, open), "skipped delivered");
        vm.assertEq(arrived(item), 5);
        vm.assertEq(arrived(open), 5);
    }

    function test_IsMadeOncePerKeyWhenItsRecipientIsARelayerAndAsksForItAgain() public {
        Recipient recipient = new Recipient();
        addRelayer(address(recipient), 100);
        Delivery.Item memory item = anEditionMint(5);
        item.to = address(recipient);
        recipient.addCall(address(delivery), callOf(list(item)));
        vm.prank(RELAYER);
        vm.assertEq(outcomes(delivery.deliver(list(item), 1, 3_000_000, NEVER)), "delivered");
        vm.assertEq(recipient.succeeded(), 1);
        vm.assertEq(arrived(item), 5);
        vm.assertEq(availableTo(address(recipient)), 100);
    }
}

contract HandOverTest is World {
    OwnedUnique private owned;

    function setUp() public override {
        super.setUp();
        owned = anOwned();
    }

    /// @notice A token that the contract owns.
    function anOwned() private returns (OwnedUnique token) {
        token = new OwnedUnique();
        token.transferOwnership(address(delivery));
    }

    function handOver(address newOwner) private {
        delivery.handOver(address(owned), newOwner);
    }

    function assertAnnounced(address newOwner, uint256 effectiveAt) private view {
        (address announced, uint64 from) = delivery.handOvers(address(owned));
        vm.assertEq(announced, newOwner);
        vm.assertEq(from, effectiveAt);
        vm.assertEq(owned.owner(), address(delivery));
    }

    function test_IsAnnouncedFirstAndDoneByASecondCallAfterTheDelay() public {
        uint256 effectiveAt = vm.getBlockTimestamp() + DELAY;
        vm.expectEmit(address(delivery));
        emit Delivery.HandOverAnnounced(address(owned), STRANGER, effectiveAt);
        handOver(STRANGER);
        assertAnnounced(STRANGER, effectiveAt);
        vm.warp(effectiveAt);
        handOver(STRANGER);
        vm.assertEq(owned.owner(), STRANGER);
        (address announced, uint64 from) = delivery.handOvers(address(owned));
        vm.assertEq(announced, address(0));
        vm.assertEq(from, 0);
        delivery.setTokenLimit(address(owned), 1, 0);
        Delivery.Item memory item = aUniqueMint(1);
        item.token = address(owned);
        vm.assertEq(deliver(item), "failed");
    }

    function testFuzz_DoesNotHappenBeforeTheDelayAndAnEarlierCallStartsItAgain(uint256 early) public {
        handOver(STRANGER);
        wait(early % DELAY);
        handOver(STRANGER);
        assertAnnounced(STRANGER, vm.getBlockTimestamp() + DELAY);
        wait(DELAY - 1);
        handOver(STRANGER);
        assertAnnounced(STRANGER, vm.getBlockTimestamp() + DELAY);
    }

    function test_HappensOnlyToTheAnnouncedOwner() public {
        handOver(STRANGER);
        wait(DELAY);
        handOver(HOLDER);
        assertAnnounced(HOLDER, vm.getBlockTimestamp() + DELAY);
        // The announcement of the first owner was replaced.
        handOver(STRANGER);
        assertAnnounced(STRANGER, vm.getBlockTimestamp() + DELAY);
        wait(DELAY);
        handOver(STRANGER);
        vm.assertEq(owned.owner(), STRANGER);
    }

    function test_IsAnnouncedForNoOwnerAtAllToo() public {
        handOver(address(0));
        assertAnnounced(address(0), vm.getBlockTimestamp() + DELAY);
    }

    function test_HappensOnlyToTheAnnouncedToken() public {
        handOver(STRANGER);
        wait(DELAY);
        owned = anOwned();
        handOver(STRANGER);
        assertAnnounced(STRANGER, vm.getBlockTimestamp() + DELAY);
    }

    function test_IsAnnouncedFirstWithoutADelayToo() public {
        delivery = deploy(address(0), 0, AMPLE, AMPLE);
        owned = anOwned();
        handOver(STRANGER);
        assertAnnounced(STRANGER, vm.getBlockTimestamp());
        handOver(STRANGER);
        vm.assertEq(owned.owner(), STRANGER);
    }

    function test_IsPossibleAfterTheContractWasRetired() public {
        delivery.retire();
        handOver(STRANGER);
        wait(DELAY);
        handOver(STRANGER);
        vm.assertEq(owned.owner(), STRANGER);
    }

    function test_DoesNotGiveTheContractItselfAway() public {
        delivery.handOver(address(delivery), STRANGER);
        wait(DELAY);
        vm.expectRevert("Ownable: caller is not the owner");
        delivery.handOver(address(delivery), STRANGER);
        vm.assertEq(delivery.owner(), address(this));
    }
}
