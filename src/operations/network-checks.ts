/**
 * Stores what the cron run saw of the networks, and compares it with what this instance sent. What
 * the chain has and this instance did not send is a theft, or was lost with the database.
 */
import { inArray, type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { networkChecks } from '../db/schema/operations.ts'

const DAY = 24 * 60 * 60 * 1000

/** A check may see the count of transactions some blocks later than the newest block. */
const MARGIN_BLOCKS = 100

type Stored = typeof networkChecks.$inferSelect
type Signer = NonNullable<Stored['signers']>[number]
type Limit = NonNullable<Signer['limit']>

type Seen = Omit<Stored, 'chainId' | 'checkedAt' | 'problem' | 'signers'> & {
  contract: string
  /** Relayers of the contract that this instance does not use. */
  standby: { address: string; nonce: number; limit: Omit<Limit, 'since'> }[]
  /** Whether a second node answers. */
  hasSecondNode: boolean
  signers: (Omit<Signer, 'foreignPieces' | 'limit' | 'nonceAt'> & {
    limit: Omit<Limit, 'since'> | null
  })[]
}

/** `seen`: what a node told, or why none can be used. */
export type NetworkCheck = { chainId: number; seen: Seen | string }

/**
 * Stores the checks. If the chain has a transaction of a signer that this instance did not send, it
 * is stored, and the keys of the items that wait or failed are compared with the chain. Returns the
 * chains whose runs have to find out who has used a nonce: their own expired bytes, or somebody else.
 */
export async function storeChecks(
  db: Database,
  checks: readonly NetworkCheck[],
  now: Date,
): Promise<number[]> {
  const seen = checks.flatMap(({ chainId, seen }) =>
    typeof seen === 'string' ? [] : [{ chainId, ...seen }],
  )
  const failed = checks.flatMap(({ chainId, seen: problem }) =>
    typeof problem === 'string' ? { chainId, problem } : [],
  )
  if (seen.length === 0) {
    await db.batch([upsertChecks(db, failed, now)])
    return []
  }
  // Read after the chain. A transaction is stored before it is sent, so each of this instance is known by now.
  const sent = await readSent(db, seen)
  const judged = seen.map((check) => compareCheck(check, sent, now))
  const foreign = judged.flatMap((check) => check.foreign)
  const unclear = judged.flatMap(({ chainId, isUnclear }) => (isUnclear ? chainId : []))
  await db.batch([
    upsertChecks(db, [...judged, ...failed], now),
    upsertMaxPieces(db, judged),
    insertForeign(db, foreign, now),
    compareAgain(db, foreign),
    planRuns(db, unclear, now),
    endSilence(
      db,
      seen.flatMap(({ chainId, hasSecondNode }) => (hasSecondNode ? chainId : [])),
    ),
  ])
  return unclear
}

type CheckOfChain = Seen & { chainId: number }
type Sent = Awaited<ReturnType<typeof readSent>>

/** Reads the checks before, and what this instance has sent since, of each signer. */
async function readSent(db: Database, checks: readonly CheckOfChain[]) {
  const chainIds = checks.map(({ chainId }) => chainId)
  const [previous] = await db.batch([
    db.select().from(networkChecks).where(inArray(networkChecks.chainId, chainIds)),
  ])
  const since = JSON.stringify(
    checks.flatMap(({ chainId, signers }) => {
      const before = previous.find((row) => row.chainId === chainId)
      return signers.map(({ address }) => ({
        chainId,
        signer: address,
        nonce: findNonce(before?.signers, address) ?? 0,
        block: (nonceAt(before, address) ?? 0) - MARGIN_BLOCKS,
      }))
    }),
  )
  const signers = sql`json_each(${since}) s JOIN transactions t
    ON t.chainId = s.value ->> 'chainId' AND t.signer = s.value ->> 'signer'`
  const [nonces, used, open] = await db.batch([
    // Three indexes have all that may have been mined since the check before. What has expired is
    // no more ours once a run has found no receipt of it.
    raw<{ chainId: number; signer: string; nonce: number; isExpired: 0 | 1 }>(
      db,
      sql`SELECT chainId, signer, nonce, items = '[]' AS isExpired FROM ${signers}
          WHERE isOpen AND (items <> '[]' OR nonceUsedAt IS NULL)
        UNION SELECT chainId, signer, nonce, 0 FROM ${signers}
          WHERE NOT isOpen AND block IS NULL AND nonce >= s.value ->> 'nonce'
        UNION SELECT chainId, signer, nonce, 0 FROM ${signers} WHERE block > s.value ->> 'block'`,
    ),
    raw<{ chainId: number; address: string; usedPieces: number; usedAt: string }>(
      db,
      sql`SELECT chainId, address, usedPieces, usedAt FROM signers
        WHERE chainId IN ${idsIn(chainIds)}`,
    ),
    raw<{ chainId: number; signer: string; pieces: number }>(
      db,
      sql`SELECT chainId, signer, sum(quantity) AS pieces
        FROM transactions t, json_each(t.items) JOIN orderItems i ON i.id = value
        WHERE isOpen AND chainId IN ${idsIn(chainIds)} GROUP BY chainId, signer`,
    ),
  ])
  return { previous, nonces, used, open }
}

const findNonce = (signers: Stored['signers'] | undefined, address: string): number | null =>
  signers?.find((signer) => signer.address === address)?.nonce ?? null

/** The newest block when the stored nonce of a signer was told. */
const nonceAt = (check: Stored | undefined, address: string): number | null =>
  check?.signers?.find((signer) => signer.address === address)?.nonceAt ?? check?.headNumber ?? null

const idsIn = (ids: readonly number[]): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`

/** Compares a check with the one before and with what was sent. */
function compareCheck({ contract, standby, ...check }: CheckOfChain, sent: Sent, now: Date) {
  const { chainId, headNumber: head } = check
  const stored = sent.previous.find((row) => row.chainId === chainId)
  const previous = stored?.signers
  const foreign: ForeignTransaction[] = []
  let isUnclear = false
  const signers = check.signers.map((seen): Signer => {
    const { address } = seen
    const isOwn = (row: { chainId: number; signer: string }) =>
      row.chainId === chainId && row.signer === address
    const before = previous?.find((signer) => signer.address === address)
    const known = sent.nonces.filter(isOwn)
    const isOpen = known.some((row) => row.isExpired && row.nonce < (seen.nonce ?? 0))
    isUnclear ||= isOpen
    const nonces = known.map(({ nonce }) => nonce)
    const nonce = findForeignNonce(seen.nonce, before?.nonce ?? null, nonces)
    if (nonce !== null) foreign.push({ chainId, contract, signer: address, nonce, head })
    const used = sent.used.find((row) => row.chainId === chainId && row.address === address)
    const open = sent.open.find(isOwn)?.pieces ?? 0
    const limit = seen.limit && { ...seen.limit, since: limitSince(seen.limit, before, now) }
    return {
      ...seen,
      // The next check looks at the same nonces once more.
      nonce: (isOpen ? null : seen.nonce) ?? before?.nonce ?? null,
      nonceAt: isOpen || seen.nonce === null ? nonceAt(stored, address) : head,
      limit,
      foreignPieces: limit ? countForeign(limit, used, open, now) : 0,
    }
  })
  for (const { address, nonce, limit } of standby) {
    const isOwn = (row: { chainId: number }) => row.chainId === chainId
    // It may have been in use until a while ago.
    const used = sent.used.find((row) => isOwn(row) && row.address === address)
    const open = sent.open.find((row) => isOwn(row) && row.signer === address)?.pieces ?? 0
    if (countForeign({ ...limit, since: '' }, used, open, now) > 0)
      foreign.push({ chainId, contract, signer: address, nonce: Math.max(0, nonce - 1), head })
  }
  return { ...check, signers, foreign, isUnclear }
}

/**
 * Returns the highest nonce below `count` that is not in `nonces`, and was used since the check
 * before, or after all stored ones. Null for a signer of which nothing is known yet.
 */
function findForeignNonce(
  count: number | null,
  before: number | null,
  nonces: readonly number[],
): number | null {
  if (count === null) return null
  if (before === null && nonces.length === 0) return null
  const first = before ?? nonces.reduce((highest, nonce) => Math.max(highest, nonce)) + 1
  const known = new Set(nonces)
  for (let nonce = count - 1; nonce >= first; nonce--) if (!known.has(nonce)) return nonce
  return null
}

/** Since when the limit is known as it is; empty if it never was another one. */
function limitSince(limit: Omit<Limit, 'since'>, before: Signer | undefined, now: Date): string {
  if (!before) return ''
  const isSame = before.limit?.capacity === limit.capacity && before.limit.perDay === limit.perDay
  return isSame ? (before.limit?.since ?? '') : now.toISOString()
}

/**
 * Returns the pieces that are missing in the bucket of a relayer and that this instance did not
 * submit; 0 if they may be those of an hour. A bucket whose limit has changed is compared once it
 * has had the time to fill.
 */
function countForeign(
  { capacity, perDay, available, since }: Limit,
  own: { usedPieces: number; usedAt: string } | undefined,
  open: number,
  now: Date,
): number {
  const daysSince = (at: string) => Math.max(0, now.getTime() - Date.parse(at)) / DAY
  if (since !== '' && daysSince(since) * perDay < capacity) return 0
  const submitted = own ? Math.max(0, own.usedPieces - daysSince(own.usedAt) * perDay) : 0
  const foreign = capacity - available - submitted - open
  return foreign > perDay / 24 ? Math.ceil(foreign) : 0
}

/** A failed check changes only the problem. */
const upsertChecks = (db: Database, checks: readonly object[], now: Date) =>
  raw<never>(
    db,
    sql`INSERT INTO networkChecks (chainId, checkedAt, problem, headNumber, headAt, gasPrice, isPaused,
        isRetired, signers)
      SELECT value ->> 'chainId', ${now.toISOString()}, value ->> 'problem', value ->> 'headNumber',
        value ->> 'headAt', value ->> 'gasPrice', value ->> 'isPaused', value ->> 'isRetired',
        value -> 'signers'
      FROM json_each(${JSON.stringify(checks)}) WHERE true
      ON CONFLICT (chainId) DO UPDATE SET problem = excluded.problem,
        checkedAt = iif(excluded.problem IS NULL, excluded.checkedAt, checkedAt),
        headNumber = coalesce(excluded.headNumber, headNumber),
        headAt = coalesce(excluded.headAt, headAt), gasPrice = coalesce(excluded.gasPrice, gasPrice),
        isPaused = coalesce(excluded.isPaused, isPaused),
        isRetired = coalesce(excluded.isRetired, isRetired), signers = coalesce(excluded.signers, signers)`,
  )

/** The largest number of pieces that a relayer may deliver at once. Orders of more are refused. */
function upsertMaxPieces(db: Database, checks: readonly { chainId: number; signers: Signer[] }[]) {
  const rows = checks.map(({ chainId, signers }) => {
    const capacities = signers.flatMap(({ limit }) => limit?.capacity ?? [])
    return { chainId, maxPieces: capacities.length > 0 ? Math.max(...capacities) : null }
  })
  return raw<never>(
    db,
    sql`INSERT INTO networks (chainId, leaseUntil, maxPieces)
      SELECT value ->> 'chainId', '', value ->> 'maxPieces'
      FROM json_each(${JSON.stringify(rows)}) WHERE true
      ON CONFLICT (chainId) DO UPDATE SET maxPieces = excluded.maxPieces
        WHERE maxPieces IS NOT excluded.maxPieces`,
  )
}

type ForeignTransaction = {
  chainId: number
  contract: string
  signer: string
  nonce: number
  head: number | null
}

/** Closed rows without a block: nonces that another program has used. */
const insertForeign = (db: Database, rows: readonly ForeignTransaction[], now: Date) =>
  raw<never>(
    db,
    sql`INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced, gas,
        maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, nonceUsedAt, isOpen,
        createdAt, updatedAt)
      SELECT value ->> 'chainId', value ->> 'contract', value ->> 'signer', value ->> 'nonce', '[]', '',
        '[]', '0', '0', '0', 0, value ->> 'head', ${now.toISOString()}, value ->> 'head', 0,
        ${now.toISOString()}, ${now.toISOString()}
      FROM json_each(${JSON.stringify(rows)})
      WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.chainId = value ->> 'chainId'
        AND t.signer = value ->> 'signer' AND t.nonce = value ->> 'nonce'
        AND NOT t.isOpen AND t.block IS NULL)`,
  )

/** A thief or a lost transaction may have used keys of items that wait. */
const compareAgain = (db: Database, rows: readonly ForeignTransaction[]) =>
  raw<never>(
    db,
    sql`UPDATE networks SET comparedAt = NULL, comparedId = 0
      WHERE chainId IN ${idsIn(rows.map(({ chainId }) => chainId))}`,
  )

/** Lets a run begin although nothing is to be delivered. */
const planRuns = (db: Database, chainIds: readonly number[], now: Date) =>
  raw<never>(
    db,
    sql`UPDATE networks SET wakeAt = min(coalesce(wakeAt, ${now.toISOString()}), ${now.toISOString()})
      WHERE chainId IN ${idsIn(chainIds)}`,
  )

/** A second node answers again. While something is under way, runs find out whether it confirms that. */
const endSilence = (db: Database, chainIds: readonly number[]) =>
  raw<never>(
    db,
    sql`UPDATE networks SET unconfirmedSince = NULL
      WHERE unconfirmedSince IS NOT NULL AND chainId IN ${idsIn(chainIds)} AND NOT EXISTS (
        SELECT 1 FROM transactions t WHERE t.chainId = networks.chainId AND isOpen AND items <> '[]')`,
  )
