// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Handler} from "./Handler.sol";

/// @notice What holds whatever is called by whomever in whatever order.
contract InvariantsTest {
    /// @dev As Foundry reads it.
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Handler private handler;

    function setUp() public {
        handler = new Handler();
        handler.setUp();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev Deliveries are more frequent than the rest.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[12] memory names = [
            Handler.deliver.selector,
            Handler.deliver.selector,
            Handler.deliver.selector,
            Handler.reorganise.selector,
            Handler.deliverWithRetired.selector,
            Handler.steal.selector,
            Handler.setRelayer.selector,
            Handler.setTokenLimit.selector,
            Handler.pause.selector,
            Handler.replace.selector,
            Handler.letTimePass.selector,
            Handler.restore.selector
        ];
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), new bytes4[](names.length));
        for (uint256 i = 0; i < names.length; ++i) {
            targets[0].selectors[i] = names[i];
        }
    }

    /// @dev One function, because Foundry makes all calls again for each.
    function invariant_HoldsWhateverIsCalled() external {
        handler.checkKeys();
        handler.checkLimits();
        handler.checkPieces();
    }

    function afterInvariant() external {
        handler.deliverTheRest(block.number);
    }
}
