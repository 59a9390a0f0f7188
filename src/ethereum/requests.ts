/** Requests to a node (Ethereum JSON-RPC), and the shapes of their results. */
import type { Address, Hex } from 'viem'
import { getAddress, isAddress, numberToHex } from 'viem/utils'
import * as z from 'zod'
import { isRevert, loggedMessage } from './revert.ts'

export type RpcRequest = { method: string; params: readonly unknown[] }
type NodeError = { code: number; message: string; data?: unknown }
export type Reply = { result: unknown } | { error: NodeError } | { fault: string }
/** Returns the reply to a request that was sent. */
export type Replies = (request: RpcRequest) => Reply

type Height = 'latest' | 'finalized' | number

const request = (method: string, ...params: readonly unknown[]): RpcRequest => ({ method, params })
const tag = (height: Height) => (typeof height === 'number' ? numberToHex(height) : height)

export const chainId = request('eth_chainId')
export const tip = request('eth_maxPriorityFeePerGas')
/** Reads the balance of an account, in wei. */
export const accountBalance = (address: Address) => request('eth_getBalance', address, 'latest')
/** Reads the bytecode of a contract. The answer for any other account is `0x`. */
export const contractCode = (address: Address, height: Height = 'latest') =>
  request('eth_getCode', address, tag(height))
/** Transactions that the address has in blocks: its next nonce. */
export const transactionCount = (address: Address, height: Height = 'latest') =>
  request('eth_getTransactionCount', address, tag(height))
export const blockAt = (height: Height) => request('eth_getBlockByNumber', tag(height), false)
/** Reads the receipt of a transaction; null while it is not in a block. */
export const transactionReceipt = (hash: Hex) => request('eth_getTransactionReceipt', hash)
export const transactionByHash = (hash: Hex) => request('eth_getTransactionByHash', hash)
/** Without `to`, the data is deployed and what its constructor returns is the result. */
export const view = (to: Address | undefined, data: Hex, gas?: Hex) =>
  request('eth_call', { ...(to && { to }), data, ...(gas && { gas }) }, 'latest')

type Call = { from: Address; to: Address; data: Hex }
/**
 * A call that would change the chain, without doing so. With a gas price, because a contract can
 * behave otherwise when it is 0.
 */
export const simulateCall = (call: Call & { gas?: Hex; gasPrice?: Hex }) =>
  request('eth_call', call, 'latest')
/** With a gas price, because a contract can be cheaper when it is 0. */
export const gasEstimate = (call: Call & { maxFeePerGas: Hex }) =>
  request('eth_estimateGas', call, 'latest')
export const eventLogs = (block: number, address: readonly Address[], topics: unknown) =>
  request('eth_getLogs', { fromBlock: tag(block), toBlock: tag(block), address, topics })
export const broadcastRequest = (raw: Hex) => request('eth_sendRawTransaction', raw)

/** At most 256 bits, which is all that the chain can hold. */
export const wei = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform((hex) => BigInt(hex))
/** A number that JavaScript holds exactly. A larger one is a wrong answer. */
export const integer = wei.transform(Number).pipe(z.int())
/** Seconds since 1970, up to the end of the year 9999. */
const time = integer.pipe(z.int().max(253_402_300_799))
const hexText = (pattern: RegExp) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value))
export const hex = hexText(/^0x([0-9a-f]{2})*$/i)
/** 32 bytes. */
const word = hexText(/^0x[0-9a-f]{64}$/i)
const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text))

export const block = z.object({
  number: integer,
  hash: word,
  timestamp: time,
  baseFeePerGas: wei.optional(),
})
export type Block = z.infer<typeof block>

export const transaction = z.object({ hash: word, nonce: integer })

const log = z.object({ address: hex, topics: z.array(word), data: hex })
const eventLog = z.object({ address, transactionHash: word, topics: z.array(word), data: hex })
export type EventLog = z.infer<typeof eventLog>
export const logs = z.array(eventLog)
export const receipt = z.object({
  transactionHash: word,
  blockNumber: integer,
  blockHash: word,
  status: integer,
  from: address,
  gasUsed: integer,
  effectiveGasPrice: wei,
  /** Of OP-stack chains: the fee for publishing the data, in wei. */
  l1Fee: wei.nullish(),
  logs: z.array(log),
})
export type Receipt = z.infer<typeof receipt>

/** Returns the result, or null if the reply has no result or one of another shape. */
export function read<T extends z.ZodType>(shape: T, reply: Reply): z.infer<T> | null {
  if (!('result' in reply)) return null
  const { success, data } = shape.safeParse(reply.result)
  return success ? data : null
}

/** Returns why a reply is inconclusive: nothing was received, or the node could not run the call. */
export function inconclusive(reply: Reply): string | null {
  if ('fault' in reply) return reply.fault
  if ('error' in reply && !isRevert(reply.error))
    return `the node answered: ${loggedMessage(reply.error.message)}`
  return null
}

/** Whether the reply to one of the requests is inconclusive. */
export const isLeftOpen = (requests: readonly RpcRequest[], replies: Replies): boolean =>
  requests.some((request) => inconclusive(replies(request)) !== null)
