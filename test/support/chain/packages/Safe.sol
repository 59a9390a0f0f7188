// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Safe} from "@safe-global/safe-smart-account/contracts/Safe.sol";
import {
    CompatibilityFallbackHandler
} from "@safe-global/safe-smart-account/contracts/handler/CompatibilityFallbackHandler.sol";
import {SafeProxy} from "@safe-global/safe-smart-account/contracts/proxies/SafeProxy.sol";
import {
    SafeProxyFactory
} from "@safe-global/safe-smart-account/contracts/proxies/SafeProxyFactory.sol";

/// @notice A Safe whose owner has set no handler for callbacks.
contract SafeWithoutHandler is SafeProxy {
    constructor() SafeProxy(address(new Safe())) {
        address[] memory owners = new address[](1);
        owners[0] = msg.sender;
        address none = address(0);
        bytes memory setup =
            abi.encodeCall(Safe.setup, (owners, 1, none, "", _handler(), none, 0, payable(none)));
        (bool ok,) = singleton.delegatecall(setup);
        require(ok);
    }

    function _handler() internal virtual returns (address) {
        return address(0);
    }
}

/// @notice A Safe as its app makes it.
contract SafeWallet is SafeWithoutHandler {
    function _handler() internal override returns (address) {
        return address(new CompatibilityFallbackHandler());
    }
}

/// @notice Deploys Safes as their app does.
contract SafeFactory is SafeProxyFactory {
    Safe public immutable safe = new Safe();
    CompatibilityFallbackHandler public immutable handler = new CompatibilityFallbackHandler();
}
