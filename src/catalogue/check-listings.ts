/**
 * Tries whether what is listed can be delivered, each listing once a day: what cannot is not sold. A cron
 * run takes a few, in turns: one of each group (what a seller lists of a contract), then a second one of
 * each. Of a group in which all share an obstacle, one is tried; the others follow it.
 */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { NEVER } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { checkSales, judgeSale, type SellingSettings } from '../delivery/sales.ts'
import { DAY, SECOND } from '../time.ts'
import {
  type DueListing,
  findRefused,
  groupKey,
  type Judged,
  judgeGroup,
  judgeListing,
  type ListingGroup,
} from './judge-listing.ts'
import { isForSale } from './sql.ts'

/** Listings of a network in one run, and as many as its nodes take calls in a second. */
const MAX_TRIED = 100
/**
 * Due listings from which a run chooses: of those that were never tried, and of the others, as many that wait
 * longest. What it reads grows with them.
 */
const MAX_DUE = 20_000
/**
 * Milliseconds for all that a run asks, less than its job has. What it knows by then is stored. Of whom no node
 * has told anything, it is asked soon again.
 */
const DEADLINE = 15 * SECOND

type Run = { db: Database; settings: SellingSettings; now: Date; signal: AbortSignal }

export async function checkListings(db: Database, settings: SellingSettings, now: Date) {
  const run = { db, settings, now, signal: AbortSignal.timeout(DEADLINE) }
  const due = await selectDue(run)
  if (due.length === 0) return
  const tried = await tryListings(run, due)
  const samples = await selectSamples(run, findGroups(tried, 'ask'), due)
  const all = [...tried, ...(await tryListings(run, samples, true))]
  const others = [...due, ...samples].filter(({ id }) => !all.some(({ row }) => row.id === id))
  const rows = [
    ...all.map(({ next }) => next),
    ...others.map((row) => judgeListing(row, undefined, now)),
  ]
  await store(run, rows, all)
}

/** Tries what is for sale, on the networks that are configured. */
async function tryListings(
  { settings, now, signal }: Run,
  rows: readonly DueListing[],
  isSample = false,
): Promise<Judged[]> {
  const isTried = ({ isForSale, recipients, network }: DueListing) =>
    isForSale && recipients === 'anybody' && network in settings.NETWORKS
  const asked = rows.filter(isTried)
  const sales = await checkSales(settings, asked, now, signal)
  return asked.flatMap((row, i) => {
    const [network, sale] = [settings.NETWORKS[row.network], sales[i]]
    if (!network || !sale) return []
    const verdict = judgeSale(network, sale.told)
    return { row, verdict, next: judgeListing(row, verdict, now), isSample }
  })
}

type Outcome = ReturnType<typeof judgeGroup>

/** Returns the groups of listings for whose others this follows. */
const findGroups = (tried: readonly Judged[], ...outcomes: Outcome[]) =>
  [...Map.groupBy(tried, ({ row }) => groupKey(row)).values()].flatMap((members) => {
    const [first] = members
    const outcome = judgeGroup(members)
    if (!first || !outcomes.includes(outcome)) return []
    const { network, contract, fulfilment, heldBySeller, sellerId } = first.row
    const obstacle = findRefused(members).at(-1)?.next.obstacle ?? null
    const checkAt = members.findLast(({ verdict }) => verdict.is === 'impossible')?.next.checkAt
    return { network, contract, fulfilment, heldBySeller, sellerId, obstacle, checkAt, outcome }
  })

/** What a person lists is to be held as a whole. Of the rest, a treasury gets more. */
const triedPieces = sql`iif(n.heldBySeller AND n.fulfilment = 'transfer', max(1, n.availableAmount), 1)`

/** The columns of `DueListing`. */
const dueColumns = (
  time: string,
) => sql`l.id, l.sellerId, l.checkAt AS was, l.obstacle, l.obstacleSince,
  l.foundBy, l.isShared, l.disputedSince, l.untriedUntil, n.contractNetwork AS network,
  n.contractAddr AS contract, n.tokenId, n.fulfilment, n.heldBySeller, n.recipients,
  ${triedPieces} AS pieces,
  u.ethereumPublicAddr AS seller, ${isForSaleAt(time)} AS isForSale`

const isForSaleAt = (time: string) => sql.raw(isForSale(`'${time}'`))

/** Those that were never tried come before the others of their turn. */
async function selectDue({ db, settings, now }: Run): Promise<DueListing[]> {
  const time = now.toISOString()
  const paces = Object.entries(settings.NETWORKS).map(([name, { callsPerSecond }]) => [
    name,
    Math.min(MAX_TRIED, Math.ceil(callsPerSecond)),
  ])
  const { due } = await batch(db, {
    due: raw<DueListing>(db)`
      WITH waiting AS (
        SELECT * FROM (SELECT * FROM listings WHERE active AND (untriedUntil IS NULL) = 0
          AND checkAt <= ${time} ORDER BY checkAt LIMIT ${MAX_DUE})
        UNION ALL
        SELECT * FROM (SELECT * FROM listings WHERE active AND (untriedUntil IS NULL) = 1
          AND checkAt <= ${time} ORDER BY checkAt LIMIT ${MAX_DUE})),
      due AS MATERIALIZED (
        SELECT w.id, w.checkAt, w.untriedUntil IS NULL AS isRepeated, w.isShared, n.contractNetwork AS network,
          row_number() OVER (
            PARTITION BY n.contractNetwork, n.contractAddr, n.fulfilment, n.heldBySeller, w.sellerId,
              w.isShared
            ORDER BY w.untriedUntil IS NULL, w.checkAt, w.id) AS turn
        FROM waiting w CROSS JOIN nfts n ON n.id = w.nftId),
      chosen AS (SELECT id, network, row_number() OVER (PARTITION BY network
          ORDER BY turn, isRepeated, checkAt, id) AS position
        FROM due WHERE turn = 1 OR NOT isShared)
      SELECT ${dueColumns(time)}
      FROM chosen c CROSS JOIN listings l ON l.id = c.id CROSS JOIN nfts n ON n.id = l.nftId
        CROSS JOIN users u ON u.id = l.sellerId
      WHERE c.position <= coalesce(${JSON.stringify(Object.fromEntries(paces))} ->> c.network, ${MAX_TRIED})
      ORDER BY c.position`,
  })
  return due
}

