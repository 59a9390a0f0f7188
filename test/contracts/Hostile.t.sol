// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery} from "../../contracts/Delivery.sol";
import {Hook, Recipient} from "./fixtures/Recipients.sol";
import {AcceptsEverything, MaliciousToken} from "./fixtures/Tokens.sol";
import {Vm, vm} from "./Vm.sol";
import {World} from "./World.sol";

abstract contract HostileWorld is World {
    /// @dev More gas than an item takes besides the call of its token.
    uint256 private constant AROUND_CALL = 35_000;
    /// @dev More gas than a call of `deliver` takes besides its items.
    uint256 private constant AROUND_ITEMS = 40_000;

    Recipient internal recipient;
    MaliciousToken internal token;

    function setUp() public virtual override {
        super.setUp();
        recipient = new Recipient();
        token = new MaliciousToken();
        vm.txGasPrice(1 gwei);
    }

    /// @notice Puts an item between honest ones, and checks that these are delivered and it is bounded.
    function deliverAmongHonest(Delivery.Item memory hostile) internal returns (string memory) {
        Delivery.Item[] memory items = new Delivery.Item[](5);
        (items[0], items[1], items[2]) = (anEdition(), aUnique(), hostile);
        (items[3], items[4]) = (anEdition(), aUnique());
        Delivery.Result[] memory results = deliver(items);
        uint256 gasAround = vm.lastCallGas().gasTotalUsed;
        for (uint256 i = 0; i < items.length; ++i) {
            gasAround -= results[i].gasUsed;
            if (i == 2) continue;
            vm.assertEq(uint256(results[i].outcome), uint256(Delivery.Outcome.Delivered));
            vm.assertEq(arrived(items[i]), 1);
        }
        vm.assertLt(gasAround, 5 * AROUND_CALL + AROUND_ITEMS);
        vm.assertLt(results[2].gasUsed, GAS_PER_ITEM + 3000);
        vm.assertLt(results[2].reason.length, 257);
        bool isDelivered = results[2].outcome == Delivery.Outcome.Delivered;
        vm.assertTrue(isUsed(hostile) == isDelivered, "a key is used by a delivery");
        return isDelivered ? "delivered" : "failed";
    }
}

contract HostileRecipientTest is HostileWorld {
    function assertOutcome(Hook.Answer answer, string memory outcome) private {
        recipient.setAnswer(answer);
        Delivery.Item memory item = aUnique();
        item.to = address(recipient);
        uint256 pieces = edition.balanceOf(item.to, 1);
        vm.assertEq(deliverAmongHonest(item), outcome);
        vm.assertEq(deliverAmongHonest(anEditionTo(item.to)), outcome);
        bool hasArrived = keccak256(bytes(outcome)) == keccak256("delivered");
        vm.assertEq(arrived(item), hasArrived ? 1 : 0);
        vm.assertEq(edition.balanceOf(item.to, 1), hasArrived ? pieces + 1 : pieces);
    }

    function test_ThatAcceptsGetsIt() public {
        assertOutcome(Hook.Answer.Accept, "delivered");
    }

    function test_ThatRefuses() public {
        assertOutcome(Hook.Answer.Refuse, "failed");
    }

    function test_ThatBurnsAllGas() public {
        assertOutcome(Hook.Answer.BurnAllGas, "failed");
    }

    function test_ThatRevertsWith100KB() public {
        assertOutcome(Hook.Answer.RevertWith100KB, "failed");
    }

    function test_ThatReturns100KB() public {
        assertOutcome(Hook.Answer.Return100KB, "failed");
    }

    function test_ThatIsCheapOnlyInACallWithoutAGasPrice() public {
        assertOutcome(Hook.Answer.BurnGasUnlessFree, "failed");
        vm.txGasPrice(0);
        assertOutcome(Hook.Answer.BurnGasUnlessFree, "delivered");
    }

    function test_CannotPauseWithTheRightsOfTheRelayerThatCalled() public {
        recipient.addCall(address(delivery), abi.encodeCall(Delivery.pause, ()));
        vm.assertEq(deliver(anEditionTo(address(recipient))), "delivered");
        vm.assertEq(recipient.succeeded(), 0);
        vm.assertFalse(delivery.paused(), "it is not paused");
    }

    function test_CannotUseTheApprovalOfTheHolder() public {
        recipient.addCall(
            address(edition), abi.encodeCall(edition.safeTransferFrom, (HOLDER, address(recipient), 1, 1000, ""))
        );
        vm.assertEq(deliver(anEditionTo(address(recipient))), "delivered");
        vm.assertEq(recipient.succeeded(), 0);
        vm.assertEq(edition.balanceOf(address(recipient), 1), 1);
    }
}

