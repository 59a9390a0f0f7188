// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery, Record} from "../../contracts/Delivery.sol";
import {vm} from "./Vm.sol";
import {World} from "./World.sol";

bytes constant NOT_OWNER = "Ownable: caller is not the owner";
bytes constant NOT_NEW_OWNER = "Ownable2Step: caller is not the new owner";
bytes constant PAUSED = "Pausable: paused";

contract OwnershipTest is World {
    function test_IsTheDeployers() public view {
        vm.assertEq(delivery.owner(), address(this));
    }

    function test_CannotBeGivenUp() public {
        vm.expectRevert(abi.encodePacked(Delivery.OwnerRequired.selector));
        delivery.renounceOwnership();
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodePacked(Delivery.OwnerRequired.selector));
        delivery.renounceOwnership();
    }

    function test_PassesOnOnlyWhenTheNewOwnerAcceptsIt() public {
        delivery.transferOwnership(STRANGER);
        vm.assertEq(delivery.owner(), address(this));
        vm.prank(RELAYER);
        vm.expectRevert(NOT_NEW_OWNER);
        delivery.acceptOwnership();
        vm.prank(STRANGER);
        delivery.acceptOwnership();
        vm.assertEq(delivery.owner(), STRANGER);
        vm.expectRevert(NOT_OWNER);
        delivery.unpause();
        vm.expectRevert(abi.encodePacked(Delivery.NotGuardian.selector));
        delivery.retire();
    }

    function test_IsNeededToSetLimitsToHandTokensOverToUnpauseAndToPassItOn() public {
        delivery.pause();
        address[3] memory others = [RELAYER, GUARDIAN, STRANGER];
        for (uint256 i = 0; i < others.length; ++i) {
            bytes[5] memory calls = [
                abi.encodeCall(Delivery.setRelayer, (others[i], 1, 1)),
                abi.encodeCall(Delivery.setTokenLimit, (address(edition), 1, 1)),
                abi.encodeCall(Delivery.handOver, (address(edition), others[i])),
                abi.encodeCall(Delivery.unpause, ()),
                abi.encodeWithSignature("transferOwnership(address)", others[i])
            ];
            for (uint256 j = 0; j < calls.length; ++j) {
                vm.prank(others[i]);
                (bool ok, bytes memory reason) = address(delivery).call(calls[j]);
                vm.assertFalse(ok, "only the owner may do it");
                vm.assertEq(reason, abi.encodeWithSignature("Error(string)", string(NOT_OWNER)));
            }
        }
    }

    function test_DoesNotIncludeDelivering() public {
        vm.expectRevert(abi.encodePacked(Delivery.NotRelayer.selector));
        deliverAs(address(this), list(anEdition()));
    }
}

contract GuardianTest is World {
    function test_MayPause() public {
        vm.prank(GUARDIAN);
        delivery.pause();
        vm.assertTrue(delivery.paused(), "it is paused");
    }

    function test_MayRetireTheContract() public {
        vm.prank(GUARDIAN);
        delivery.retire();
        vm.assertTrue(delivery.retired(), "it is retired");
        vm.expectRevert(PAUSED);
        deliver(anEdition());
    }

    function test_MayNotDeliverNorAcceptTheOwnershipThatAnotherWasOffered() public {
        vm.expectRevert(abi.encodePacked(Delivery.NotRelayer.selector));
        deliverAs(GUARDIAN, list(anEdition()));
        delivery.transferOwnership(STRANGER);
        vm.prank(GUARDIAN);
        vm.expectRevert(NOT_NEW_OWNER);
        delivery.acceptOwnership();
    }

    function test_IsNamedByTheContract() public view {
        vm.assertEq(delivery.guardian(), GUARDIAN);
    }
}

contract RelayersTest is World {
    function test_OfTheConstructorDeliverAtOnceAndOthersAreAddedAfterTheDelay() public {
        vm.assertEq(deliver(anEdition()), "delivered");
        Delivery.Item[] memory items = list(anEdition());
        delivery.setRelayer(STRANGER, 5, 5);
        wait(DELAY - 1);
        vm.expectRevert(abi.encodePacked(Delivery.NotRelayer.selector));
        deliverAs(STRANGER, items);
        wait(1);
        vm.assertEq(deliverAs(STRANGER, items), "delivered");
    }

    function test_AreRemovedAtOnce() public {
        delivery.setRelayer(RELAYER, 0, 0);
        vm.expectRevert(abi.encodePacked(Delivery.NotRelayer.selector));
        deliver(anEdition());
        delivery.setRelayer(RELAYER, 5, 5);
        vm.expectRevert(abi.encodePacked(Delivery.NotRelayer.selector));
        deliver(anEdition());
        wait(DELAY);
        vm.assertEq(deliver(anEdition()), "delivered");
    }

    function test_AreListedOnceEachTheRemovedOnesToo() public {
        delivery.setRelayer(STRANGER, 5, 1);
        delivery.setRelayer(STRANGER, 0, 1);
        delivery.setRelayer(STRANGER, 7, 1);
        delivery.setRelayer(STRANGER, 0, 0);
        address[] memory expected = new address[](3);
        (expected[0], expected[1], expected[2]) = (RELAYER, OTHER_RELAYER, STRANGER);
        vm.assertEq(abi.encode(delivery.relayerList()), abi.encode(expected));
        vm.assertEq(abi.encode(delivery.relayerLimit(STRANGER)), abi.encode(Delivery.Limit(true, 0, 0, 0, 0, 0, 0)));
        vm.assertEq(
            abi.encode(delivery.relayerLimit(RELAYER)), abi.encode(Delivery.Limit(true, AMPLE, AMPLE, AMPLE, 0, 0, 0))
        );
    }

    function test_AreAnnouncedWithTheTimeFromWhichOnTheyMayDeliver() public {
        vm.expectEmit(address(delivery));
        emit Delivery.RelayerSet(STRANGER, 5, 3, vm.getBlockTimestamp() + DELAY);
        delivery.setRelayer(STRANGER, 5, 3);
    }
}

