// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delivery, IPredecessor} from "./Delivery.sol";

/// @notice The Delivery contract with the code that is deployed: `foundry.toml` compiles this file, and
/// what it imports, with the optimizer. Tests import only the types.
contract Deployed is Delivery {
    constructor(IPredecessor predecessor, uint64 delay, address guardian, RelayerLimit[] memory relayers)
        Delivery(predecessor, delay, guardian, relayers)
    {}
}
