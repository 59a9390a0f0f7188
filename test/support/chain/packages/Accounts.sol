// SPDX-License-Identifier: GPL-3.0
pragma solidity 0.8.37;

import {SimpleAccount} from "@account-abstraction/contracts/samples/SimpleAccount.sol";
import {SimpleAccountFactory} from "@account-abstraction/contracts/samples/SimpleAccountFactory.sol";
import {IEntryPoint} from "@account-abstraction/contracts/interfaces/IEntryPoint.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice SimpleAccount with the signatures of contracts (ERC-1271), as wallets that extend it have.
contract SigningAccount is SimpleAccount {
    constructor() SimpleAccount(IEntryPoint(msg.sender)) {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return ECDSA.recover(hash, signature) == owner ? this.isValidSignature.selector : bytes4(0);
    }
}

/// @notice The factory as it is. The test replaces the code of its implementation.
contract AccountFactory is SimpleAccountFactory {
    SigningAccount public immutable signingAccount = new SigningAccount();

    constructor() SimpleAccountFactory(IEntryPoint(msg.sender)) {}
}
