/**
 * Compares what a node tells with what it told before, and with what this instance has sent. A pure
 * function.
 */

import type { View } from '../../chain/views.ts'
import type { NodeState } from '../../db/schema/operations.ts'
import { DAY, SECOND } from '../../time.ts'

/** Capacity above which a bucket is not compared: a number has no room for fractions of a piece. */
const MAX_PIECES = 1e10
/** Facts of tokens that are kept: two of each of the first 200. */
const MAX_FACTS = 400
/** Sentences about events that are told at once, and that are kept to tell each once. */
const MAX_TOLD = 50
/** Transactions of a relayer that are compared, the newest. */
export const MAX_OWN = 5000

/** A transaction that this instance has signed. */
export type OwnTransaction = {
  signer: string
  nonce: number
  /** Whether it is not final. Then somebody else may have used its nonce, whatever one node said of it. */
  isUnproven: 0 | 1
  hashes: `0x${string}`[]
  /** The most pieces that it takes; null if its deliveries are not known any more. */
  pieces: number | null
}

type Comparison = {
  view: View
  /** What the node told last; null if it never did. */
  before: NodeState | null
  /** What the node itself has told of events, if `before` is of another one. */
  told: readonly string[]
  /** The highest block that two nodes have. Events after it are read again once they are final. */
  reached: number
  own: readonly OwnTransaction[]
  /** What the node has of unproven transactions, by hash. Null: nothing. Absent: it does not tell. */
  receipts: ReadonlyMap<string, object | null>
}
type RelayerView = View['relayers'][number]
type RelayerState = NodeState['relayers'][string]

/** Returns the state to keep, and what nobody but a thief should have done, by the key of its alarm. */
export function compareViews(
  comparison: Comparison,
  { chainId, delivery: contract }: { chainId: number; delivery: string },
  signers: readonly string[],
  now: Date,
) {
  const { view, before, told, reached } = comparison
  const { head, facts } = view
  const same = before?.contract === contract ? before : null
  // A node may fall back a few blocks.
  const known = same && same.block <= head.number ? same : null
  const findings: { key: string; detail: string }[] = []
  const change = (detail: string) => findings.push({ key: `contract_changed:${chainId}`, detail })
  for (const [name, fact] of Object.entries(same ? facts : {})) {
    const last = same?.facts[name] ?? 'none'
    if (last !== fact) change(`${name} changed from ${last} to ${fact}.`)
  }
  for (const [name, fact] of Object.entries(view.tokens)) {
    const last = same?.tokens[name]
    if (last !== undefined && last !== fact) change(`${name} changed from ${last} to ${fact}.`)
  }
  const tokens = Object.entries({ ...same?.tokens, ...view.tokens }).slice(0, MAX_FACTS)
  const toldBefore = [...(before?.told ?? []), ...told]
  const untold = view.events.filter((event) => !toldBefore.includes(event)).slice(-MAX_TOLD)
  untold.forEach(change)
  const relayers: NodeState['relayers'] = {}
  for (const relayer of view.relayers) {
    const { address, hasCode } = relayer
    const { capacity, perDay, nextAt } = relayer.limit
    const last = before?.relayers[address]
    const { foreignNonce, ...nonces } = compareNonces(relayer, last, comparison)
    const { foreignPieces, least } = compareBucket(relayer, known, comparison)
    const isActive = capacity > 0 || nextAt > 0 || signers.includes(address)
    const wasRelayer = capacity > 0 || (same !== null && last?.wasRelayer === true)
    relayers[address] = { capacity, perDay, hasCode, isActive, wasRelayer, least, ...nonces }
    // What was removed before can do nothing any more.
    if (!isActive && !last?.isActive) continue
    const key = `foreign_transaction:${chainId}:${address}`
    const use = (what: string) =>
      findings.push({
        key,
        detail: `Another program has used ${what} of the relayer ${address} on chain ${chainId}.`,
      })
    if (foreignNonce !== null) use(`the nonce ${foreignNonce}`)
    if (foreignPieces > 0) use(`${foreignPieces} pieces of the limit`)
  }
  const { number: block, timestamp: time } = head
  const seenAt = now.toISOString()
  const state: NodeState = {
    seenAt,
    contract,
    block,
    time,
    facts,
    relayers,
    seenTo: view.seenTo,
    // What a node has told of blocks that no other one has may be wrong.
    eventsTo: Math.min(view.eventsTo, reached),
    told: [...new Set([...toldBefore, ...untold])].slice(-MAX_TOLD),
    tokens: Object.fromEntries(tokens),
  }
  return { state, findings }
}

/**
 * Returns the highest nonce of those used since the last time that this instance has not used. The
 * nonce of an unproven transaction is one if the node has no receipt twice: a receipt may be late.
 */
function compareNonces(
  { address, nonce: count }: RelayerView,
  last: RelayerState | undefined,
  { own, receipts }: Comparison,
): Pick<RelayerState, 'nonce' | 'missing'> & { foreignNonce: number | null } {
  const ofRelayer = own.filter(({ signer }) => signer === address)
  const mine = new Map(ofRelayer.map((transaction) => [transaction.nonce, transaction]))
  const highest = ofRelayer.reduce((most, { nonce }) => Math.max(most, nonce), -1)
  const first = Math.max(last?.nonce ?? (highest < 0 ? count : highest + 1), count - MAX_OWN)
  const late = (last?.missing ?? []).filter((nonce) => nonce < count)
  const used = Array.from({ length: Math.max(0, count - first) }, (_, i) => first + i)
  let foreignNonce: number | null = null
  const missing: number[] = []
  for (const nonce of new Set([...late, ...used])) {
    const transaction = mine.get(nonce)
    const isMine = transaction?.isUnproven
      ? isProven(transaction, receipts)
      : transaction !== undefined
    if (isMine) continue
    if (!transaction || (isMine === false && late.includes(nonce))) foreignNonce = nonce
    else missing.push(nonce)
  }
  return { nonce: count, missing, foreignNonce }
}

/** Whether a node has a receipt of a transaction; undefined if it does not tell. */
function isProven({ hashes }: OwnTransaction, receipts: Comparison['receipts']) {
  const found = hashes.map((hash) => receipts.get(hash))
  return found.some(Boolean) || (found.includes(undefined) ? undefined : false)
}

/**
 * Compares the bucket of a relayer with the least that can be in it: what was there and has flowed
 * back since, up to the capacity, without the pieces of the transactions since. It has more if they
 * were used early, because nothing flows back into a full bucket.
 */
function compareBucket(
  { address, nonce, limit: { capacity, perDay, available } }: RelayerView,
  known: NodeState | null,
  { view, own }: Comparison,
): { least: number; foreignPieces: number } {
  const last = known?.relayers[address]
  const isSame = last?.capacity === capacity && last.perDay === perDay && capacity <= MAX_PIECES
  if (!known || !isSame) return { least: available, foreignPieces: 0 }
  const taken = own
    .filter(({ signer, nonce: used }) => signer === address && used >= last.nonce && used < nonce)
    .reduce((sum, { pieces }) => sum + (pieces ?? Infinity), 0)
  const refilled = last.least + ((view.head.timestamp - known.time) * SECOND * perDay) / DAY
  const least = Math.min(capacity, refilled) - taken
  const foreignPieces = Math.max(0, Math.floor(least) - available)
  return { least: foreignPieces > 0 ? available : Math.max(available, least), foreignPieces }
}
