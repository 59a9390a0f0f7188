/**
 * Asks each network, once a minute, what else only a delivery would find out, and whether somebody
 * else uses its keys. All nodes are asked: one that hides a theft must not hide it from the others.
 */
import { eq, sql } from 'drizzle-orm'
import type { Address } from 'viem'
import { findHighest } from '../../chain/claims.ts'
import { askOne, findClockProblem, type Node, nodes } from '../../chain/nodes.ts'
import { tokensOf } from '../../chain/owner.ts'
import { askNode, type View } from '../../chain/views.ts'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { networks } from '../../db/schema/delivery.ts'
import { type NodeRow, type NodeState, networkChecks } from '../../db/schema/operations.ts'
import { raw } from '../../db/statements.ts'
import { readReceipts } from '../../delivery/chain/records.ts'
import { type Disagreement, storeDisagreements } from '../../delivery/store/disagreements.ts'
import { type Finding, LATE, storeFindings } from '../../delivery/store/findings.ts'
import type { Network, Settings } from '../../env.ts'
import { type Block, transactionReceipt } from '../../ethereum/requests.ts'
import { getSigner } from '../../ethereum/signer.ts'
import { SECOND, within } from '../../time.ts'
import { compareViews, MAX_OWN, type OwnTransaction } from './compare-views.ts'
import { findDisagreements } from './disagreements.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 5 * SECOND
/** Milliseconds for what a node says, and for its receipts: a check of all networks takes 20 s at most. */
const MAX_DURATION = { view: 12 * SECOND, receipts: 4 * SECOND }

/** Token contracts that a check reads, each with two calls. Events tell of all within a minute. */
const TOKENS_PER_CHECK = 25
const LATE_ANSWER = 'the node did not answer in time'
const LATE_REPLY = { fault: LATE_ANSWER }
/** Seconds by which the newest block of a node may be older than that of another one. */
const BEHIND = 10 * 60

/** Checks all configured networks. One that fails does not stop the others. */
export async function checkNetworks(db: Database, settings: Settings, now: Date): Promise<void> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map((key) => getSigner(key).address)
  const checks = await Promise.allSettled(
    Object.entries(settings.NETWORKS).map(([name, network]) =>
      checkNetwork({ db, name, network, signers, now }),
    ),
  )
  for (const check of checks) if (check.status === 'rejected') throw check.reason
}

type CheckCtx = {
  db: Database
  name: string
  network: Network
  signers: readonly Address[]
  now: Date
}

async function checkNetwork({ db, name, network, signers, now }: CheckCtx): Promise<void> {
  const { chainId } = network
  const { stored, sold } = await batch(db, {
    stored: db.select().from(networkChecks).where(eq(networkChecks.chainId, chainId)),
    sold: selectTokens(db, name, chainId),
  })
  const tokens = tokensOf(sold.map(({ token }) => token))
  const tokensTo = sold.length === TOKENS_PER_CHECK ? (sold.at(-1)?.token ?? null) : null
  const rows = stored[0]?.nodes ?? []
  const states = rows.flatMap(({ state }) => state ?? [])
  const [newest = null] = states.toSorted((a, b) => b.block - a.block)
  const late = new Date(now.getTime() - LATE).toISOString()
  const asked = await Promise.all(
    nodes({ ...network, timeout: TIMEOUT }).map(async (node) => {
      const row = rows[node.index]
      // A node that is new, or has not answered for long, is compared with another one.
      const before = row?.state && row.state.seenAt >= late ? row.state : newest
      const cursors = stateOf(network, row?.state) ?? stateOf(network, before)
      const asking = askNode(node, { network, signers, before, cursors, tokens })
      const answer = await within(MAX_DURATION.view, asking).catch(() => LATE_ANSWER)
      if (typeof answer === 'string') return { node, row, before, view: null, problem: answer }
      const problem = findClockProblem(network, answer.head)
      return { node, row, before, view: answer, problem }
    }),
  )
  const views = asked.flatMap(({ view }) => view ?? [])
  const reached = findHighest('final', views, ({ head }) => head.number)?.head.number ?? 0
  const own = await readOwn(db, chainId, states, views)
  const compared = await Promise.all(
    asked.map(async ({ node, row, before, view }) => {
      // A node that does not answer keeps what it had.
      if (!view) return { row: row ?? emptyRow, findings: [] }
      const isProven = await findProofs(node, view, own)
      const told = row?.state?.told ?? []
      const result = compareViews(
        { view, before, told, reached, own, isProven },
        network,
        signers,
        now,
      )
      const since = (known: string | null | undefined) => known ?? now.toISOString()
      const lag = findLag(asked, view, row, now)
      const ahead = findAhead(asked, view, lag, now)
      return {
        row: {
          lag,
          problem: view.problem,
          problemSince: view.problem && since(row?.problemSince),
          behind: ahead && { ...ahead, since: since(row?.behind?.since) },
          state: result.state,
        },
        findings: result.findings.map((finding) => ({ ...finding, node: node.index })),
      }
    }),
  )
  const usable =
    asked.find(({ view, problem }, i) => view && problem === null && !compared[i]?.row.behind) ??
    asked.find(({ problem }) => problem === null)
  const check = {
    chainId,
    problem: usable ? null : (asked.at(-1)?.problem ?? null),
    nodes: compared.map(({ row }) => row),
    tokensTo,
    ...(usable?.view && { checkedAt: now.toISOString(), ...usable.view.shown }),
  }
  const seen = asked.flatMap(({ node, view }) => (view ? { node: node.index, view } : []))
  const disagreements = findDisagreements(seen, network)
  const found = compared.flatMap(({ findings }) => findings)
  await storeCheck(db, { check, found, disagreements, views }, now)
}

