/**
 * The second phase of a step: compares the keys of deliveries with the chain, before they are sent and once a
 * day.
 */

import type { Address } from 'viem'
import { log } from '../log.ts'
import type { Observed } from './chain/observe.ts'
import { type FoundUse, readUses } from './chain/uses.ts'
import type { Delivery, Loaded } from './model.ts'
import { explain, hasReturnedPieces, isUsedUp, rules, SEARCH_TIME } from './reasons.ts'
import { finalDelay } from './rules/decide.ts'
import {
  type DeliveryChange,
  queue,
  reopen,
  wait,
  waitForTransaction,
} from './rules/delivery-changes.ts'
import {
  type FoundTransaction,
  findNewest,
  isFinal,
  type Recorded,
  settle,
  settleMined,
} from './rules/settle.ts'
import type { Changes } from './store/changes.ts'
import type { Disagreement } from './store/disagreements.ts'
import type { Finding } from './store/findings.ts'
import { COMPARED_DELIVERIES } from './store/load.ts'
import type { NewTransaction } from './store/transactions.ts'
import { COMPARE_INTERVAL } from './wake.ts'

type Compared = {
  changes: Changes
  findings: Finding[]
  disagreements: Disagreement[]
  /** Due deliveries whose keys are unused. Only these may be sent. */
  unrecorded: Delivery[]
  /** Whether the contract of the network did not answer. Its deliveries are left as they are. */
  isBlocked: boolean
  /** Whether the next step has to compare more deliveries. */
  hasMore: boolean
}

/** Deliveries whose transactions are looked for at a time: at 19 calls a second that takes eight seconds. */
export const RESOLVED_DELIVERIES = 50

export async function compareKeys(input: Observed): Promise<Compared> {
  const { network, loaded, relayers, now, lease } = input
  const { chainId } = network
  const sorted = sortByRecord(input)
  if (sorted.isBlocked) log.error('contract_unavailable', { chainId })
  const deliveries = [...sorted.changes]
  const found: FoundTransaction[] = []
  const missing: Missing[] = []
  const disagreements: Disagreement[] = []
  for (let i = 0; i < sorted.recorded.length; i += RESOLVED_DELIVERIES) {
    await lease.renew()
    const result = await findTransactions(sorted.recorded.slice(i, i + RESOLVED_DELIVERIES), input)
    deliveries.push(...result.changes)
    found.push(...result.found)
    missing.push(...result.missing)
    disagreements.push(...result.disagreements)
  }
  if (missing.length > 0)
    log.error('node_unavailable', { chainId, reason: rules.transaction_not_found.sentence })
  const ends = missing.map((entry) => settleMissing(entry, loaded, now))
  deliveries.push(...ends.flatMap(({ change }) => change ?? []))
  const isIncomplete =
    loaded.compared.some((delivery) => isUntold(delivery, input)) || ends.some((end) => end.isOpen)
  const transactions = mergeFound(found)
  return {
    changes: {
      transactions: transactions.map((transaction) => newRow(transaction, now)),
      deliveries,
      settled: findNewest(transactions.flatMap(({ mined, isKnown }) => (isKnown ? mined : []))),
      compared: findComparedTo(loaded, isIncomplete, now),
    },
    findings: findForeign(chainId, transactions, relayers),
    disagreements,
    unrecorded: sorted.unrecorded,
    isBlocked: sorted.isBlocked,
    hasMore: loaded.compared.length === COMPARED_DELIVERIES && !isIncomplete,
  }
}

/**
 * Whether nodes contradict each other about the key of a delivery, it was used in a block that is not final
 * yet, or the contract of the network tells nothing.
 */
function isUntold(
  { key, contract }: Delivery,
  { network, observation: { records, disputed, final } }: Observed,
): boolean {
  const record = records.get(key)
  if (!record) return contract === null || contract === network.delivery
  return disputed.has(key) || record.block > final.number
}

/** Sorts the loaded deliveries by what the chain has recorded of their keys. */
function sortByRecord({ network, loaded, observation, now }: Observed) {
  const { records, disputed, final } = observation
  const changes: DeliveryChange[] = []
  const unrecorded: Delivery[] = []
  const recorded: Recorded[] = []
  let isBlocked = false
  for (const delivery of [...loaded.due, ...loaded.compared]) {
    const record = records.get(delivery.key)
    const contract = delivery.contract ?? network.delivery
    const isUsed = record && isFinal(record, final)
    const isUnused = record?.block === 0
    if (isUsed && !disputed.has(delivery.key)) recorded.push({ delivery, record })
    else if (isUnused && isUsedUp(delivery) && !disputed.has(delivery.key))
      changes.push(reopen(delivery, now))
    else if (delivery.state !== 'queued') continue
    else if (isUsed) changes.push(waitForTransaction(delivery, record.block, now))
    else if (record && disputed.has(delivery.key))
      changes.push(wait(delivery, explain('node_unavailable', 'nodes disagree about its key'), now))
    else if (isUnused) unrecorded.push(delivery)
    else if (record)
      changes.push(queue(delivery, new Date(now.getTime() + finalDelay(record.block, observation))))
    else if (contract === network.delivery) isBlocked = true
    else changes.push(wait(delivery, explain('contract_unavailable', contract), now))
  }
  return { changes, unrecorded, recorded, isBlocked }
}

/** A delivery whose transaction the nodes do not tell. */
type Missing = Recorded & Pick<FoundUse, 'hash' | 'isDoubtful'>

