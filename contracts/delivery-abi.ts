// biome-ignore-all format: written by contracts/compile.ts from contracts/Delivery.sol
/** The ABI of the Delivery contract, for viem. */
import { relayerAbi } from './relayer-abi.ts'

export const deliveryAbi = [
  ...relayerAbi,
  {"inputs":[{"name":"predecessor_","type":"address"},{"name":"delay_","type":"uint64"},{"name":"guardian_","type":"address"},{"components":[{"name":"relayer","type":"address"},{"name":"capacity","type":"uint64"},{"name":"perDay","type":"uint64"}],"name":"relayers_","type":"tuple[]"}],"stateMutability":"nonpayable","type":"constructor"},
  {"anonymous":false,"inputs":[{"indexed":true,"name":"previousOwner","type":"address"},{"indexed":true,"name":"newOwner","type":"address"}],"name":"OwnershipTransferStarted","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":true,"name":"previousOwner","type":"address"},{"indexed":true,"name":"newOwner","type":"address"}],"name":"OwnershipTransferred","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":false,"name":"account","type":"address"}],"name":"Paused","type":"event"},
  {"anonymous":false,"inputs":[],"name":"Retired","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":false,"name":"account","type":"address"}],"name":"Unpaused","type":"event"},
  {"inputs":[],"name":"MAX_ITEMS","outputs":[{"name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
  {"inputs":[],"name":"acceptOwnership","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"delay","outputs":[{"name":"","type":"uint64"}],"stateMutability":"view","type":"function"},
  {"inputs":[],"name":"generation","outputs":[{"name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
  {"inputs":[],"name":"guardian","outputs":[{"name":"","type":"address"}],"stateMutability":"view","type":"function"},
  {"inputs":[{"name":"token","type":"address"},{"name":"newOwner","type":"address"}],"name":"handOver","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"pause","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"name":"key","type":"bytes32"}],"name":"recordOf","outputs":[{"components":[{"name":"blockNumber","type":"uint64"},{"name":"contentHash","type":"bytes24"}],"name":"found","type":"tuple"}],"stateMutability":"view","type":"function"},
  {"inputs":[],"name":"renounceOwnership","outputs":[],"stateMutability":"pure","type":"function"},
  {"inputs":[],"name":"retire","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"name":"relayer","type":"address"},{"name":"capacity","type":"uint64"},{"name":"perDay","type":"uint64"}],"name":"setRelayer","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"name":"token","type":"address"},{"name":"capacity","type":"uint64"},{"name":"perDay","type":"uint64"}],"name":"setTokenLimit","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"name":"newOwner","type":"address"}],"name":"transferOwnership","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"unpause","outputs":[],"stateMutability":"nonpayable","type":"function"},
] as const
