/**
 * Tries deliveries in a node, and undoes them (`contracts/Trial.sol`). The token sees the same accounts
 * as in a delivery: the relayer sends the transaction, and the Delivery contract calls.
 */
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { trialAbi as abi, trialCode } from '../../contracts/trial.ts'
import type { ContractItem } from './contract.ts'
import { hex, read } from './requests.ts'
import type { Reply, RpcRequest } from './rpc.ts'

export type Deliverer = { relayer: Address; delivery: Address }

/** What a delivery would do. `isExact`: whether just these pieces arrive. */
export type TrialResult = { isAccepted: boolean; isExact: boolean; gasUsed: number; reason: Hex }

/** Gas of the whole call (EIP-7825). */
const CALL_GAS = numberToHex(16_777_216)

/** Tries an item with this much gas for the call of the token. */
export const trialRequest = (
  { relayer, delivery }: Deliverer,
  item: ContractItem,
  gasPerItem: number,
): RpcRequest => ({
  method: 'eth_call',
  params: [
    {
      from: relayer,
      to: delivery,
      data: encodeFunctionData({ abi, functionName: 'run', args: [item, BigInt(gasPerItem)] }),
      gas: CALL_GAS,
    },
    'latest',
    { [delivery]: { code: trialCode } },
  ],
})

/** Returns null if the node does not tell: not every node can replace the code of an account. */
export function readTrial(reply: Reply): TrialResult | null {
  const data = read(hex, reply)
  if (!data) return null
  try {
    const result = decodeFunctionResult({ abi, functionName: 'run', data })
    return result.isTold ? { ...result, gasUsed: Number(result.gasUsed) } : null
  } catch {
    return null
  }
}
