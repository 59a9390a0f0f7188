/** Compares what two nodes tell of transactions. A node may lack a receipt or some of its events, or change them. */
import type { Hex } from 'viem'
import type { Log } from '../../ethereum/contract.ts'
import type { Receipt } from '../../ethereum/requests.ts'

/** A transaction that is in a block, as a node tells it. */
export type Mined = Receipt & { nonce: number }

/** The events of a receipt. `doubtful`: those that only one of two nodes has. The others come first. */
type Logs = { logs: Receipt['logs']; doubtful: ReadonlySet<Log> }

/** Compares the events that two nodes have of a transaction: one may lack some, or change them. */
function mergeLogs(first: Receipt['logs'], second: Receipt['logs']): Logs {
  const textOf = (log: Receipt['logs'][number]) => JSON.stringify(log).toLowerCase()
  const left = Map.groupBy(second, textOf)
  const isShared = (log: Receipt['logs'][number]) => left.get(textOf(log))?.pop() !== undefined
  const { shared = [], own = [] } = Object.groupBy(first, (log) =>
    isShared(log) ? 'shared' : 'own',
  )
  const doubtful = [...own, ...[...left.values()].flat()]
  return { logs: [...shared, ...doubtful], doubtful: new Set(doubtful) }
}

/** Compares the receipts of two nodes. */
export function mergeReceipts(
  mine: ReadonlyMap<Hex, Receipt | null>,
  theirs: ReadonlyMap<Hex, Receipt | null>,
) {
  const receipts = new Map<Hex, Receipt | null>()
  const unconfirmed = new Set<Hex>()
  const doubtfulLogs = new Set<Log>()
  for (const [hash, first] of mine) {
    const second = theirs.get(hash)
    if (first && second) {
      if (!isSameReceipt(first, second)) continue
      const { logs, doubtful } = mergeLogs(first.logs, second.logs)
      receipts.set(hash, { ...first, logs })
      for (const log of doubtful) doubtfulLogs.add(log)
    } else if (first || second) {
      const only = first ?? second ?? null
      receipts.set(hash, only)
      unconfirmed.add(hash)
      for (const log of only?.logs ?? []) doubtfulLogs.add(log)
    } else if (second === null) receipts.set(hash, null)
  }
  return { receipts, unconfirmed, doubtfulLogs }
}

/** A transaction as two nodes tell it. `left`: its events that have proved no item yet. */
export type AgreedTransaction = { mined: Mined; left: Logs; isConfirmed: boolean }

/** Returns what nodes say of a transaction; null if none tells it, or if they contradict each other. */
export function agreeOnMined(
  first: Mined | undefined,
  second: Mined | undefined,
): AgreedTransaction | null {
  const one = first ?? second
  if (!one || (first && second && !isSameMined(first, second))) return null
  const left = mergeLogs(one.logs, (second ?? one).logs)
  const isConfirmed = first !== undefined && second !== undefined
  return { mined: { ...one, logs: [...left.logs] }, left, isConfirmed }
}

/** Whether two nodes tell the same transaction in the same block. */
export const isSameMined = (first: Mined, second: Mined): boolean =>
  isSameReceipt(first, second) && first.from === second.from && first.nonce === second.nonce

const isSameReceipt = (first: Receipt, second: Receipt): boolean =>
  first.blockHash === second.blockHash &&
  first.blockNumber === second.blockNumber &&
  first.status === second.status
