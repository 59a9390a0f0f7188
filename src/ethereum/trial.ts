/**
 * Tries deliveries in a node, and undoes them (`contracts/Trial.sol`). The token sees the same accounts
 * as in a delivery: the relayer sends the transaction, and the Delivery contract calls.
 */
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { trialAbi as abi, trialCode } from '../../contracts/trial.ts'
import type { ContractItem } from './contract.ts'
import { hex, read } from './requests.ts'
import type { Reply, RpcRequest } from './rpc.ts'

/** Who delivers. */
export type Deliverer = { relayer: Address; delivery: Address }

/** What a delivery would do. `isExact`: whether just these pieces arrive. */
export type TrialResult = { isAccepted: boolean; isExact: boolean; gasUsed: number; reason: Hex }

/** Gas of the whole call (EIP-7825). */
const CALL_GAS = 16_777_216

/** Items that can be tried in one call. A mint is tried twice, and the token is asked four times. */
export const itemsPerTrial = (gasPerItem: number): number =>
  Math.max(1, Math.floor(CALL_GAS / (2.1 * gasPerItem + 1_000_000)))

/** Tries items, each for itself, with this much gas for the call of the token. */
export const trialRequest = (
  { relayer, delivery }: Deliverer,
  items: readonly ContractItem[],
  gasPerItem: number,
): RpcRequest => ({
  method: 'eth_call',
  params: [
    {
      from: relayer,
      to: delivery,
      data: encodeFunctionData({ abi, functionName: 'run', args: [items, BigInt(gasPerItem)] }),
      gas: numberToHex(CALL_GAS),
    },
    'latest',
    { [delivery]: { code: trialCode } },
  ],
})

/**
 * Returns what the items would do. Null: the node does not tell. It may not support that code of an
 * account is replaced in `eth_call`.
 */
export function readTrial(reply: Reply, position = 0): TrialResult | null {
  const data = read(hex, reply)
  if (!data) return null
  try {
    const result = decodeFunctionResult({ abi, functionName: 'run', data })[position]
    return result?.isTold ? { ...result, gasUsed: Number(result.gasUsed) } : null
  } catch {
    return null
  }
}