/** The state, if it is of the contract that is configured. */
const stateOf = (network: Network, state: NodeState | null | undefined) =>
  state?.contract === network.delivery ? state : null

/** Selects the next token contracts of a network, by jumping from one to the next in the index. */
const selectTokens = (db: Database, name: string, chainId: number) =>
  raw<{ token: string }>(db)`
    WITH RECURSIVE tokens (token, position) AS (
      SELECT min(contractAddr), 1 FROM nfts WHERE contractNetwork = ${name} AND contractAddr >
        coalesce((SELECT tokensTo FROM networkChecks WHERE chainId = ${chainId}), '')
      UNION ALL SELECT (SELECT min(contractAddr) FROM nfts
          WHERE contractNetwork = ${name} AND contractAddr > token), position + 1
        FROM tokens WHERE token IS NOT NULL AND position < ${TOKENS_PER_CHECK})
    SELECT token FROM tokens WHERE token IS NOT NULL`

type Asked = { node: Node; view: View | null; problem: string | null }

type BlockKind = keyof NodeRow['lag']

/** Returns a node whose newest block, or final block, is `BEHIND` ahead of that of a view. */
const findAhead = (asked: readonly Asked[], view: View, lag: NodeRow['lag'], now: Date) =>
  findNewer('head', asked, view, lag, now) ?? findNewer('finalBlock', asked, view, lag, now)

function findNewer(
  kind: BlockKind,
  asked: readonly Asked[],
  view: View,
  lag: NodeRow['lag'],
  now: Date,
): Omit<NonNullable<NodeRow['behind']>, 'since'> | null {
  const mine = view[kind]
  if (!mine) return null
  const target = lag[kind]
  const isLate = target !== null && (target.isLate || isOverdue(target, now))
  const [newest] = blocksOf(kind, asked)
    .filter(
      ({ block }) =>
        block.timestamp - mine.timestamp >= BEHIND || (isLate && block.number > mine.number),
    )
    .toSorted((a, b) => b.block.timestamp - a.block.timestamp)
  const toPlace = ({ number, timestamp }: Block) => ({ block: number, time: timestamp })
  return newest ? { node: newest.node.index, mine: toPlace(mine), ...toPlace(newest.block) } : null
}

const isOverdue = ({ since }: { since: string }, now: Date) =>
  now.getTime() - Date.parse(since) >= BEHIND * SECOND

/** The blocks that nodes tell which can be used. */
const blocksOf = (kind: BlockKind, asked: readonly Asked[]) =>
  asked.flatMap(({ node, view, problem }) => {
    const block = view && problem === null ? view[kind] : null
    return block ? { node, block } : []
  })

/** Returns the blocks that other nodes had when those of a view were lower, and that it has not reached yet. */
function findLag(
  asked: readonly Asked[],
  view: View,
  row: NodeRow | undefined,
  now: Date,
): NodeRow['lag'] {
  const find = (kind: BlockKind) => {
    const number = view[kind]?.number
    const known = row?.lag[kind]
    if (number === undefined) return null
    if (known && number < known.block) return known
    const highest = Math.max(...blocksOf(kind, asked).map(({ block }) => block.number))
    if (highest <= number) return null
    const isLate = known != null && isOverdue(known, now)
    return { block: highest, since: now.toISOString(), isLate }
  }
  return { head: find('head'), finalBlock: find('finalBlock') }
}

const lag: NodeRow['lag'] = { head: null, finalBlock: null }
const emptyRow: NodeRow = { problem: null, problemSince: null, behind: null, lag, state: null }

/**
 * Returns the transactions of relayers that this instance has signed and nodes may tell of now. Call
 * it after the nodes have answered: a transaction is stored before it is sent, so each of this
 * instance is known by then.
 */
