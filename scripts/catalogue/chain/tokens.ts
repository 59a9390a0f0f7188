/** Finds the tokens of a contract that exist at the newest final block. */
import type { Address } from 'viem'
import * as z from 'zod'
import { type Block, blockAt } from '../../../src/ethereum/questions.ts'
import type { Ask } from '../../../src/ethereum/rpc.ts'
import type { Network } from '../../contract/networks.ts'
import { CommandError } from '../../shell/command.ts'
import {
  callOf,
  findFirstBlock,
  readTotalSupply,
  resultOf,
  type TokenContract,
} from './contract.ts'
import { readLogs } from './logs.ts'
import { readBlock, type Wait } from './nodes.ts'
import { type CollectionState, keyOf } from './state.ts'
import { applyLogs, eventsOf, MAX_TOKENS, tooManyTokens } from './supply.ts'

/** `blocks`, `tokens` or `metadata` that were read so far. */
export type OnProgress = (
  phase: 'blocks' | 'tokens' | 'metadata',
  done: number,
  total: number,
) => void

export type Chain = { network: Network; ask: Ask; wait: Wait; onProgress: OnProgress }

/** Calls that are stored together. */
const PAGE = 500

/** Brings the tokens of the state up to the final block. `fromBlock`: of the first event to read. */
export async function readTokens(
  chain: Chain,
  contract: TokenContract,
  state: CollectionState,
  final: Block,
  fromBlock: number | undefined,
): Promise<void> {
  await checkHistory(chain, state)
  state.save({ final: { block: final.number, hash: final.hash } })
  if (state.progress.readTo === undefined && contract.isEnumerable && fromBlock === undefined)
    await readList(chain, contract, state)
  await readEvents(chain, contract, state, final, fromBlock)
}

/** Blocks that were read are final. Only a chain that was started again has other ones. */
async function checkHistory({ ask, network }: Chain, { progress: { final } }: CollectionState) {
  if (!final) return
  const found = await readBlock(ask, blockAt(final.block))
  if (found?.hash === final.hash) return
  throw new CommandError(
    `Block ${final.block} of ${network.name} is not the one that was read before. If the chain was started again, choose another file.`,
  )
}

/**
 * Reads the tokens that the contract lists at one block. If the contract or the node cannot tell,
 * there are no tokens afterwards, and the events have to be read.
 */
async function readList(
  { ask, onProgress }: Chain,
  { address }: TokenContract,
  state: CollectionState,
): Promise<void> {
  const listing = state.progress.listing ?? (await startListing(ask, address, state))
  if (!listing) return
  const { block, count } = listing
  for (let next = listing.next; next < count; ) {
    const end = Math.min(next + PAGE, count)
    const questions = Array.from({ length: end - next }, (_, i) =>
      callOf(address, 'tokenByIndex', [BigInt(next + i)], block),
    )
    const replies = await ask(questions)
    const ids = questions.map((question) => resultOf(z.bigint(), 'tokenByIndex', replies(question)))
    next = end
    state.change(() => {
      for (const id of ids) if (id !== undefined) state.setSupply(keyOf(id), 1n)
      state.save({ listing: { ...listing, next } })
    })
    onProgress('tokens', next, count)
    if (ids.includes(undefined)) break
  }
  const isComplete = state.countTokens() === count
  state.change(() => {
    if (!isComplete) state.removeTokens()
    state.save({ listing: null, ...(isComplete && { readTo: block }) })
  })
}

async function startListing(ask: Ask, address: Address, state: CollectionState) {
  const block = state.progress.final?.block
  const total = block === undefined ? undefined : await readTotalSupply(ask, address, block)
  if (block === undefined || total === undefined) return undefined
  if (total > MAX_TOKENS) throw tooManyTokens()
  const listing = { block, count: Number(total), next: 0 }
  state.save({ listing })
  return listing
}

/** Reads the events after the last block that was read. */
async function readEvents(
  { network, ask, wait, onProgress }: Chain,
  contract: TokenContract,
  state: CollectionState,
  final: Block,
  fromBlock: number | undefined,
): Promise<void> {
  const { address } = contract
  const { readTo } = state.progress
  const from =
    readTo === undefined
      ? (fromBlock ?? (await findFirstBlock(ask, address, final.number)))
      : readTo + 1
  const query = { address, events: eventsOf(contract), from, to: final.number, hash: final.hash }
  onProgress('blocks', 0, final.number - from + 1)
  for await (const { logs, to } of readLogs(network, query, wait)) {
    const supplies = applyLogs(contract, logs, (key) => state.supplyOf(key))
    state.change(() => {
      for (const [key, supply] of supplies) state.setSupply(key, supply)
      state.save({ readTo: to })
    })
    if (supplies.size > 0 && state.countTokens() > MAX_TOKENS) throw tooManyTokens()
    onProgress('blocks', to - from + 1, final.number - from + 1)
  }
}
