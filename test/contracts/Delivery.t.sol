// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery, Record} from "../../contracts/Delivery.sol";
import {Hook, Recipient} from "./fixtures/Recipients.sol";
import {Vm, vm} from "./Vm.sol";
import {World} from "./World.sol";

contract ItemTest is World {
    function expectDelivered(Delivery.Item memory item, address relayer) private {
        vm.expectEmit(address(delivery));
        emit Delivery.Delivered(item.key, relayer, item.token, item.from, item.to, item.tokenId, item.amount);
    }

    function test_IsDeliveredAsErc721OrErc1155() public {
        Delivery.Item memory one = aUnique();
        Delivery.Item memory seven = anEdition(7);
        expectDelivered(one, RELAYER);
        expectDelivered(seven, RELAYER);
        vm.assertEq(deliver(one, seven), "delivered delivered");
        vm.assertEq(arrived(one), 1);
        vm.assertEq(arrived(seven), 7);
    }

    function test_IsLoggedWithItsRelayer() public {
        Delivery.Item memory item = anEdition(7);
        expectDelivered(item, OTHER_RELAYER);
        deliverAs(OTHER_RELAYER, list(item));
    }

    function test_IsDeliveredToAWalletWithCode() public {
        Delivery.Item memory item = aUnique();
        item.to = address(new Recipient());
        vm.assertEq(deliver(item, anEditionTo(item.to)), "delivered delivered");
    }

    function testFuzz_LeavesARecordOfItsBlockAndContent(bytes32 key, uint256 id, uint32 amount, uint64 number) public {
        vm.assume(amount > 0 && amount <= AMPLE && number > 0);
        edition.mint(HOLDER, id, amount, "");
        Delivery.Item memory item = Delivery.Item(key, address(edition), HOLDER, aWallet(), id, amount);
        vm.roll(number);
        deliver(item);
        vm.roll(uint256(number) + 3);
        assertRecord(key, number, bytes24(keccak256(abi.encode(edition, item.to, id, amount))));
    }

    function test_RecordsAreReadWithTheBlockThatHasThem() public {
        Delivery.Item memory item = anEdition();
        deliver(item);
        wait(30);
        bytes32[] memory keys = new bytes32[](2);
        (keys[0], keys[1]) = (item.key, "unused");
        (uint256 number, uint256 time, Record[] memory found) = delivery.records(keys);
        vm.assertEq(number, vm.getBlockNumber());
        vm.assertEq(time, vm.getBlockTimestamp());
        vm.assertEq(found[0].blockNumber, number - 1);
        vm.assertEq(abi.encode(found[0]), abi.encode(delivery.recordOf(item.key)));
        vm.assertEq(abi.encode(found[1]), abi.encode(Record(0, 0)));
    }

    function test_SaysHowMuchGasTheTokenUsed() public {
        Delivery.Result[] memory results = deliver(list(anEdition()));
        uint256 all = vm.lastCallGas().gasTotalUsed;
        vm.assertLt(25_000, results[0].gasUsed);
        vm.assertLt(results[0].gasUsed, all - 20_000);
    }

    /// @notice What becomes of an item depends on itself alone, whatever is before and after it.
    function testFuzz_FailsAlone(uint8[12] calldata kinds) public {
        Recipient refusing = new Recipient();
        refusing.setAnswer(Hook.Answer.Refuse);
        Recipient burning = new Recipient();
        burning.setAnswer(Hook.Answer.BurnAllGas);
        Delivery.Item[] memory items = new Delivery.Item[](kinds.length);
        string[8] memory outcomeOf =
            ["delivered", "delivered", "cancelled", "skipped", "failed", "failed", "failed", "failed"];
        items[0] = anEdition();
        string memory expected = "delivered";
        for (uint256 i = 1; i < kinds.length; ++i) {
            uint256 kind = kinds[i] % 8;
            items[i] = kind == 1 ? aUnique() : kind == 2 ? aCancel(aKey()) : anEdition();
            if (kind == 3) items[i].key = items[0].key;
            if (kind == 4) items[i].to = address(refusing);
            if (kind == 5) items[i].to = address(burning);
            if (kind == 6) items[i].token = STRANGER;
            if (kind == 7) items[i].from = OTHER_HOLDER;
            expected = string.concat(expected, " ", outcomeOf[kind]);
        }
        vm.assertEq(outcomes(deliver(items)), expected);
    }
}

contract KeyTest is World {
    function test_DeliversOnceInABatch() public {
        Delivery.Item memory item = anEdition();
        Delivery.Item memory other = anEdition();
        other.key = item.key;
        vm.assertEq(deliver(item, item, other), "delivered skipped skipped");
        vm.assertEq(arrived(item), 1);
        vm.assertEq(arrived(other), 0);
    }

    function test_DeliversOnceOverTransactionsRelayersAndContents() public {
        Delivery.Item memory item = anEdition();
        Delivery.Item memory other = aUnique();
        other.key = item.key;
        deliver(item);
        vm.recordLogs();
        vm.assertEq(deliverAs(RELAYER, list(item, other)), "skipped skipped");
        vm.assertEq(deliverAs(OTHER_RELAYER, list(item, other)), "skipped skipped");
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(arrived(item), 1);
        vm.assertEq(arrived(other), 0);
    }

    function test_CanBeTriedAgainAfterAFailure() public {
        Delivery.Item memory item = anEdition(1_000_001);
        vm.assertEq(deliver(item), "failed");
        assertRecord(item.key, 0, 0);
        Delivery.Item memory affordable = anEdition(1_000_000);
        affordable.key = item.key;
        vm.assertEq(deliver(item, affordable), "failed delivered");
    }

    function test_IsUsedUpByACancelWhichTransfersNothing() public {
        Delivery.Item memory item = anEdition();
        vm.recordLogs();
        vm.assertEq(deliver(aCancel(item.key), item, aCancel(item.key)), "cancelled skipped skipped");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(abi.encodePacked(logs[0].topics), abi.encode(Delivery.Cancelled.selector, item.key));
        assertRecord(item.key, vm.getBlockNumber(), 0);
        vm.assertEq(deliver(item), "skipped");
        vm.assertEq(arrived(item), 0);
    }

    function test_CannotBeCancelledAfterItsDelivery() public {
        Delivery.Item memory item = anEdition();
        deliver(item);
        bytes memory record = abi.encode(delivery.recordOf(item.key));
        wait(30);
        vm.assertEq(deliver(aCancel(item.key)), "skipped");
        vm.assertEq(abi.encode(delivery.recordOf(item.key)), record);
    }
}

