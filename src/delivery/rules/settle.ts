/**
 * What becomes of deliveries whose key a final block has. The content hash of the record says what was
 * delivered: compared with the order, it decides. The logs of the transaction prove that the token
 * has moved something, and tell which transaction it was. A node may lack a receipt or some of its
 * events, or change them, so what two nodes tell is compared (`mergeReceipts`, `agreeOnMined`).
 */
import { type Address, type Hex, zeroAddress } from 'viem'
import { findTwo, isContradicted } from '../../chain/claims.ts'
import type { Network } from '../../env.ts'
import {
  CANCELLED,
  decodeDelivered,
  hashContent,
  isUse,
  type KeyRecord,
  type Log,
} from '../../ethereum/contract.ts'
import type { EventLog, Receipt } from '../../ethereum/requests.ts'
import { contractAmount, parseTransfer, takeTransfer } from '../../ethereum/token.ts'
import { holderOf } from '../holder.ts'
import type { Delivery, KnownBlock, ObservedRecord } from '../model.ts'
import { explain, hasReturnedPieces } from '../reasons.ts'
import { cancel, type DeliveryChange, deliver, fail } from './delivery-changes.ts'

/** Whether a record says that a final block has the key. */
export const isFinal = ({ block }: KeyRecord, final: { number: number }): boolean =>
  block > 0 && block <= final.number

/** Returns the newest block of those that have the transactions. */
export function findNewest(receipts: readonly Receipt[]): KnownBlock | undefined {
  const [newest] = receipts.toSorted((a, b) => b.blockNumber - a.blockNumber)
  return newest && { number: newest.blockNumber, hash: newest.blockHash }
}

/**
 * The event that says that the key was used, and the logs of its transaction. `doubtful`: those that
 * only one of two nodes has.
 */
type Use = { use: Log; logs: Receipt['logs']; doubtful: ReadonlySet<Log> }

/**
 * Returns the end of a delivery whose key a transaction has used for it. The event of its transfer is
 * taken from the logs, so that it proves one delivery only. Null: nodes disagree about this event.
 */
function settleUse(delivery: Delivery, { use, logs, doubtful }: Use, hash?: Hex | null) {
  const delivered = decodeDelivered(use)
  if (!delivered) return cancel(delivery, hash)
  const transfer = takeTransfer(logs, delivered)
  if (!transfer) {
    // An event that only one node has is no failure.
    if (doubtful.has(use)) return null
    return hasReturnedPieces(delivery)
      ? cancel(delivery, hash)
      : fail(delivery, explain('token_moved_nothing'), hash)
  }
  return doubtful.has(transfer) ? null : deliver(delivery, delivered.amount, hash)
}

/** The same by the first event that proves an end, of those that nodes have for the key: one may be changed. */
export function settleUses(
  delivery: Delivery,
  { uses, ...found }: Omit<Use, 'use'> & { uses: readonly Log[] },
): DeliveryChange | null {
  for (const use of uses) {
    const end = settleUse(delivery, { use, ...found })
    if (end) return end
  }
  return null
}

/**
 * Returns the end of a delivery by the record of its key. Without logs the record suffices, unless the
 * delivery has no recipient to compare it with: then it waits for one, or for the logs. Null: nothing is
 * known of the recipient, or nodes disagree about the logs.
 */
export function settle(
  delivery: Delivery,
  { contentHash }: KeyRecord,
  found: Use | null,
  hash: Hex | null,
): DeliveryChange | null {
  if (contentHash === CANCELLED) return cancel(delivery, hash)
  const delivered = found && decodeDelivered(found.use)
  const recipient = delivery.recipient ?? delivered?.to ?? null
  const amount = findAmount({ ...delivery, recipient }, contentHash)
  if (amount !== undefined)
    return found ? settleUse(delivery, found, hash) : deliver(delivery, amount, hash)
  if (hasReturnedPieces(delivery)) return cancel(delivery, hash)
  if (recipient === null || found?.doubtful.has(found.use)) return null
  const detail = delivered ? `transaction ${hash}, recipient ${delivered.to}` : undefined
  return fail(delivery, explain('key_used_for_other_delivery', detail), hash)
}

