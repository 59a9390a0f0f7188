// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery} from "../../contracts/Delivery.sol";
import {DearPredecessor} from "./fixtures/Chains.sol";
import {Hook, Recipient} from "./fixtures/Recipients.sol";
import {MaliciousToken} from "./fixtures/Tokens.sol";
import {vm} from "./Vm.sol";
import {World} from "./World.sol";

/// @notice What calls cost, in test/contracts/snapshots. Each call is a transaction of its own.
/// forge-config: default.isolate = true
contract GasTest is World {
    function snapshot(string memory name, Delivery.Item[] memory items) private {
        deliver(items);
        vm.snapshotGasLastCall(name);
    }

    /// @notice Pieces for one wallet, which has some already.
    function editions(uint256 count) private returns (Delivery.Item[] memory items) {
        items = new Delivery.Item[](count);
        for (uint256 i = 0; i < count; ++i) {
            items[i] = anEditionTo(STRANGER);
        }
    }

    function test_OfTransfers() public {
        snapshot("1 ERC-721 token", list(aUnique()));
        snapshot("1 ERC-1155 token", list(anEdition()));
        snapshot("1 cancel", list(aCancel(aKey())));
        snapshot("50 ERC-1155 tokens", editions(50));
    }

    function test_OfMints() public {
        allowToMint(AMPLE);
        snapshot("1 mint of ERC-721", list(aUniqueMint(100)));
        snapshot("1 mint of ERC-1155", list(anEditionMint(1)));
    }

    function test_OfASuccessor() public {
        for (uint256 i = 0; i < 4; ++i) {
            succeed();
        }
        snapshot("1 ERC-1155 token with 4 predecessors", list(anEdition()));
    }

    function test_OfAnItemHardlyDependsOnHowManyAreBeforeIt() public {
        deliver(editions(1));
        uint256 few = gasOf(50);
        uint256 some = gasOf(150);
        uint256 many = gasOf(250);
        // 100 items after 150 others, compared with 100 after 50.
        vm.assertLt(many - some, some - few + 100 * 60);
    }

    function gasOf(uint256 count) private returns (uint256) {
        deliver(editions(count));
        return vm.lastCallGas().gasTotalUsed;
    }
}

