/** Compares the keys of items with the chain, before they are sent and once a day. */
import type { Hex } from 'viem'
import { otherNodes } from '../ethereum/node.ts'
import { log } from '../log.ts'
import type { World } from './chain/observe.ts'
import { mergeLogs } from './chain/records.ts'
import type { Item } from './model.ts'
import { COMPARE_INTERVAL } from './queue.ts'
import { explain, finalReasons, rules } from './reasons.ts'
import { finalDelay } from './rules/decide.ts'
import { fail, type ItemChange, queue, wait, waitForTransaction } from './rules/item-changes.ts'
import {
  deniesTransfer,
  type FoundTransaction,
  findUses,
  type Mined,
  type Recorded,
  readMined,
  settle,
  settleMined,
} from './rules/settle.ts'

type Comparison = {
  changes: ItemChange[]
  found: FoundTransaction[]
  /** Due items whose keys are unused. Only these may be sent. */
  unrecorded: Item[]
  /** Whether the contract of the network did not answer. Its items are left as they are. */
  isBlocked: boolean
  /** Whether items that failed or wait have to be compared again soon: nodes told too little. */
  isIncomplete: boolean
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
  let isIncomplete = loaded.compared.some(({ key }) => disputed.has(key))
  for (const item of [...loaded.due, ...loaded.compared]) {
    const record = records.get(item.key)
    const contract = item.contract ?? delivery
    const isFinal = record && record.block > 0 && record.block <= final.number
    if (isFinal && !disputed.has(item.key))
      recorded.push({ item, contract: record.contract, record })
    else if (record?.block === 0 && isUsedUp(item) && !disputed.has(item.key))
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
  const missing: Missing[] = []
  for (let i = 0; i < recorded.length; i += RESOLVED_ITEMS) {
    await renew()
    const slice = recorded.slice(i, i + RESOLVED_ITEMS)
    const resolved = await resolve(world, slice)
    changes.push(...resolved.changes)
    missing.push(...resolved.missing)
    for (const transaction of resolved.found) {
      const known = found.find(({ hash }) => hash === transaction.hash)
      known?.items.push(...transaction.items)
      if (known) known.isFromHolder &&= transaction.isFromHolder
      else found.push(transaction)
    }
  }
  for (const { item, record, hash, isDoubtful } of missing) {
    // What was found out with logs stands.
    if (isUsedUp(item)) continue
    // Nodes that contradict each other can be wrong for longer than one that is silent.
    const isOver = isSearchOver(item, world) && !isDoubtful
    const end = isOver ? settle(item, record, null, hash) : null
    if (end) changes.push(end)
    else if (item.state === 'queued') changes.push(waitForTransaction(item, record.block, now))
    else if (!isOver) isIncomplete = true
  }
  if (missing.length > 0)
    log.error('node_unavailable', { chainId, reason: rules.transaction_not_found.sentence })
  return { changes, unrecorded, found, isBlocked, isIncomplete }
}

/** Whether nothing can be done with the item any more, because its key is used. */
const isUsedUp = ({ state, reasonCode }: Item): boolean =>
  state === 'failed' && reasonCode !== null && finalReasons.includes(reasonCode)

/** Whether the transaction of an item was searched for so long that what one node tells suffices. */
function isSearchOver(
  { state, reasonCode, failingSince }: Item,
  { loaded: { network }, now }: World,
): boolean {
  const { waits: searchTime } = rules.transaction_not_found
  const isOver = (since: string | null, timeout: number) =>
    since !== null && now.getTime() - Date.parse(since) >= timeout
  if (state !== 'queued') return isOver(network.comparedAt, COMPARE_INTERVAL + searchTime)
  const isSearched = reasonCode === 'transaction_not_found' || reasonCode === 'cancelled'
  return isSearched && isOver(failingSince, searchTime)
}

/**
 * `hash`: the transaction that a node tells. `isDoubtful`: two nodes have different receipts of it, or
 * one has a receipt which does not show that the token has moved something.
 */
type Missing = Recorded & { hash: Hex | null; isDoubtful: boolean }

/** What nodes say of a transaction. `left`: its events that have proved no item yet. */
type Told = { mined: Mined; left: ReturnType<typeof mergeLogs>; isConfirmed: boolean }

/**
 * Returns what becomes of items whose keys are used. One node may find the transaction; two nodes must
 * then agree about it. After a long search, one node suffices for a transfer that both have recorded.
 * `missing`: items whose transaction they do not tell.
 */
async function resolve(world: World, recorded: readonly Recorded[]) {
  const { network, observation } = world
  const { node, lineage, signers, isAlone } = observation
  const others = otherNodes(network, node)
  const uses = await findUses(node.rpc, recorded, lineage)
  const isLocated = ({ item }: Recorded) => uses.some((use) => use.item.id === item.id)
  for (const { rpc } of others) {
    const rest = recorded.filter((entry) => !isLocated(entry))
    if (rest.length > 0) uses.push(...(await findUses(rpc, rest, lineage)))
  }
  const hashes = [...new Set(uses.map(({ use }) => use.transactionHash))]
  const [mine, theirs] = await Promise.all(
    [node, others[0]].map((one) => one && readMined(one.rpc, hashes)),
  )
  const transactions = new Map<Hex, Told>()
  for (const hash of hashes) {
    const first = mine?.get(hash)
    const second = isAlone ? undefined : theirs?.get(hash)
    const one = first ?? second
    if (!one || (first && second && !isSame(first, second))) continue
    // A nonce that its signer has not reached yet is a wrong answer.
    if (one.nonce >= (signers.get(one.from)?.count ?? Infinity)) continue
    const left = mergeLogs(one.logs, (second ?? one).logs)
    const isConfirmed = isAlone || (first !== undefined && second !== undefined)
    transactions.set(hash, { mined: { ...one, logs: [...left.logs] }, left, isConfirmed })
  }
  const changes: ItemChange[] = []
  const found: FoundTransaction[] = []
  const settled = new Set<number>()
  for (const entry of uses) {
    const { item, use } = entry
    const { mined, left, isConfirmed } = transactions.get(use.transactionHash) ?? {}
    if (!mined || !left || !(isConfirmed || isSearchOver(item, world))) continue
    const end = settleMined(entry, mined, left, network.treasury)
    if (!end || (!isConfirmed && end.change.state === 'failed')) continue
    settled.add(item.id)
    const { change } = end
    if (change.state === item.state && change.reasonCode === item.reasonCode) continue
    changes.push(change)
    found.push(end.found)
  }
  const missing = recorded.flatMap((entry): Missing[] => {
    if (settled.has(entry.item.id)) return []
    const located = uses.find((one) => one.item.id === entry.item.id)
    const hash = located?.use.transactionHash ?? null
    const receipts = [mine, theirs].flatMap((told) => (hash && told?.get(hash)) || [])
    const [first, second] = receipts
    const isDenied = receipts.some(
      ({ blockNumber, logs }) =>
        located && blockNumber === entry.record.block && deniesTransfer(located, logs),
    )
    const isDoubtful = isDenied || Boolean(first && second && !isSame(first, second))
    return [{ ...entry, hash, isDoubtful }]
  })
  return { changes, found, missing }
}

const isSame = (first: Mined, second: Mined): boolean =>
  first.blockHash === second.blockHash &&
  first.blockNumber === second.blockNumber &&
  first.status === second.status &&
  first.from === second.from &&
  first.nonce === second.nonce
