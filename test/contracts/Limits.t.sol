// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery} from "../../contracts/Delivery.sol";
import {vm} from "./Vm.sol";
import {World} from "./World.sol";

/// @notice A contract of two relayers that have used nothing.
abstract contract LimitsWorld is World {
    function limitRelayers(uint64 capacity, uint64 perDay) internal {
        delivery = deploy(address(0), DELAY, capacity, perDay);
    }

    function setRelayer(uint64 capacity, uint64 perDay) internal {
        delivery.setRelayer(RELAYER, capacity, perDay);
    }

    function setEditionLimit(uint64 capacity, uint64 perDay) internal {
        delivery.setTokenLimit(address(edition), capacity, perDay);
    }

    function assertLimit(Delivery.Limit memory found, Delivery.Limit memory expected) internal pure {
        vm.assertEq(abi.encode(found), abi.encode(expected));
    }

    /// @notice Delivers pieces at a time.
    function deliverAt(uint256 time, uint256 amount) internal returns (string memory) {
        vm.warp(time);
        return deliver(anEdition(amount));
    }
}

contract RelayerLimitTest is LimitsWorld {
    function test_Of1PieceRefusesAnItemOf900000AloneAndItsBatchGoesOn() public {
        limitRelayers(1, 0);
        Delivery.Item memory large = anEdition(900_000);
        Delivery.Item memory small = anEdition();
        vm.expectEmit(address(delivery));
        emit Delivery.DeliveryFailed(large.key, 0, abi.encodePacked(Delivery.RelayerLimitReached.selector));
        Delivery.Result[] memory results = deliver(list(large, small));
        vm.assertEq(outcomes(results), "failed delivered");
        assertRefused(results[0], Delivery.RelayerLimitReached.selector);
        vm.assertEq(arrived(large), 0);
        assertRecord(large.key, 0, 0);
        vm.assertEq(availableTo(RELAYER), 0);
    }

    function test_CountsThePiecesOfAnErc1155TokenAndAnErc721TokenAsOne() public {
        limitRelayers(10, 0);
        deliver(anEdition(4), anEdition(2), aUnique());
        vm.assertEq(availableTo(RELAYER), 3);
    }

    function test_LetsASmallerItemPassAfterOneThatDoesNotFit() public {
        limitRelayers(5, 0);
        vm.assertEq(deliver(anEdition(4), anEdition(2), anEdition(1)), "delivered failed delivered");
        vm.assertEq(deliver(anEdition(1)), "failed");
    }

    function test_IsOfEachRelayerAlone() public {
        limitRelayers(3, 0);
        vm.assertEq(deliver(anEdition(3)), "delivered");
        vm.assertEq(deliverAs(OTHER_RELAYER, list(anEdition(3))), "delivered");
        vm.assertEq(deliver(anEdition(1)), "failed");
    }

    function test_RefillsByTheSecondLosesNoFractionAndHoldsNoMoreThanItsCapacity() public {
        limitRelayers(10, 24);
        deliver(anEdition(10));
        uint256 start = vm.getBlockTimestamp();
        vm.assertEq(deliverAt(start + 1 hours - 1, 1), "failed");
        vm.assertEq(deliverAt(start + 1 hours, 1), "delivered");
        vm.assertEq(deliverAt(start + 1 hours + 1, 1), "failed");
        // One and a half pieces have flowed back, and one is taken.
        vm.assertEq(deliverAt(start + 2.5 hours, 1), "delivered");
        vm.assertEq(deliverAt(start + 3 hours - 1, 1), "failed");
        vm.assertEq(deliverAt(start + 3 hours, 1), "delivered");
        vm.assertEq(deliverAt(start + 100 hours, 11), "failed");
        vm.assertEq(availableTo(RELAYER), 10);
        vm.assertEq(deliverAt(start + 101 hours, 10), "delivered");
    }

    function testFuzz_HoldsWhatWasNotUsedAndWhatHasFlowedBack(uint64 capacity, uint64 perDay, uint64 used, uint32 time)
        public
    {
        vm.assume(capacity > 0);
        used = used % (capacity < 1_000_000 ? capacity : 1_000_000) + 1;
        limitRelayers(capacity, perDay);
        deliver(anEdition(used));
        wait(time);
        uint256 back = uint256(perDay) * time / 1 days;
        vm.assertEq(availableTo(RELAYER), back > used ? capacity : capacity - used + back);
    }

    function test_DoesNotDoubleAtMidnight() public {
        limitRelayers(5, 5);
        uint256 midnight = (vm.getBlockTimestamp() / 1 days + 1) * 1 days;
        vm.assertEq(deliverAt(midnight - 1, 5), "delivered");
        vm.assertEq(deliverAt(midnight, 1), "failed");
        vm.assertEq(deliverAt(midnight + 1, 1), "failed");
        vm.assertEq(deliverAt(midnight + 17_278, 1), "failed");
        // A fifth of a day after the last piece was taken.
        vm.assertEq(deliverAt(midnight + 17_279, 1), "delivered");
        vm.assertEq(deliver(anEdition(1)), "failed");
    }

    function test_IsNotChargedForItemsThatFailAreSkippedOrDoNotFit() public {
        limitRelayers(10, 0);
        Delivery.Item memory item = anEdition();
        deliver(item);
        Delivery.Item memory notApproved = anEdition(8);
        notApproved.from = OTHER_HOLDER;
        vm.assertEq(deliver(item, notApproved, anEditionOf(STRANGER)), "skipped failed failed");
        vm.assertEq(deliver(anEdition(10), aCancel(item.key)), "failed skipped");
        vm.assertEq(availableTo(RELAYER), 9);
    }

    function test_IsChargedOnePieceForACancelWhateverItsAmount() public {
        limitRelayers(3, 0);
        Delivery.Item memory large = aCancel(aKey());
        large.amount = 900_000;
        vm.assertEq(deliver(aCancel(aKey()), large), "cancelled cancelled");
        vm.assertEq(availableTo(RELAYER), 1);
        Delivery.Result[] memory results = deliver(list(aCancel(aKey()), aCancel(aKey())));
        vm.assertEq(outcomes(results), "cancelled failed");
        assertRefused(results[1], Delivery.RelayerLimitReached.selector);
    }

    function test_MayBeTheLargestNumberOf64BitsAndLargerItemsDoNotFit() public {
        uint64 most = type(uint64).max;
        limitRelayers(most, most);
        Delivery.Item[] memory items = list(anEdition(type(uint256).max), anEdition(uint256(most) + 1), anEdition(most));
        Delivery.Result[] memory results = deliver(items);
        vm.assertEq(outcomes(results), "failed failed failed");
        assertRefused(results[0], Delivery.RelayerLimitReached.selector);
        assertRefused(results[1], Delivery.RelayerLimitReached.selector);
        // It fits, but the holder does not have that many.
        vm.assertLt(0, results[2].gasUsed);
        vm.assertEq(availableTo(RELAYER), most);
        deliver(anEdition(1_000_000));
        vm.assertEq(availableTo(RELAYER), most - 1_000_000);
        wait(1);
        vm.assertEq(availableTo(RELAYER), most);
    }
}