/** Returns the amount of the call, by either standard; undefined if the order says something else. */
function findAmount(delivery: Delivery, contentHash: Hex): bigint | undefined {
  const transfer = parseTransfer({ ...delivery, holder: null })
  if (typeof transfer === 'string') return undefined
  return (['erc721', 'erc1155'] as const)
    .map((standard) => contractAmount(transfer, standard))
    .find((amount) => hashContent({ ...transfer, amount }) === contentHash)
}

/** A transaction that the database does not know, and the deliveries whose keys it has used. */
export type FoundTransaction = {
  mined: Mined
  contract: Address
  items: number[]
  /** Who has used the keys, and whether with the tokens of the holders of the orders. */
  relayer: Address
  isFromHolder: boolean
  /** Whether two nodes tell it, or the only one. Otherwise the hash of its block may be wrong. */
  isKnown: boolean
}

/** A delivery with the record of its key. */
export type Recorded = { delivery: Delivery; record: ObservedRecord }

/** A delivery with the event that used its key. */
export type LocatedUse = Recorded & { use: EventLog }

/** Whether logs have the use of a key, and not the transfer that it stands for. A node may lack all events. */
export function deniesTransfer(
  { delivery, record, use }: LocatedUse,
  logs: Receipt['logs'],
): boolean {
  const delivered = decodeDelivered(use)
  const hasUse = logs.some((log) => isUse(log, use.address, delivery.key, record))
  return delivered !== null && hasUse && !takeTransfer([...logs], delivered)
}

/**
 * Returns what becomes of a delivery, and its transaction. Null: the transaction is not in the block of
 * the record, or lacks the event, or nodes disagree about its logs.
 */
export function settleMined(
  { delivery, record, use: { address, transactionHash } }: LocatedUse,
  { mined, left: { logs, doubtful } }: AgreedTransaction,
  network: Pick<Network, 'treasury'>,
): { change: DeliveryChange; found: Omit<FoundTransaction, 'isKnown'> } | null {
  if (mined.blockNumber !== record.block || mined.status !== 1) return null
  // The record of a key does not say who has paid.
  const holder = holderOf(delivery, network) ?? zeroAddress
  for (const use of mined.logs.filter((log) => isUse(log, address, delivery.key, record))) {
    const change = settle(delivery, record, { use, logs, doubtful }, transactionHash)
    if (!change) continue
    const { relayer = mined.from, from } = (!doubtful.has(use) && decodeDelivered(use)) || {}
    const isFromHolder = !from || from.toLowerCase() === holder.toLowerCase()
    return {
      change,
      found: { mined, contract: address, items: [delivery.id], relayer, isFromHolder },
    }
  }
  return null
}

/** A transaction that is in a block, as a node tells it. */
export type Mined = Receipt & { nonce: number }

/** The events of a receipt. `doubtful`: those that only one of several nodes has. The others come first. */
type Logs = { logs: Receipt['logs']; doubtful: ReadonlySet<Log> }

/** Compares the events that nodes have of a transaction: one may lack some, or change them. */
function mergeLogs(told: readonly Pick<Receipt, 'logs'>[]): Logs {
  // The same event may come twice.
  const events = told.flatMap(({ logs }) =>
    [...Map.groupBy(logs, (log) => JSON.stringify(log).toLowerCase())].flatMap(([text, same]) =>
      same.map((log, position) => ({ log, id: `${position} ${text}` })),
    ),
  )
  const byEvent = [...Map.groupBy(events, ({ id }) => id).values()]
  const firstOf = (tellers: typeof byEvent) => tellers.flatMap(([first]) => first?.log ?? [])
  const shared = firstOf(byEvent.filter(({ length }) => length > 1))
  const doubtful = firstOf(byEvent.filter(({ length }) => length === 1))
  return { logs: [...shared, ...doubtful], doubtful: new Set(doubtful) }
}

