/** Compares the keys of items with the chain, before they are sent and once a day. */
import { otherNodes } from '../../ethereum/node.ts'
import { log } from '../../log.ts'
import { explain, finalReasons, sentences } from '../reasons.ts'
import { finalDelay } from './decide.ts'
import { fail, type ItemChange, queue, SEARCH_TIMEOUT, wait } from './item-changes.ts'
import type { World } from './observe.ts'
import { type FoundTransaction, type Recorded, resolve, settle } from './settle.ts'
import type { Item } from './state.ts'

type Comparison = {
  changes: ItemChange[]
  found: FoundTransaction[]
  /** Due items whose keys are unused. Only these may be sent. */
  unrecorded: Item[]
  /** Whether the contract of the network did not answer. Its items are left as they are. */
  isBlocked: boolean
}

/** Items whose transactions are looked for at a time: at 19 calls a second that takes eight seconds. */
const RESOLVED_ITEMS = 50

/** Compares the keys of the loaded items with the chain. */
export async function compareKeys(world: World): Promise<Comparison> {
  const { network, loaded, observation, now, renew } = world
  const { chainId, delivery } = network
  const { records, disputed, final } = observation
  const changes: ItemChange[] = []
  const unrecorded: Item[] = []
  const recorded: Recorded[] = []
  let isBlocked = false
  for (const item of [...loaded.due, ...loaded.compared]) {
    const record = records.get(item.key)
    const contract = item.contract ?? delivery
    const isFinal = record && record.block > 0 && record.block <= final.number
    if (isFinal && !disputed.has(item.key))
      recorded.push({ item, contract: record.contract, record })
    else if (record?.block === 0 && isUsedUp(item))
      changes.push(fail(item, explain('transfer_failed', 'the chain has dropped its block')))
    else if (item.state !== 'queued') continue
    else if (isFinal) changes.push(waitForTransaction(item, record.block, now))
    else if (record?.block === 0) unrecorded.push(item)
    else if (record)
      changes.push(queue(item, new Date(now.getTime() + finalDelay(record.block, observation))))
    else if (contract === delivery) isBlocked = true
    else changes.push(wait(item, explain('contract_unavailable', contract), now))
  }
  if (isBlocked) log.error('contract_unavailable', { chainId })
  const found: FoundTransaction[] = []
  const missing: Recorded[] = []
  for (let i = 0; i < recorded.length; i += RESOLVED_ITEMS) {
    await renew()
    const slice = recorded.slice(i, i + RESOLVED_ITEMS)
    const resolved = await resolveAnywhere(world, slice)
    changes.push(...resolved.changes)
    missing.push(...resolved.missing)
    for (const transaction of resolved.found) {
      const known = found.find(({ hash }) => hash === transaction.hash)
      if (known) known.items.push(...transaction.items)
      else found.push(transaction)
    }
  }
  for (const { item, record } of missing) {
    const isSearched =
      item.reasonCode === 'transaction_not_found' || item.reasonCode === 'cancelled'
    const since = Date.parse((isSearched && item.failingSince) || now.toISOString())
    // What was found out with logs stands.
    if (isUsedUp(item)) continue
    if (now.getTime() - since >= SEARCH_TIMEOUT) changes.push(settle(item, record, null, null))
    else if (item.state === 'queued') changes.push(waitForTransaction(item, record.block, now))
  }
  if (missing.length > 0)
    log.error('node_unavailable', { chainId, reason: sentences.transaction_not_found })
  return { changes, unrecorded, found, isBlocked }
}

/** Whether nothing can be done with the item any more, because its key is used. */
const isUsedUp = ({ state, reasonCode }: Item): boolean =>
  state === 'failed' && reasonCode !== null && finalReasons.includes(reasonCode)

/** Asks the node, then the others about what it does not tell. */
async function resolveAnywhere(
  { network, observation: { node, lineage } }: World,
  recorded: readonly Recorded[],
) {
  const result = await resolve(node.rpc, recorded, lineage)
  for (const other of otherNodes(network, node)) {
    // That a token has moved nothing is said by two nodes.
    const doubted = result.changes.filter(({ reasonCode }) => reasonCode === 'token_moved_nothing')
    const isAsked = (id: number) =>
      doubted.some((change) => change.id === id) ||
      result.missing.some(({ item }) => item.id === id)
    const again = recorded.filter(({ item }) => isAsked(item.id))
    if (again.length === 0) break
    const second = await resolve(other.rpc, again, lineage)
    const isAnswered = (id: number) => second.changes.some((change) => change.id === id)
    result.changes = [...result.changes.filter(({ id }) => !isAnswered(id)), ...second.changes]
    const isKnown = (hash: string) => result.found.some((known) => known.hash === hash)
    result.found = [...result.found, ...second.found.filter(({ hash }) => !isKnown(hash))]
    result.missing = result.missing.filter(({ item }) => !isAnswered(item.id))
  }
  return result
}

/** The item waits until the nodes tell which transaction has used its key. */
const waitForTransaction = (item: Item, block: number, now: Date): ItemChange =>
  wait(item, explain('transaction_not_found', `block ${block}`), now)
