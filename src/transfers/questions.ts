/** The questions that a node is asked (Ethereum JSON-RPC), and the shapes of its answers. */
import type { Address, Hex } from 'viem'
import * as z from 'zod'
import type { Question, Reply } from './rpc.ts'
import type { Call } from './token.ts'

type Height = 'latest' | number

const at = (height: Height) => (height === 'latest' ? height : hexOf(height))
const hexOf = (value: number): Hex => `0x${value.toString(16)}`

export const chainIdOf = (): Question => ({ method: 'eth_chainId', params: [] })
export const tipOf = (): Question => ({ method: 'eth_maxPriorityFeePerGas', params: [] })
export const balanceOf = (address: Address): Question => ({
  method: 'eth_getBalance',
  params: [address, 'latest'],
})
/** Transactions that the address has in blocks up to that height: its next nonce. */
export const countOf = (address: Address, height: Height): Question => ({
  method: 'eth_getTransactionCount',
  params: [address, at(height)],
})
export const blockAt = (height: Height, withTransactions = false): Question => ({
  method: 'eth_getBlockByNumber',
  params: [at(height), withTransactions],
})
export const receiptOf = (hash: Hex): Question => ({
  method: 'eth_getTransactionReceipt',
  params: [hash],
})
export const gasOf = (from: Address, { to, data }: Call): Question => ({
  method: 'eth_estimateGas',
  params: [{ from, to, data }, 'latest'],
})
/** A transaction again, on the state that its block has left behind. */
export const replayOf = (
  { signer, gas }: { signer: Address; gas: string },
  { to, data }: Call,
  height: number,
): Question => ({
  method: 'eth_call',
  params: [{ from: signer, to, data, gas: `0x${BigInt(gas).toString(16)}` }, at(height)],
})
export const broadcastOf = (raw: Hex): Question => ({
  method: 'eth_sendRawTransaction',
  params: [raw],
})

export const wei = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform((hex) => BigInt(hex))
export const integer = wei.transform(Number)
const hex = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value))

export const block = z.object({ number: integer, hash: hex })
export const latestBlock = block.extend({ baseFeePerGas: wei })
export const fullBlock = z.object({
  transactions: z.array(z.object({ hash: hex, from: hex, nonce: integer })),
})
export const receipt = z.object({
  transactionHash: hex,
  blockNumber: integer,
  blockHash: hex,
  status: integer,
})

/** The result, if there is one of that shape. */
export function read<T extends z.ZodType>(shape: T, reply: Reply): z.infer<T> | null {
  if (!('result' in reply)) return null
  const { success, data } = shape.safeParse(reply.result)
  return success ? data : null
}
