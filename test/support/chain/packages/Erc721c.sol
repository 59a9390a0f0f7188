// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721C} from "@limitbreak/creator-token-contracts/contracts/erc721c/ERC721C.sol";
import {
    ERC721OpenZeppelin
} from "@limitbreak/creator-token-contracts/contracts/token/erc721/ERC721OpenZeppelin.sol";
import {
    CreatorTokenTransferValidator
} from "@limitbreak/creator-token-contracts/contracts/utils/CreatorTokenTransferValidator.sol";

/// @notice A token of Limit Break with a validator of its own, which anybody may administer.
contract Erc721cToken is ERC721C {
    constructor() ERC721OpenZeppelin("ERC721-C", "C") {
        setTransferValidator(address(new CreatorTokenTransferValidator(address(this))));
    }

    function _requireCallerIsContractOwner() internal view override {}

    /// @notice Mints the token 0, and sets the security policy that Limit Break recommends.
    function mint(address to) external {
        _mint(to, 0);
        // An empty list would allow everybody.
        allow(address(this));
        setToCustomSecurityPolicy(DEFAULT_TRANSFER_SECURITY_LEVEL, DEFAULT_OPERATOR_WHITELIST_ID, 0);
    }

    /// @notice Lets an operator transfer tokens.
    function allow(address operator) public {
        getTransferValidator().addOperatorToWhitelist(DEFAULT_OPERATOR_WHITELIST_ID, operator);
    }
}