contract TokenLimitTest is LimitsWorld {
    function test_IsSetAtOnceTheFirstTimeAndBoundsAllRelayersTogether() public {
        setEditionLimit(5, 0);
        vm.assertEq(deliver(anEdition(3)), "delivered");
        Delivery.Item[] memory items = list(anEdition(3), anEdition(2), aUnique());
        vm.prank(OTHER_RELAYER);
        Delivery.Result[] memory results = delivery.deliver(items, 3, GAS_PER_ITEM, NEVER);
        vm.assertEq(outcomes(results), "failed delivered delivered");
        assertRefused(results[0], Delivery.TokenLimitReached.selector);
        vm.assertEq(deliver(anEdition(1)), "failed");
        assertLimit(delivery.tokenLimit(address(edition)), Delivery.Limit(true, 5, 0, 0, 0, 0, 0));
        assertLimit(delivery.tokenLimit(address(unique)), Delivery.Limit(false, 0, 0, 0, 0, 0, 0));
    }

    function test_IsAnnouncedByAnEvent() public {
        vm.expectEmit(address(delivery));
        emit Delivery.TokenLimitSet(address(edition), 5, 2, vm.getBlockTimestamp());
        setEditionLimit(5, 2);
        vm.expectEmit(address(delivery));
        emit Delivery.TokenLimitSet(address(edition), 6, 2, vm.getBlockTimestamp() + DELAY);
        setEditionLimit(6, 2);
    }

    function test_StopsTheTokenWhenItIs0() public {
        setEditionLimit(0, 0);
        Delivery.Result[] memory results = deliver(list(anEdition(), aUnique()));
        vm.assertEq(outcomes(results), "failed delivered");
        assertRefused(results[0], Delivery.TokenLimitReached.selector);
    }

    function test_IsNotChargedForItemsThatFailAreSkippedOrDoNotFitNorIsTheRelayer() public {
        limitRelayers(10, 0);
        setEditionLimit(9, 0);
        Delivery.Item memory item = anEdition();
        deliver(item);
        Delivery.Item memory notApproved = anEdition(8);
        notApproved.from = OTHER_HOLDER;
        // One exceeds the limit of the token, one that of the relayer.
        vm.assertEq(deliver(item, notApproved), "skipped failed");
        vm.assertEq(deliver(anEdition(9), anEdition(11)), "failed failed");
        vm.assertEq(availableOf(address(edition)), 8);
        vm.assertEq(availableTo(RELAYER), 9);
    }

    function test_RefillsWithTime() public {
        setEditionLimit(5, 24);
        deliver(anEdition(5));
        uint256 start = vm.getBlockTimestamp();
        vm.assertEq(deliverAt(start + 2 hours - 1, 2), "failed");
        vm.assertEq(deliverAt(start + 2 hours, 2), "delivered");
    }

    function test_IsRaisedAfterTheDelayAndLoweredAtOnce() public {
        setEditionLimit(5, 0);
        setEditionLimit(7, 0);
        uint256 announcedAt = vm.getBlockTimestamp();
        vm.assertEq(deliverAt(announcedAt + DELAY - 1, 6), "failed");
        vm.assertEq(deliverAt(announcedAt + DELAY, 6), "delivered");
        setEditionLimit(6, 0);
        vm.assertEq(deliver(anEdition(1)), "failed");
    }
}