contract PauseTest is World {
    function test_IsPossibleForTheOwnerAndEveryRelayerAndStopsDeliveries() public {
        address[3] memory accounts = [address(this), RELAYER, OTHER_RELAYER];
        for (uint256 i = 0; i < accounts.length; ++i) {
            vm.prank(accounts[i]);
            delivery.pause();
            vm.assertTrue(delivery.paused(), "it is paused");
            vm.expectRevert(PAUSED);
            deliverAs(RELAYER, list(anEdition()));
            vm.expectRevert(PAUSED);
            deliverAs(OTHER_RELAYER, list(anEdition()));
            delivery.unpause();
        }
    }

    function test_IsNotPossibleForOthers() public {
        delivery.setRelayer(STRANGER, 5, 5);
        delivery.setRelayer(RELAYER, 0, 0);
        // One is announced only, one was removed, one never was a relayer.
        address[3] memory accounts = [STRANGER, RELAYER, HOLDER];
        for (uint256 i = 0; i < accounts.length; ++i) {
            vm.prank(accounts[i]);
            vm.expectRevert(abi.encodePacked(Delivery.NotRelayer.selector));
            delivery.pause();
        }
    }

    function test_EndsWhenTheOwnerSaysSo() public {
        vm.prank(RELAYER);
        delivery.pause();
        delivery.unpause();
        vm.assertEq(deliver(anEdition()), "delivered");
    }

    function test_DoesNotStopRecordsFromBeingRead() public {
        Delivery.Item memory item = anEdition();
        deliver(item);
        delivery.pause();
        vm.assertEq(delivery.recordOf(item.key).blockNumber, vm.getBlockNumber());
    }
}

contract RetirementTest is World {
    function test_IsNotPossibleForRelayersAndStrangers() public {
        vm.prank(RELAYER);
        vm.expectRevert(abi.encodePacked(Delivery.NotGuardian.selector));
        delivery.retire();
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodePacked(Delivery.NotGuardian.selector));
        delivery.retire();
    }

    function test_OfARunningContractIsPermanent() public {
        assertPermanent();
    }

    function test_OfAPausedContractIsPermanent() public {
        delivery.pause();
        assertPermanent();
    }

    function assertPermanent() private {
        vm.expectEmit(address(delivery));
        emit Delivery.Retired();
        delivery.retire();
        vm.assertTrue(delivery.retired(), "it is retired");
        vm.expectRevert(PAUSED);
        deliver(anEdition());
        vm.expectRevert(abi.encodePacked(Delivery.AlreadyRetired.selector));
        delivery.unpause();
        vm.expectRevert(abi.encodePacked(Delivery.AlreadyRetired.selector));
        delivery.retire();
    }
}

contract SuccessorTest is World {
    function test_CannotBeDeployedWhileTheContractCanStillDeliver() public {
        vm.assertEq(failure(), abi.encodePacked(Delivery.PredecessorNotRetired.selector));
        delivery.pause();
        vm.assertEq(failure(), abi.encodePacked(Delivery.PredecessorNotRetired.selector));
    }

    function test_DeliversNoKeyThatAnEarlierContractHasUsedAndKnowsItsRecord() public {
        Delivery.Item memory delivered = anEdition();
        Delivery.Item memory cancelled = anEdition();
        Delivery.Item memory open = anEdition();
        deliver(delivered, aCancel(cancelled.key));
        Delivery first = delivery;
        succeed();
        succeed();
        wait(30);
        vm.assertEq(deliver(delivered, cancelled, open), "skipped skipped delivered");
        vm.assertEq(arrived(delivered) + arrived(cancelled) + arrived(open), 2);
        bytes32[] memory keys = new bytes32[](2);
        (keys[0], keys[1]) = (delivered.key, cancelled.key);
        (,, Record[] memory found) = delivery.records(keys);
        (,, Record[] memory original) = first.records(keys);
        vm.assertEq(abi.encode(found), abi.encode(original));
        vm.assertEq(abi.encode(delivery.recordOf(delivered.key)), abi.encode(original[0]));
    }

    function test_IsTheFifthContractAtMost() public {
        vm.assertEq(delivery.generation(), 1);
        for (uint256 generation = 2; generation <= 5; ++generation) {
            succeed();
            vm.assertEq(delivery.generation(), generation);
        }
        delivery.retire();
        vm.assertEq(failure(), abi.encodePacked(Delivery.TooManyPredecessors.selector));
    }

    /// @notice Why a successor cannot be deployed.
    function failure() private returns (bytes memory reason) {
        try this.deploySuccessor() {
            return "";
        } catch (bytes memory found) {
            return found;
        }
    }

    function deploySuccessor() external {
        deploy(address(delivery), DELAY, AMPLE, AMPLE);
    }
}
