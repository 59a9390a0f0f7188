// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1155Base} from "@thirdweb-dev/contracts/base/ERC1155Base.sol";
import {ERC721Base} from "@thirdweb-dev/contracts/base/ERC721Base.sol";
import {TWProxy} from "@thirdweb-dev/contracts/infra/TWProxy.sol";
import {TokenERC721} from "@thirdweb-dev/contracts/prebuilts/token/TokenERC721.sol";

/// @notice A contract that extends thirdweb's base, of which anybody may mint.
contract ThirdwebToken is ERC721Base {
    constructor() ERC721Base(msg.sender, "thirdweb", "T", msg.sender, 0) {}

    /// @notice Mints the next token.
    function mint(address to) external {
        _safeMint(to, 1);
    }
}

/// @notice The same of ERC-1155.
contract ThirdwebEditionToken is ERC1155Base {
    constructor() ERC1155Base(msg.sender, "thirdweb", "T", msg.sender, 0) {}

    /// @notice Mints ten pieces of the token 0.
    function mint(address to) external {
        _mint(to, 0, 10, "");
    }
}

/// @notice The NFT collection of thirdweb's dashboard, which is its own administrator.
contract ThirdwebCollectionToken is TWProxy {
    constructor() TWProxy(address(new TokenERC721()), _initialize(address(this))) {}

    function _initialize(address admin) private pure returns (bytes memory) {
        address[] memory forwarders = new address[](0);
        return abi.encodeCall(
            TokenERC721.initialize,
            (admin, "thirdweb", "T", "", forwarders, admin, admin, 0, 0, admin)
        );
    }

    /// @notice Mints the next token.
    function mint(address to) external virtual {
        TokenERC721(address(this)).mintTo(to, "ipfs://token");
    }
}

/// @notice The same, and only who has a role may transfer its tokens.
contract ThirdwebRestrictedToken is ThirdwebCollectionToken {
    function mint(address to) external override {
        TokenERC721 token = TokenERC721(address(this));
        token.mintTo(to, "ipfs://token");
        token.revokeRole(keccak256("TRANSFER_ROLE"), address(0));
    }
}
