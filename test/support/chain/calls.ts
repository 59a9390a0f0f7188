/** Calls of contracts as accounts that the node has unlocked. */
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem'
import { deliveryAbi } from '../../../contracts/delivery-abi.ts'
import { rpc } from './rpc.ts'

/** OpenZeppelin's presets, and URIs of fixtures. The seller may do all of this. */
const tokenAbi = parseAbi([
  'function setApprovalForAll(address operator, bool approved)',
  'function mint(address to)',
  'function mint(address to, uint256 id, uint256 amount, bytes data)',
  'function safeTransferFrom(address from, address to, uint256 id)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
  'function grantRole(bytes32 role, address account)',
  'function revokeRole(bytes32 role, address account)',
  'function pause()',
  'function unpause()',
  'function setURI(string uri)',
])

type Name<T extends Abi> = ContractFunctionName<T, 'nonpayable'>
type Args<T extends Abi, N extends Name<T>> = Extract<
  ContractFunctionArgs<T, 'nonpayable', N>,
  readonly unknown[]
>

/** Returns a function that calls functions of an ABI as an account. */
const callsOf =
  <const T extends Abi>(abi: T) =>
  (rpcUrl: string, from: Address, to: Address) =>
  <N extends Name<T>>(functionName: N, ...args: Args<T, N>): Promise<void> => {
    const call: { abi: Abi; functionName: string; args: readonly unknown[] } = {
      abi,
      functionName,
      args,
    }
    return send(rpcUrl, { from, to, data: encodeFunctionData(call) })
  }

export const deliveryCalls = callsOf(deliveryAbi)
export const tokenCalls = callsOf(tokenAbi)

/** Enough for every call. An estimate is too low if the call does more a second later. */
const GAS = '0x1e8480'

/** Where blocks are made by hand, the transaction waits for the next one. */
async function send(rpcUrl: string, call: { from: Address; to: Address; data: Hex }) {
  const hash = await rpc(rpcUrl, 'eth_sendTransaction', { ...call, gas: GAS })
  if (!(await rpc(rpcUrl, 'anvil_getAutomine'))) return
  for (let tries = 0; ; tries++) {
    const receipt = await rpc(rpcUrl, 'eth_getTransactionReceipt', hash)
    if (receipt && Object(receipt).status !== '0x1') throw new Error('the transaction reverted')
    if (receipt) return
    // Automatic mining sometimes leaves a transaction behind.
    if (tries > 50) await rpc(rpcUrl, 'anvil_mine', 1)
  }
}
