// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721A} from "erc721a/contracts/ERC721A.sol";

/// @notice ERC721A, of which anybody may mint any number.
contract Erc721aToken is ERC721A {
    constructor() ERC721A("ERC721A", "A") {}

    /// @notice Mints a batch.
    function mint(address to) external {
        _mint(to, 700);
    }

    function safeMint(address to, uint256 quantity) external {
        _safeMint(to, quantity);
    }
}