/**
 * Returns what becomes of deliveries whose keys are used, as two nodes have recorded. Two nodes have to tell
 * the transaction, too. After a long search, one suffices.
 */
async function findTransactions(
  recorded: readonly Recorded[],
  { network, loaded, observation, now }: Observed,
) {
  const { isAlone } = observation
  const uses = await readUses(recorded, observation)
  const changes: DeliveryChange[] = []
  const found: FoundTransaction[] = []
  const missing: Missing[] = []
  for (const entry of recorded) {
    const { delivery } = entry
    const { proof = null, hash = null, isDoubtful = false } = uses.found.get(delivery.id) ?? {}
    const isConfirmed = isAlone || proof?.agreed.isConfirmed === true
    const suffices = isConfirmed || isSearchOver(delivery, loaded, now)
    const end = proof && suffices && settleMined(proof.located, proof.agreed, network)
    if (end && (isConfirmed || end.change.transition !== 'fail')) {
      const hasFailedSo =
        delivery.state === 'failed' && delivery.reasonCode === end.change.reasonCode
      if (end.change.transition === 'fail' && hasFailedSo) continue
      changes.push(end.change)
      const isKnown = proof.agreed.isConfirmed || network.rpcUrls.length === 1
      found.push({ ...end.found, isKnown })
    } else missing.push({ ...entry, hash, isDoubtful })
  }
  return { changes, found, missing, disagreements: uses.disagreements }
}

/**
 * Returns what becomes of a delivery whose transaction the nodes do not tell. `isOpen`: it is left as it
 * is, and has to be compared again.
 */
function settleMissing(
  { delivery, record, hash, isDoubtful }: Missing,
  loaded: Loaded,
  now: Date,
): { change: DeliveryChange | null; isOpen: boolean } {
  // What was found out with logs stands.
  if (isUsedUp(delivery)) return { change: null, isOpen: false }
  // Nodes that contradict each other can be wrong for longer than one that is silent.
  const isOver = isSearchOver(delivery, loaded, now) && !isDoubtful
  const change = isOver ? settle(delivery, record, null, hash) : null
  if (change) return { change, isOpen: false }
  if (delivery.state === 'queued')
    return { change: waitForTransaction(delivery, record.block, now), isOpen: false }
  return { change: null, isOpen: !isOver }
}

/** Whether the transaction of a delivery was searched for so long that what one node tells suffices. */
function isSearchOver(delivery: Delivery, { network: { comparedAt } }: Loaded, now: Date): boolean {
  const isOver = (since: string | null, timeout: number) =>
    since !== null && now.getTime() - Date.parse(since) >= timeout
  if (delivery.state !== 'queued') return isOver(comparedAt, COMPARE_INTERVAL + SEARCH_TIME)
  const isSearched = delivery.reasonCode === 'transaction_not_found' || hasReturnedPieces(delivery)
  return isSearched && isOver(delivery.waitingSince, SEARCH_TIME)
}

/** Returns each transaction once, with all deliveries that were found in it. */
const mergeFound = (found: readonly FoundTransaction[]): FoundTransaction[] =>
  [...Map.groupBy(found, ({ mined }) => mined.transactionHash).values()].flatMap(
    ([first, ...others]) =>
      first
        ? {
            ...first,
            items: [first, ...others].flatMap(({ items }) => items),
            isFromHolder: [first, ...others].every(({ isFromHolder }) => isFromHolder),
          }
        : [],
  )

/**
 * Returns the transactions of relayers that this instance does not use, or with tokens of somebody else.
 * The others are found by their nonces.
 */
const findForeign = (
  chainId: number,
  transactions: readonly FoundTransaction[],
  relayers: readonly Address[],
): Finding[] =>
  transactions
    .filter(({ relayer, isFromHolder }) => !isFromHolder || !relayers.includes(relayer))
    .map(({ mined, relayer, items, isFromHolder }) => ({
      key: `foreign_transaction:${chainId}:${relayer}`,
      detail: `The relayer ${relayer} has used the keys of ${items.length} items, such as ${items[0]}, in the transaction ${mined.transactionHash}${isFromHolder ? '' : ', with tokens of somebody else'}.`,
      nodes: [],
    }))

const newRow = (
  { mined, contract, items, isKnown }: FoundTransaction,
  now: Date,
): NewTransaction => ({
  contract,
  signer: mined.from,
  nonce: mined.nonce,
  items,
  hash: mined.transactionHash,
  block: mined.blockNumber,
  blockHash: isKnown ? mined.blockHash : null,
  replaced: [],
  raw: null,
  gas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  deadline: 0,
  signedAtBlock: 0,
  signedAt: now.toISOString(),
  createdAt: now.toISOString(),
  isOpen: false,
})

/** The page that was compared. After the last one, the next comparison starts at the first delivery. */
function findComparedTo({ compared, network }: Loaded, isIncomplete: boolean, now: Date) {
  // The same page again, until the comparison has been due for some minutes.
  const dueAt = new Date(now.getTime() - COMPARE_INTERVAL).toISOString()
  if (isIncomplete) return network.comparedAt ? undefined : { id: network.comparedId, at: dueAt }
  const last = compared.at(-1)
  const end = { id: 0, at: now.toISOString() }
  if (!last) return network.comparedId > 0 ? end : undefined
  return compared.length < COMPARED_DELIVERIES ? end : { id: last.id, at: null }
}