async function readOwn(
  db: Database,
  chainId: number,
  states: readonly NodeState[],
  views: readonly View[],
): Promise<OwnTransaction[]> {
  const since = views.flatMap(({ relayers }) =>
    relayers.map(({ address }) => {
      const known = states.flatMap(({ relayers: { [address]: relayer } }) => relayer ?? [])
      const nonces = known.flatMap(({ nonce, missing }) => [nonce, ...missing])
      return [address, nonces.length > 0 ? Math.min(...nonces) : 0]
    }),
  )
  const { rows } = await batch(db, {
    rows: raw<Omit<OwnTransaction, 'hashes'> & { hashes: string }>(db)`
      SELECT t.signer, t.nonce, t.isOpen AS isUnproven,
        json_insert(t.replaced, '$[#]', t.hash) AS hashes,
        (SELECT sum(i.quantity) FROM json_each(t.items) e JOIN orderItems i ON i.id = e.value) AS pieces
      FROM json_each(${JSON.stringify(Object.fromEntries(since))}) s JOIN transactions t ON t.id IN (
        SELECT id FROM transactions WHERE chainId = ${chainId} AND signer = s.key AND nonce >= s.value
          AND deadline > 0 ORDER BY nonce DESC LIMIT ${MAX_OWN})
      WHERE t.isOpen OR t.block IS NOT NULL`,
  })
  return rows.map((row) => ({ ...row, hashes: JSON.parse(row.hashes) }))
}

/** Asks the node for the receipts of transactions whose nonces are used. */
async function findProofs(node: Node, { relayers }: View, own: readonly OwnTransaction[]) {
  const hashes = own
    .filter(({ isUnproven, signer, nonce }) => {
      const count = relayers.find(({ address }) => address === signer)?.nonce ?? 0
      return isUnproven && nonce < count
    })
    .flatMap((transaction) => transaction.hashes)
  const asking = askOne(node, hashes.map(transactionReceipt))
  const replies = await within(MAX_DURATION.receipts, asking).catch(() => () => LATE_REPLY)
  const receipts = readReceipts(hashes, replies)
  return (transaction: OwnTransaction): boolean | undefined => {
    const found = transaction.hashes.map((hash) => receipts.get(hash))
    return found.some(Boolean) || (found.includes(undefined) ? undefined : false)
  }
}

type Check = typeof networkChecks.$inferSelect

type Changes = {
  check: Partial<Check> & Pick<Check, 'chainId' | 'problem'>
  /** What nobody but a thief should have done, and the node that says so. */
  found: readonly { key: string; detail: string; node: number }[]
  disagreements: readonly Disagreement[]
  /** What the nodes say that answered. */
  views: readonly View[]
}

/** Stores a check. One that failed has only a problem. */
async function storeCheck(
  db: Database,
  { check, found, disagreements, views }: Changes,
  now: Date,
) {
  const { chainId } = check
  const findings: Finding[] = []
  for (const { node, key, detail } of found) {
    const same = findings.find((other) => other.key === key && other.detail === detail)
    if (same) same.nodes.push(node)
    else findings.push({ key, detail, nodes: [node] })
  }
  // A thief or a transaction that was lost may have used keys of deliveries that wait: they are compared.
  const isTheft = findings.some(({ key }) => key.startsWith('foreign_transaction'))
  await batch(db, {
    check: db
      .insert(networkChecks)
      .values({ checkedAt: now.toISOString(), ...check })
      .onConflictDoUpdate({ target: networkChecks.chainId, set: check }),
    findings: storeFindings(db, chainId, findings, now),
    disagreements:
      disagreements.length > 0 ? storeDisagreements(db, chainId, disagreements, now) : undefined,
    maxPieces: views.length > 0 ? upsertMaxPieces(db, chainId, views) : undefined,
    comparison: isTheft
      ? db
          .update(networks)
          .set({ comparedAt: null, comparedId: 0 })
          .where(eq(networks.chainId, chainId))
      : undefined,
    silence: views.length > 1 ? endSilence(db, chainId) : undefined,
  })
}

/**
 * The largest number of pieces that a relayer may deliver at once, of what nodes say. Orders of more are
 * refused, and one node must not stop sales.
 */
function upsertMaxPieces(db: Database, chainId: number, views: readonly View[]) {
  const signers = views.flatMap(({ shown }) => shown.signers)
  const capacities = signers.flatMap(({ limit }) => limit?.capacity ?? [])
  const maxPieces = capacities.length > 0 ? Math.max(...capacities) : null
  return db
    .insert(networks)
    .values({ chainId, leaseUntil: '', maxPieces })
    .onConflictDoUpdate({
      target: networks.chainId,
      set: { maxPieces },
      setWhere: sql`${networks.maxPieces} IS NOT ${maxPieces}`,
    })
}

/** A second node answers again. */
const endSilence = (db: Database, chainId: number) =>
  raw<never>(db)`UPDATE networks SET unconfirmedSince = NULL
    WHERE unconfirmedSince IS NOT NULL AND chainId = ${chainId}`
