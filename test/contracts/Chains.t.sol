// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery} from "../../contracts/Delivery.sol";
import {ArbSys} from "./fixtures/Chains.sol";
import {vm} from "./Vm.sol";
import {World} from "./World.sol";

contract BlockNumberTest is World {
    /// @dev Where Arbitrum chains have ArbSys.
    address private constant ARB_SYS = address(100);

    /// @notice How far the block numbers of a contract that is deployed now are from those of the chain.
    function offset() private returns (uint256) {
        delivery = deploy(address(0), DELAY, AMPLE, AMPLE);
        Delivery.Item memory item = anEdition();
        vm.assertEq(deliver(item), "delivered");
        (uint256 number,,) = delivery.records(new bytes32[](0));
        vm.assertEq(delivery.recordOf(item.key).blockNumber, number);
        return number - vm.getBlockNumber();
    }

    function test_IsThatOfTheBlockOnMostChains() public {
        vm.assertEq(offset(), 0);
    }

    function test_IsThatOfArbSysOnArbitrumChains() public {
        vm.etch(ARB_SYS, address(new ArbSys()).code);
        vm.assertEq(offset(), 1_000_000);
    }

    function test_IsThatOfTheBlockIfTheAddressBurnsTheGasItGetsAsOnBnbSmartChain() public {
        vm.etch(ARB_SYS, hex"fe");
        this.deployWithLittleGas{gas: 16_000_000}();
        vm.assertEq(offset(), 0);
    }

    function deployWithLittleGas() external {
        deploy(address(0), DELAY, AMPLE, AMPLE);
    }

    function test_IsThatOfTheBlockIfTheAddressReverts() public {
        vm.etch(ARB_SYS, hex"60206000fd");
        vm.assertEq(offset(), 0);
    }

    function test_IsThatOfTheBlockIfTheAddressAnswersWithLessThanANumber() public {
        vm.etch(ARB_SYS, hex"60016000f3");
        vm.assertEq(offset(), 0);
    }
}