/** Returns a listing of each group that is on sale and was not tried in this run. */
async function selectSamples(
  { db, now }: Run,
  groups: readonly ListingGroup[],
  tried: readonly DueListing[],
): Promise<DueListing[]> {
  if (groups.length === 0) return []
  const time = now.toISOString()
  const { samples } = await batch(db, {
    samples: raw<DueListing>(db)`
      SELECT ${dueColumns(time)} FROM json_each(${JSON.stringify(groups)}) g
        CROSS JOIN listings l ON l.id = (SELECT l.id
          FROM nfts n CROSS JOIN listings l ON l.nftId = n.id
          WHERE ${isOfGroup} AND l.obstacle IS NULL AND ${isForSaleAt(time)}
            AND n.recipients = 'anybody'
            AND l.id NOT IN (SELECT value FROM json_each(${JSON.stringify(tried.map(({ id }) => id))}))
          LIMIT 1)
        CROSS JOIN nfts n ON n.id = l.nftId CROSS JOIN users u ON u.id = l.sellerId`,
  })
  return samples
}

/** Whether a listing `l` of the NFT `n` belongs to the group `g`. */
const isOfGroup = sql`n.contractAddr = g.value ->> 'contract' AND n.contractNetwork = g.value ->> 'network'
  AND n.fulfilment = g.value ->> 'fulfilment' AND n.heldBySeller = g.value ->> 'heldBySeller'
  AND l.sellerId = g.value ->> 'sellerId'`

/** What a delivery has found meanwhile stays as it is. */
async function store(
  { db, now }: Run,
  rows: readonly ReturnType<typeof judgeListing>[],
  tried: readonly Judged[],
) {
  const time = now.toISOString()
  const inOneDay = new Date(now.getTime() + DAY).toISOString()
  const groupsThat = (...outcomes: Outcome[]) => JSON.stringify(findGroups(tried, ...outcomes))
  const shared = sql`listings l ON l.sellerId = g.value ->> 'sellerId'
      AND l.isShared = 1 AND l.obstacle IS NOT NULL AND l.checkAt <> ${NEVER}
    CROSS JOIN nfts n ON n.id = l.nftId AND ${isOfGroup}`
  await batch(db, {
    tried: raw<never>(db)`
      UPDATE listings SET obstacle = value ->> 'obstacle', obstacleSince = value ->> 'obstacleSince',
        foundBy = value ->> 'foundBy', isShared = value ->> 'isShared',
        disputedSince = value ->> 'disputedSince', untriedUntil = value ->> 'untriedUntil',
        checkAt = value ->> 'checkAt',
        updatedAt = iif(obstacle IS value ->> 'obstacle'
          AND (value ->> 'untriedUntil' IS NOT NULL OR coalesce(untriedUntil, '') <= ${time}), updatedAt, ${time})
      FROM json_each(${JSON.stringify(rows)})
      WHERE listings.id = value ->> 'id' AND checkAt = value ->> 'was'`,
    stopped: raw<never>(db)`
      UPDATE listings SET obstacle = g.obstacle, obstacleSince = ${time}, foundBy = 'trial', isShared = 1,
        checkAt = ${inOneDay}, updatedAt = ${time}
      FROM (SELECT l.id, min(g.value ->> 'obstacle') AS obstacle
        FROM json_each(${groupsThat('stop')}) g CROSS JOIN nfts n CROSS JOIN listings l ON l.nftId = n.id
        WHERE ${isOfGroup} AND l.obstacle IS NULL AND n.recipients = 'anybody' GROUP BY l.id) g
      WHERE listings.id = g.id`,
    kept: raw<never>(db)`
      UPDATE listings SET checkAt = ${inOneDay} WHERE checkAt <= ${time} AND id IN (
        SELECT l.id FROM json_each(${groupsThat('keep', 'stop', 'ask')}) g CROSS JOIN ${shared})`,
    // One is tried together with those that were refused.
    next: raw<never>(db)`
      UPDATE listings SET checkAt = n.checkAt
      FROM (SELECT min(l.id) AS id, g.value ->> 'checkAt' AS checkAt
        FROM json_each(${groupsThat('keep', 'stop', 'ask')}) g CROSS JOIN ${shared}
        WHERE n.recipients = 'anybody' AND ${isForSaleAt(time)} GROUP BY g.key) n
      WHERE listings.id = n.id AND listings.checkAt > n.checkAt`,
    // Over a day, as those that are tried once a day.
    sold: raw<never>(db)`
      UPDATE listings SET obstacle = NULL, obstacleSince = NULL, foundBy = NULL, isShared = 0,
        disputedSince = NULL, updatedAt = ${time},
        checkAt = iif(untriedUntil IS NULL, strftime('%Y-%m-%dT%H:%M:%fZ', ${time}, (id % 1440) || ' minutes'), ${time})
      WHERE id IN (SELECT l.id FROM json_each(${groupsThat('sell', 'end_dispute')}) g CROSS JOIN ${shared}
        WHERE l.obstacleSince < ${time} AND (g.value ->> 'outcome' = 'sell' OR l.foundBy = 'trial'))`,
  })
}