contract RaiseTest is LimitsWorld {
    function limit() private view returns (Delivery.Limit memory) {
        return delivery.relayerLimit(RELAYER);
    }

    function test_TakesEffectAfterTheDelayWithoutWhatIsUsedByThen() public {
        limitRelayers(5, 0);
        setRelayer(8, 24);
        uint64 effectiveAt = uint64(vm.getBlockTimestamp()) + DELAY;
        assertLimit(limit(), Delivery.Limit(true, 5, 0, 5, 8, 24, effectiveAt));
        deliver(anEdition(5));
        vm.assertEq(deliverAt(effectiveAt - 1, 1), "failed");
        vm.warp(effectiveAt);
        vm.assertEq(deliver(anEdition(3), anEdition(1)), "delivered failed");
        assertLimit(limit(), Delivery.Limit(true, 8, 24, 0, 0, 0, 0));
        wait(1 hours);
        vm.assertEq(deliver(anEdition(1), anEdition(1)), "delivered failed");
    }

    function test_RefillsAtTheOldRateBeforeItAndAtTheNewOneAfterItWithoutADelivery() public {
        limitRelayers(100, 24);
        deliver(anEdition(100));
        wait(1 hours);
        setRelayer(100, 240);
        // 3 hours of 1 piece, then 1 hour of 10.
        wait(3 hours);
        vm.assertEq(availableTo(RELAYER), 13);
    }

    function test_IsDroppedByALowerLimitWhichTakesEffectAtOnce() public {
        limitRelayers(5, 0);
        setRelayer(8, 0);
        setRelayer(3, 0);
        assertLimit(limit(), Delivery.Limit(true, 3, 0, 3, 0, 0, 0));
        wait(DELAY);
        assertLimit(limit(), Delivery.Limit(true, 3, 0, 3, 0, 0, 0));
    }

    function test_BeginsToWaitAnewWhenItIsAnnouncedAgain() public {
        limitRelayers(5, 0);
        setRelayer(8, 0);
        wait(DELAY - 1);
        setRelayer(9, 0);
        wait(DELAY - 1);
        vm.assertEq(availableTo(RELAYER), 5);
        wait(1);
        vm.assertEq(availableTo(RELAYER), 9);
    }

    /// @notice What is lower is in force at once, and what is higher after the delay.
    function testFuzz_OfAnyNumbersNeverComesEarly(
        uint64 capacity,
        uint64 perDay,
        uint64 nextCapacity,
        uint64 nextPerDay,
        uint64 early
    ) public {
        limitRelayers(capacity, perDay);
        setRelayer(nextCapacity, nextPerDay);
        uint64 effectiveAt = uint64(vm.getBlockTimestamp()) + DELAY;
        uint64 least = capacity < nextCapacity ? capacity : nextCapacity;
        uint64 leastPerDay = perDay < nextPerDay ? perDay : nextPerDay;
        bool isRaise = nextCapacity > capacity || nextPerDay > perDay;
        wait(early % DELAY);
        assertLimit(
            limit(),
            isRaise
                ? Delivery.Limit(true, least, leastPerDay, least, nextCapacity, nextPerDay, effectiveAt)
                : Delivery.Limit(true, least, leastPerDay, least, 0, 0, 0)
        );
        wait(DELAY);
        // An empty bucket would not be full yet.
        assertLimit(limit(), Delivery.Limit(true, nextCapacity, nextPerDay, nextCapacity, 0, 0, 0));
    }

    function test_NeedsNoTimeWhenTheDelayIs0() public {
        delivery = deploy(address(0), 0, 5, 0);
        setRelayer(8, 0);
        assertLimit(limit(), Delivery.Limit(true, 8, 0, 8, 0, 0, 0));
    }

    function test_IsRevertedWhenTheDelayExceedsAllTimes() public {
        delivery = deploy(address(0), type(uint64).max, 5, 0);
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        setRelayer(8, 0);
    }
}

contract LowerLimitTest is LimitsWorld {
    function test_CountsWhatWasUsedBefore() public {
        limitRelayers(10, 0);
        deliver(anEdition(8));
        setRelayer(9, 0);
        vm.assertEq(availableTo(RELAYER), 1);
    }

    function test_BelowWhatWasUsedIsEmptyAndRefillsFromThere() public {
        limitRelayers(10, 24);
        deliver(anEdition(8));
        setRelayer(4, 24);
        vm.assertEq(availableTo(RELAYER), 0);
        wait(1 hours);
        vm.assertEq(availableTo(RELAYER), 1);
    }
}
