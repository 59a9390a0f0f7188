// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The cheatcodes of Foundry that the tests use.
interface Vm {
    struct Gas {
        uint64 gasLimit;
        uint64 gasTotalUsed;
        uint64 gasMemoryUsed;
        int64 gasRefunded;
        uint64 gasRemaining;
    }

    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 privateKey) external pure returns (address);
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(uint256 left, uint256 right, string calldata message) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(string calldata left, string calldata right) external pure;
    function assertEq(bytes calldata left, bytes calldata right) external pure;
    function assertFalse(bool condition, string calldata message) external pure;
    function assertLe(uint256 left, uint256 right, string calldata message) external pure;
    function assertLt(uint256 left, uint256 right) external pure;
    function assertTrue(bool condition, string calldata message) external pure;
    function assume(bool condition) external pure;
    function contains(string calldata subject, string calldata search) external pure returns (bool);
    function deployCode(string calldata artifact, bytes calldata constructorArgs) external returns (address);
    function envOr(string calldata name, string calldata otherwise) external view returns (string memory);
    function etch(address target, bytes calldata code) external;
    function expectEmit(address emitter) external;
    function expectRevert(bytes calldata reason) external;
    function expectRevert() external;
    function getBlockNumber() external view returns (uint256);
    function getBlockTimestamp() external view returns (uint256);
    function getRecordedLogs() external returns (Log[] memory);
    function lastCallGas() external view returns (Gas memory);
    function parseJsonString(string calldata json, string calldata path) external pure returns (string memory);
    function prank(address sender) external;
    function readFile(string calldata path) external view returns (string memory);
    function recordLogs() external;
    function revertToState(uint256 id) external returns (bool);
    function roll(uint256 blockNumber) external;
    function snapshotGasLastCall(string calldata name) external returns (uint256);
    function snapshotState() external returns (uint256 id);
    function toString(bytes32 value) external pure returns (string memory);
    function txGasPrice(uint256 price) external;
    function warp(uint256 timestamp) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
