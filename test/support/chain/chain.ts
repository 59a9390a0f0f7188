/** Starts a chain for a test: a real node behind a proxy that can simulate faults. */
import { inject, onTestFinished } from 'vitest'
import './fetch.ts'
import type { Counts, Fault, RandomFaults } from './faults.ts'
import { type RpcCall, rpc, rpcBatch } from './rpc.ts'

type Address = `0x${string}`

export type ChainOptions = {
  /** Number of ERC-721 tokens that the seller gets. Their ids start at 0. */
  erc721?: number
  /** Number of pieces of ERC-1155 token 1 that the seller gets. */
  erc1155?: number
  /** Additional arguments for anvil. */
  args?: readonly string[]
}

/** `signer` is the account of TRANSFER_SIGNER_KEY. It may transfer the seller's tokens. */
export type ChainRecord = {
  chainId: number
  /** The node itself, without the proxy: no faults apply. */
  rpcUrl: string
  contracts: { erc721: Address; erc1155: Address }
  signer: Address
  seller: Address
}

export type Chain = Awaited<ReturnType<typeof aChain>>

async function request<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await fetch(inject('chainServerUrl') + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}

/**
 * Starts a chain. It mines a block for each transaction, and stops after the test. Pass another
 * `whenDone` (such as `afterAll`) to stop it later.
 */
export async function aChain(
  options: ChainOptions = {},
  whenDone: (end: () => Promise<void>) => void = onTestFinished,
) {
  const record = await request<ChainRecord>('/chains', 'POST', options)
  const path = `/chains/${record.chainId}`
  whenDone(() => request<void>(path, 'DELETE'))
  return {
    ...record,
    /** The network's name in NETWORKS and in `contractNetwork`. */
    name: `chain-${record.chainId}`,
    proxyUrl: `${inject('chainServerUrl')}${path}/rpc`,
    rpc: (method: string, ...params: unknown[]) => rpc(record.rpcUrl, method, ...params),
    rpcBatch: (calls: readonly RpcCall[]) => rpcBatch(record.rpcUrl, calls),
    /** Mines this many blocks. */
    mine: (blocks = 1) => rpc(record.rpcUrl, 'anvil_mine', blocks),
    setAutomine: (on: boolean) => rpc(record.rpcUrl, 'evm_setAutomine', on),
    /** Replaces all faults, the random ones included. Without arguments, removes them. */
    setFaults: (...faults: Fault[]) => request<void>(`${path}/faults`, 'POST', { faults }),
    /** Simulates random faults until `setFaults` is called. */
    setRandomFaults: (random: RandomFaults) =>
      request<void>(`${path}/faults`, 'POST', { faults: [], random }),
    /** Returns the numbers of requests and calls since the last `takeCounts`. */
    takeCounts: () => request<Counts>(`${path}/counts`),
  }
}