contract MaliciousTokenTest is HostileWorld {
    function assertOutcome(Hook.Answer answer, string memory outcome) private {
        token.setAnswer(answer);
        delivery.setTokenLimit(address(token), 10, 0);
        Delivery.Item[4] memory items = [anEdition(), aUnique(), anEditionMint(2), aUniqueMint(100)];
        for (uint256 i = 0; i < items.length; ++i) {
            items[i].token = address(token);
            vm.assertEq(deliverAmongHonest(items[i]), outcome);
        }
        // Only what counts as delivered is charged.
        vm.assertEq(availableOf(address(token)), keccak256(bytes(outcome)) == keccak256("delivered") ? 5 : 10);
    }

    function test_ThatAcceptsMovesNothingOfOthers() public {
        assertOutcome(Hook.Answer.Accept, "delivered");
    }

    function test_ThatRefuses() public {
        assertOutcome(Hook.Answer.Refuse, "failed");
    }

    function test_ThatBurnsAllGas() public {
        assertOutcome(Hook.Answer.BurnAllGas, "failed");
    }

    function test_ThatRevertsWith100KB() public {
        assertOutcome(Hook.Answer.RevertWith100KB, "failed");
    }

    function test_ThatReturns100KB() public {
        assertOutcome(Hook.Answer.Return100KB, "delivered");
    }

    function test_ThatIsCheapOnlyInACallWithoutAGasPrice() public {
        assertOutcome(Hook.Answer.BurnGasUnlessFree, "failed");
    }

    function test_MayLie() public {
        token.setLies(true);
        vm.recordLogs();
        vm.assertEq(deliverAmongHonest(anEditionOf(address(token))), "delivered");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 count = 0;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter == address(token)) ++count;
        }
        vm.assertEq(count, 1);
    }

    function test_MayBeNoTokenAtAllAndAcceptEveryCall() public {
        vm.assertEq(deliverAmongHonest(anEditionOf(address(new AcceptsEverything()))), "delivered");
    }

    function test_IsToldByTheFirst256BytesOfItsReason() public {
        vm.assertEq(reasonOf(Hook.Answer.Refuse), abi.encodeWithSignature("Error(string)", "refused"));
        vm.assertEq(reasonOf(Hook.Answer.RevertWith100KB).length, 256);
    }

    /// @notice The reason of an item that fails, which its result and its event tell.
    function reasonOf(Hook.Answer answer) private returns (bytes memory) {
        token.setAnswer(answer);
        Delivery.Item memory item = anEditionOf(address(token));
        vm.recordLogs();
        Delivery.Result[] memory results = deliver(list(item));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(abi.encodePacked(logs[0].topics), abi.encode(Delivery.DeliveryFailed.selector, item.key));
        vm.assertEq(logs[0].data, abi.encode(results[0].gasUsed, results[0].reason));
        return results[0].reason;
    }
}

