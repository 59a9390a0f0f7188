import type { Network } from '../../env.ts'
import { log } from '../../log.ts'
import { explain, sentences } from '../reasons.ts'
import { type Move, postpone, queue } from './moves.ts'
import type { Observation } from './observe.ts'
import { type FoundTransaction, type Recorded, resolve } from './resolve.ts'
import { finalDelay } from './schedule.ts'
import type { Item, Loaded } from './state.ts'

/** Milliseconds until an item is compared again of which the node told too little. */
const RETRY_DELAY = 15_000

type Comparison = {
  moves: Move[]
  found: FoundTransaction[]
  /** Due items whose keys are unused. Only these may be sent. */
  unrecorded: Item[]
  /** Whether the contract of the network did not answer. Its items are left as they are. */
  isBlocked: boolean
}

/** Compares the keys of items with the chain. */
export async function compareKeys(
  { chainId, delivery }: Network,
  { due, compared }: Loaded,
  { node, records, final, head }: Observation,
  now: Date,
): Promise<Comparison> {
  const moves: Move[] = []
  const unrecorded: Item[] = []
  const recorded: Recorded[] = []
  let isBlocked = false
  const later = new Date(now.getTime() + RETRY_DELAY)
  for (const item of [...due, ...compared]) {
    const record = records.get(item.key)
    const contract = item.contract ?? delivery
    if (record && record.block > 0 && record.block <= final.number)
      recorded.push({ item, contract: record.contract, record })
    else if (item.state !== 'queued') continue
    else if (record?.block === 0) unrecorded.push(item)
    else if (record) {
      const delay = finalDelay(record.block, { head, final })
      moves.push(queue(item, new Date(now.getTime() + delay)))
    } else if (contract === delivery) isBlocked = true
    else moves.push(postpone(item, explain('contract_unavailable', contract), later))
  }
  if (isBlocked) log.error('contract_unavailable', { chainId })
  const { moves: resolved, found } = await resolve(node.rpc, recorded)
  const resolvedIds = new Set(resolved.map(({ id }) => id))
  const unexplained = recorded.filter(
    ({ item }) => item.state === 'queued' && !resolvedIds.has(item.id),
  )
  for (const { item, record } of unexplained)
    moves.push(postpone(item, explain('transaction_not_found', `block ${record.block}`), later))
  if (unexplained.length > 0)
    log.error('node_unavailable', { chainId, reason: sentences.transaction_not_found })
  return { moves: [...moves, ...resolved], unrecorded, found, isBlocked }
}
