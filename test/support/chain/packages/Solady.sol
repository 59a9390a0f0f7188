// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "solady/src/tokens/ERC721.sol";

/// @notice The token of solady, of which anybody may mint any id.
contract SoladyToken is ERC721 {
    function name() public pure override returns (string memory) {
        return "solady";
    }

    function symbol() public pure override returns (string memory) {
        return "S";
    }

    function tokenURI(uint256) public pure override returns (string memory) {
        return "";
    }

    /// @notice Mints the token 0.
    function mint(address to) external {
        _mint(to, 0);
    }

    function safeMint(address to, uint256 id) external {
        _safeMint(to, id);
    }
}

/// @notice The same, and nobody can transfer it.
contract SoladySoulboundToken is SoladyToken {
    function _beforeTokenTransfer(address from, address, uint256) internal pure override {
        if (from != address(0)) revert NotOwnerNorApproved();
    }
}
