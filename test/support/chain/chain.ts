/** Chains of a test's own, as seen from the test: a real node behind a proxy. */
import { inject, onTestFinished } from 'vitest'
import './wire.ts'
import type { Counts, Fault, Weather } from './faults.ts'
import { type RpcCall, rpc, rpcBatch } from './rpc.ts'

type Address = `0x${string}`

export type ChainOptions = {
  /** How many ERC-721 tokens the seller gets, numbered from 0. */
  erc721?: number
  /** How many pieces of ERC-1155 token 1 the seller gets. */
  erc1155?: number
  /** Further arguments of anvil. */
  args?: readonly string[]
}

/** `signer` is the account of TRANSFER_SIGNER_KEY, and may move what the seller has. */
export type ChainRecord = {
  chainId: number
  /** The node itself: what a test asks here, no fault spoils. */
  rpcUrl: string
  contracts: { erc721: Address; erc1155: Address }
  signer: Address
  seller: Address
}

export type Chain = Awaited<ReturnType<typeof aChain>>

async function ask<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await fetch(inject('chainServerUrl') + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}

/**
 * A chain that ends with the test, or when `whenDone` says. It mines each transaction at once, as
 * anvil does.
 */
export async function aChain(
  options: ChainOptions = {},
  whenDone: (end: () => Promise<void>) => void = onTestFinished,
) {
  const record = await ask<ChainRecord>('/chains', 'POST', options)
  const path = `/chains/${record.chainId}`
  whenDone(() => ask<void>(path, 'DELETE'))
  return {
    ...record,
    /** The name of its network in NETWORKS and in `contractNetwork`. */
    name: `chain-${record.chainId}`,
    proxyUrl: `${inject('chainServerUrl')}${path}/rpc`,
    rpc: (method: string, ...params: unknown[]) => rpc(record.rpcUrl, method, ...params),
    rpcBatch: (calls: readonly RpcCall[]) => rpcBatch(record.rpcUrl, calls),
    /** Mines this many blocks. */
    mine: (blocks = 1) => rpc(record.rpcUrl, 'anvil_mine', blocks),
    setAutomine: (on: boolean) => rpc(record.rpcUrl, 'evm_setAutomine', on),
    /** Replaces the faults set before; none are left when called without. */
    misbehave: (...faults: Fault[]) => ask<void>(`${path}/faults`, 'POST', { faults }),
    /** Faults at random until `misbehave` is called. */
    storm: (weather: Weather) => ask<void>(`${path}/faults`, 'POST', { faults: [], weather }),
    /** Requests and calls since the last time this was asked. */
    takeCounts: () => ask<Counts>(`${path}/counts`),
  }
}