contract ApprovalTest is World {
    function test_AHolderWithoutApprovalKeepsItsTokens() public {
        Delivery.Item memory ofOther = anEdition();
        ofOther.from = OTHER_HOLDER;
        Delivery.Item memory uniqueOfOther = aUnique();
        (uniqueOfOther.from, uniqueOfOther.tokenId) = (OTHER_HOLDER, 1);
        Delivery.Item[] memory items = list(ofOther, uniqueOfOther, anEdition());
        Delivery.Result[] memory results = deliver(items);
        vm.assertEq(outcomes(results), "failed failed delivered");
        for (uint256 i = 0; i < 2; ++i) {
            vm.assertTrue(vm.contains(string(results[i].reason), "approved"), "the token's own reason");
            vm.assertEq(arrived(items[i]), 0);
        }
    }

    function test_CountsNoMoreOnceItIsTakenBack() public {
        Delivery.Item memory first = anEdition();
        Delivery.Item memory second = aUnique();
        approve(address(delivery), false);
        vm.assertEq(deliver(first, second), "failed failed");
        approve(address(delivery), true);
        vm.assertEq(deliver(first, second), "delivered delivered");
    }

    function test_IsOfTheOwnTokensOfAHolder() public {
        Delivery.Item memory item = aUnique();
        item.tokenId = 1;
        vm.assertEq(deliver(item), "failed");
        vm.assertEq(unique.ownerOf(1), OTHER_HOLDER);
    }
}

contract TokenWithoutCodeTest is World {
    function test_FailsAlone() public {
        address[2] memory tokens = [STRANGER, address(4)];
        for (uint256 i = 0; i < tokens.length; ++i) {
            Delivery.Item memory item = anEditionOf(tokens[i]);
            vm.expectEmit(address(delivery));
            emit Delivery.DeliveryFailed(item.key, 0, abi.encodePacked(Delivery.TokenHasNoCode.selector));
            Delivery.Result[] memory results = deliver(list(item, anEdition()));
            assertRefused(results[0], Delivery.TokenHasNoCode.selector);
            vm.assertEq(outcomes(results), "failed delivered");
            assertRecord(item.key, 0, 0);
        }
    }

    function test_IsNotTheContractItselfWhichFailsAllTheSame() public {
        vm.assertEq(deliver(anEditionOf(address(delivery))), "failed");
    }
}

contract CallTest is World {
    function test_HasAnEffectUpToItsDeadlineAndNoneAfterIt() public {
        Delivery.Item[] memory items = list(anEdition());
        uint256 deadline = vm.getBlockTimestamp() + 100;
        vm.warp(deadline + 1);
        vm.expectRevert(abi.encodePacked(Delivery.Expired.selector));
        vm.prank(RELAYER);
        delivery.deliver(items, 1, GAS_PER_ITEM, deadline);
        vm.warp(deadline);
        vm.prank(RELAYER);
        vm.assertEq(outcomes(delivery.deliver(items, 1, GAS_PER_ITEM, deadline)), "delivered");
    }

    function test_HasAtMostMaxItems() public {
        uint256 most = delivery.MAX_ITEMS();
        Delivery.Item[] memory items = new Delivery.Item[](most + 1);
        for (uint256 i = 0; i <= most; ++i) {
            items[i] = aCancel(aKey());
        }
        vm.expectRevert(abi.encodePacked(Delivery.TooManyItems.selector));
        deliver(items);
        assembly {
            mstore(items, most)
        }
        Delivery.Result[] memory results = deliver(items);
        for (uint256 i = 0; i < most; ++i) {
            vm.assertEq(uint256(results[i].outcome), uint256(Delivery.Outcome.Cancelled));
        }
    }

    function test_MayBeEmpty() public {
        vm.assertEq(deliver(new Delivery.Item[](0)).length, 0);
    }

    function test_IsRevertedWhenItsGasLimitForAnItemExceedsAllNumbers() public {
        uint256[2] memory limits = [type(uint256).max, 1 << 255];
        for (uint256 i = 0; i < limits.length; ++i) {
            Delivery.Item[] memory items = list(anEdition());
            vm.prank(RELAYER);
            vm.expectRevert();
            delivery.deliver(items, 1, limits[i], NEVER);
        }
    }
}

/// @notice Tests deploy contracts/Delivery.json. `npm run contract:compile` makes it from the source.
contract ArtifactTest {
    function test_IsOfTheSource() public view {
        string memory json = vm.readFile("contracts/Delivery.json");
        string memory stored = vm.parseJsonString(json, "$.sourcesSha256['contracts/Delivery.sol']");
        string memory source = vm.readFile("contracts/Delivery.sol");
        vm.assertEq(vm.toString(sha256(bytes(source))), string.concat("0x", stored));
    }
}