/**
 * Compares what nodes say of keys. A key is unused until a final block has it. `mustAgree`: keys that may not
 * count as unused by the word of one node. Any other key may: if it is used, it costs one transaction without
 * effect. `disputed`: those that two nodes would have to tell alike, and do not.
 */
export function mergeRecords(
  keys: readonly Hex[],
  told: readonly ReadonlyMap<Hex, ObservedRecord>[],
  { final, mustAgree }: { final: { number: number }; mustAgree: ReadonlySet<Hex> },
) {
  const recordClass = (record: ObservedRecord) =>
    isFinal(record, final) ? `${record.block} ${record.contentHash}` : 'unused'
  const records = new Map<Hex, ObservedRecord>()
  const disputed = new Set<Hex>()
  const differing: Hex[] = []
  for (const key of keys) {
    const answers = told.flatMap((one) => one.get(key) ?? [])
    const two = findTwo('record', answers, recordClass)
    const unused = mustAgree.has(key) ? undefined : answers.find(({ block }) => block === 0)
    const [settled] = two?.filter((told) => isFinal(told, final)) ?? []
    const record = settled ?? unused ?? two?.[0] ?? answers[0]
    if (!record) continue
    records.set(key, record)
    if (isContradicted(answers, recordClass)) differing.push(key)
    if (!two && (mustAgree.has(key) || isFinal(record, final))) disputed.add(key)
  }
  return { records, disputed, differing }
}

/**
 * Compares what nodes say of transactions: two have to tell the same. A receipt that only one node has is
 * `unconfirmed`. Nothing is said of one of which two nodes have different receipts.
 */
export function mergeReceipts(
  hashes: readonly Hex[],
  told: readonly ReadonlyMap<Hex, Receipt | null>[],
) {
  const receipts = new Map<Hex, Receipt | null>()
  const unconfirmed = new Set<Hex>()
  const doubtfulLogs = new Set<Log>()
  for (const hash of hashes) {
    const answers = told.flatMap((one) => one.get(hash) ?? (one.has(hash) ? [null] : []))
    const two = findTwo('receipt', answers, receiptClass)
    const found = answers.filter((answer) => answer !== null)
    const [only] = found
    if (two?.[0]) {
      const { logs, doubtful } = mergeLogs(two.flatMap((receipt) => receipt ?? []))
      receipts.set(hash, { ...two[0], logs })
      for (const log of doubtful) doubtfulLogs.add(log)
    } else if (two) receipts.set(hash, null)
    else if (only && found.length === 1) {
      receipts.set(hash, only)
      unconfirmed.add(hash)
      for (const log of only.logs) doubtfulLogs.add(log)
    }
  }
  return { receipts, unconfirmed, doubtfulLogs }
}

const receiptClass = (receipt: Receipt | null): string =>
  receipt ? [receipt.blockHash, receipt.blockNumber, receipt.status].join() : 'none'

/** A transaction as two nodes tell it. `left`: its events that have proved no delivery yet. */
export type AgreedTransaction = { mined: Mined; left: Logs; isConfirmed: boolean }

/** Returns what nodes say of a transaction; null if none tells it, or if they contradict each other. */
export function agreeOnMined(answers: readonly Mined[]): AgreedTransaction | null {
  const two = findTwo('transaction', answers, minedClass)
  if (two) {
    const left = mergeLogs(two)
    return { mined: { ...two[0], logs: [...left.logs] }, left, isConfirmed: true }
  }
  const [only, ...others] = answers
  if (!only || others.length > 0) return null
  const left = { logs: [...only.logs], doubtful: new Set<Log>() }
  return { mined: only, left, isConfirmed: false }
}

/** Whether nodes tell different transactions, or the same one in different blocks. */
export const isMinedDisputed = (answers: readonly Mined[]): boolean =>
  isContradicted(answers, minedClass)

const minedClass = (mined: Mined): string => [receiptClass(mined), mined.from, mined.nonce].join()