contract ReenteringTest is HostileWorld {
    Delivery.Item private own;
    Delivery.Item private later;
    Delivery.Item private extra;

    function setUp() public override {
        super.setUp();
        own = anEditionTo(address(recipient));
        later = aUnique();
        extra = anEdition();
        // The recipient asks for these when it gets a token.
        recipient.addCall(address(delivery), callOf(list(own, later, extra)));
    }

    /// @notice Delivers with room for a batch within an item.
    function deliverWithRoom(Delivery.Item[] memory items) private returns (string memory) {
        vm.prank(RELAYER);
        return outcomes(delivery.deliver(items, items.length, 3_000_000, NEVER));
    }

    function test_ThroughARecipientThatIsARelayerDeliversEachKeyOnce() public {
        addRelayer(address(recipient), 100);
        vm.assertEq(deliverWithRoom(list(own, later)), "delivered skipped");
        vm.assertEq(recipient.succeeded(), 1);
        vm.assertEq(arrived(own), 1);
        vm.assertEq(arrived(later), 1);
        vm.assertEq(arrived(extra), 1);
        // It is charged to the one that reenters, and not to the one that called.
        vm.assertEq(availableTo(address(recipient)), 98);
        vm.assertEq(availableTo(RELAYER), AMPLE - 1);
    }

    function test_AndFailingAfterwardsUndoesWhatWasDeliveredAndChargedWithin() public {
        addRelayer(address(recipient), 100);
        recipient.setAnswer(Hook.Answer.Refuse);
        vm.assertEq(deliverWithRoom(list(own, later)), "failed delivered");
        vm.assertEq(arrived(own), 0);
        vm.assertEq(arrived(later), 1);
        vm.assertEq(arrived(extra), 0);
        vm.assertFalse(isUsed(own) || isUsed(extra), "the keys are unused");
        vm.assertEq(availableTo(address(recipient)), 100);
    }

    function test_ThroughARecipientThatIsNoRelayerDeliversNothing() public {
        vm.assertEq(deliverWithRoom(list(own)), "delivered");
        vm.assertEq(recipient.succeeded(), 0);
        vm.assertEq(arrived(own), 1);
        vm.assertEq(arrived(extra), 0);
    }

    function test_ThroughATokenAndAColludingRelayerDeliversEachKeyOnce() public {
        addRelayer(address(recipient), 100);
        Delivery.Item memory bait = anEditionOf(address(token));
        token.addCall(
            address(recipient), abi.encodeCall(Hook.run, (address(delivery), callOf(list(bait, later, bait))))
        );
        vm.assertEq(deliverWithRoom(list(bait, later)), "delivered skipped");
        vm.assertEq(token.succeeded(), 1);
        vm.assertEq(arrived(later), 1);
    }

    function test_CannotGetAroundTheLimit() public {
        addRelayer(address(recipient), 2);
        recipient.run(address(delivery), abi.encodeCall(Delivery.deliver, (list(own), 1, 3_000_000, NEVER)));
        vm.assertEq(recipient.succeeded(), 1);
        vm.assertEq(arrived(own) + arrived(later) + arrived(extra), 2);
        vm.assertEq(availableTo(address(recipient)), 0);
    }

    function test_LetsARelayerPauseInTheMiddleOfABatchWhoseRestIsNotReached() public {
        Recipient pausing = new Recipient();
        addRelayer(address(pausing), 1);
        pausing.addCall(address(delivery), abi.encodeCall(Delivery.pause, ()));
        Delivery.Item[] memory items = list(anEditionTo(address(pausing)), extra);
        vm.prank(RELAYER);
        vm.assertEq(outcomes(delivery.deliver(items, 1, GAS_PER_ITEM, NEVER)), "delivered not reached");
        vm.expectRevert("Pausable: paused");
        deliver(extra);
    }

    function test_LetsAnOwnerRetireTheContractInTheMiddleOfABatchWhoseRestIsNotReached() public {
        Recipient owner = new Recipient();
        delivery.transferOwnership(address(owner));
        owner.addCall(address(delivery), abi.encodeWithSignature("acceptOwnership()"));
        owner.addCall(address(delivery), abi.encodeCall(Delivery.retire, ()));
        Delivery.Item[] memory items = list(anEdition(), anEditionTo(address(owner)), extra);
        vm.prank(RELAYER);
        vm.assertEq(outcomes(delivery.deliver(items, 2, GAS_PER_ITEM, NEVER)), "delivered delivered not reached");
        vm.assertTrue(delivery.retired(), "it is retired");
        vm.assertEq(arrived(items[0]) + arrived(items[1]), 2);
        vm.assertEq(arrived(extra), 0);
        vm.assertFalse(isUsed(extra), "its key is unused");
    }
}