/// @notice With any gas, a call is reverted or has delivered items, and the rest is not reached.
/// forge-config: default.isolate = true
contract TooLittleGasTest is World {
    uint256 private constant MUCH_GAS = 16_000_000;

    Delivery.Item[] private items;
    uint256 private gasPerItem = GAS_PER_ITEM;
    uint256 private minimum = 1;

    /// @notice What becomes of the items with this gas. Nothing of it lasts.
    function tryWith(uint256 gas) private returns (string memory found) {
        bytes memory data = abi.encodeCall(Delivery.deliver, (items, minimum, gasPerItem, NEVER));
        uint256 state = vm.snapshotState();
        vm.prank(RELAYER);
        (bool ok, bytes memory answer) = address(delivery).call{gas: gas}(data);
        vm.revertToState(state);
        if (ok) return outcomes(abi.decode(answer, (Delivery.Result[])));
        if (answer.length == 0) return "no gas left";
        vm.assertEq(answer, abi.encodePacked(Delivery.OutOfGas.selector));
        return "out of gas";
    }

    function isTried(string memory found) private pure returns (bool) {
        vm.assertFalse(vm.contains(found, "failed"), "an item has failed");
        return vm.contains(found, "delivered");
    }

    function areDelivered(string memory found) private pure returns (bool) {
        return !vm.contains(found, "failed") && !vm.contains(found, "reached") && vm.contains(found, "delivered");
    }

    /// @notice Tries the items with more and more gas.
    function sweep(uint256 from, uint256 to, uint256 step) private {
        bool isEnough = false;
        for (uint256 gas = from; gas < to; gas += step) {
            bool isTriedNow = isTried(tryWith(gas));
            vm.assertTrue(isTriedNow || !isEnough, "with more gas than some, the call succeeds as well");
            isEnough = isTriedNow;
        }
        vm.assertTrue(isEnough && areDelivered(tryWith(to)), "with enough gas, all are delivered");
    }

    /// @notice Limits the gas of an item to the least with which all are delivered: with one unit less, one fails.
    function limitGasPerItem() private {
        uint256 tooLittle = 0;
        gasPerItem = 3_000_000;
        for (uint256 known = gasPerItem; known - tooLittle > 1;) {
            gasPerItem = (tooLittle + known) / 2;
            if (areDelivered(tryWith(MUCH_GAS))) known = gasPerItem;
            else tooLittle = gasPerItem;
        }
        gasPerItem = tooLittle + 1;
    }

    /// @notice The least gas with which an item is tried.
    function leastGas() private returns (uint256 known) {
        uint256 tooLittle = 0;
        known = MUCH_GAS;
        while (known - tooLittle > 1) {
            uint256 gas = (tooLittle + known) / 2;
            if (isTried(tryWith(gas))) known = gas;
            else tooLittle = gas;
        }
    }

    function assertTheFirstThatIsTriedHasItsWholeLimit() private {
        uint256 least = leastGas();
        for (uint256 more = 0; more < 400; more += 10) {
            vm.assertTrue(isTried(tryWith(least + more)), "the first item is delivered");
        }
    }

    /// @notice A successor of contracts that use this much gas together to look a key up.
    function succeedDear(uint256 predecessors, uint256 gasPerKey) private {
        delivery = deploy(address(new DearPredecessor(predecessors, gasPerKey)), DELAY, AMPLE, AMPLE);
    }

    function aRecipient(Hook.Answer answer) private returns (address) {
        Recipient recipient = new Recipient();
        recipient.setAnswer(answer);
        return address(recipient);
    }

    /// @notice Items in the state in which one needs most gas besides the call of its token.
    function prepare(uint256 predecessors, bool hasLimits, Hook.Answer answer) private {
        for (uint256 i = 0; i < predecessors; ++i) {
            succeed();
        }
        if (hasLimits) {
            // The token has a limit, and the first item stores two raises.
            delivery.setTokenLimit(address(edition), AMPLE, AMPLE);
            delivery.setTokenLimit(address(edition), AMPLE + 1, AMPLE);
            addRelayer(RELAYER, AMPLE + 1);
        }
        address to = aRecipient(answer);
        items.push(anEditionTo(to));
        items.push(anEdition());
        items.push(anEditionTo(to));
        limitGasPerItem();
    }

    function assertNoneFails(uint256 predecessors, bool hasLimits, Hook.Answer answer) private {
        prepare(predecessors, hasLimits, answer);
        uint256 enough = 3 * (gasPerItem + gasPerItem / 63 + 150_000) + predecessors * 60_000;
        sweep(21_000, enough, (enough / 150) | 1);
        assertTheFirstThatIsTriedHasItsWholeLimit();
    }

    function test_NeverMakesAnItemFail() public {
        assertNoneFails(0, false, Hook.Answer.Accept);
    }

    function test_NeverMakesAnItemFailWhoseTokenHasALimit() public {
        assertNoneFails(0, true, Hook.Answer.Accept);
    }

    function test_NeverMakesAnItemFailWithFourPredecessors() public {
        assertNoneFails(4, true, Hook.Answer.Accept);
    }

    function test_NeverMakesAnItemFailWithFourPredecessorsAndADearRecipient() public {
        assertNoneFails(4, true, Hook.Answer.AcceptAfterMuchGas);
    }

    function test_RevertsTheCallWhereAKeyCostsMoreThanTheContractExpects() public {
        succeedDear(1, 400_000);
        items.push(anEditionTo(aRecipient(Hook.Answer.AcceptAfterMuchGas)));
        items.push(anEdition());
        limitGasPerItem();
        for (uint256 gas = 100_000; gas < 5_000_000; gas += 150_053) {
            isTried(tryWith(gas));
        }
        vm.assertEq(tryWith(5_000_000), "delivered delivered");
        items.pop();
        assertTheFirstThatIsTriedHasItsWholeLimit();
    }

    function test_IsNotEnoughForAllPredecessorsSoThatTheItemsBeforeAreKept() public {
        succeedDear(4, 75_000);
        items.push(anEdition());
        items.push(anEdition());
        sweep(100_000, 1_000_000, 5003);
    }

    function test_UndoesACallThatReachesFewerItemsThanTheMinimum() public {
        items.push(anEdition());
        items.push(anEdition());
        items.push(anEdition());
        minimum = 2;
        uint256 gas = leastGas();
        vm.assertEq(tryWith(gas), "delivered delivered not reached");
        minimum = 3;
        vm.assertEq(tryWith(gas), "out of gas");
        vm.assertTrue(areDelivered(tryWith(MUCH_GAS)), "with enough gas, all are delivered");
    }

    function test_LastsForTheResultsOnceAnItemIsTriedHoweverExpensiveTheyAre() public {
        MaliciousToken token = new MaliciousToken();
        token.setAnswer(Hook.Answer.RevertWith100KB);
        uint256 most = delivery.MAX_ITEMS();
        for (uint256 i = 0; i < most; ++i) {
            items.push(anEditionOf(address(token)));
        }
        (minimum, gasPerItem) = (0, 40_000);
        uint256 counts = 0;
        uint256 last = 0;
        for (uint256 gas = 1_000_000; last < most; gas += 346_274) {
            uint256 count = this.countTried(gas);
            vm.assertLe(last, count, "with more gas, as many items are tried");
            if (count > last) ++counts;
            last = count;
        }
        vm.assertLt(50, counts);
    }

    /// @notice How many items fail with this gas. External, so that its memory is released.
    function countTried(uint256 gas) external returns (uint256 count) {
        bytes memory data = abi.encodeCall(Delivery.deliver, (items, minimum, gasPerItem, NEVER));
        vm.prank(RELAYER);
        (bool ok, bytes memory answer) = address(delivery).call{gas: gas}(data);
        if (!ok) return 0;
        Delivery.Result[] memory results = abi.decode(answer, (Delivery.Result[]));
        while (count < results.length && results[count].outcome == Delivery.Outcome.Failed) ++count;
    }
}
