/** Reads a page of orders, people, NFTs or listings, the newest first. */
import { type SQL, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { batch } from '../../db/batch.ts'
import { cutPage, MAX_CANDIDATES } from '../../db/candidates.ts'
import type { Database } from '../../db/client.ts'
import { raw, type StatementOf } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { selectSummaries } from '../../orders/reading/list.ts'
import type { ListRequest } from '../../orders/reading/request.ts'
import { DAY } from '../../time.ts'
import { idAt } from '../components/ids.ts'
import { nameSql } from '../components/people.tsx'

const PAGE_SIZE = 50

/** `cursor`: the `next` of the page before. */
export type Page = {
  /** The first and the last day (UTC), as in `2026-11-24`. */
  since?: string | undefined
  until?: string | undefined
  cursor?: number | undefined
}

const dayAfter = (day: string) => new Date(Date.parse(day) + DAY).toISOString()

type Listed<Row> = {
  table: 'users' | 'nfts' | 'listings'
  /** Selects the newest rows by a condition. */
  select: (condition: SQL, limit: number) => StatementOf<Row[]>
  /** The id of a row, and whether it matches the filters. */
  id: SQL
  isMatch: SQL
}

/**
 * Returns the administrator, those of the next candidates that match, and where the next page begins. A page
 * may have fewer rows before the last one.
 */
export async function readNewest<Row extends { id: number }>(
  ctx: Ctx,
  { since, until, cursor = Number.MAX_SAFE_INTEGER }: Page,
  { table, select, id, isMatch }: Listed<Row>,
) {
  const end = until ? idAt(table, dayAfter(until)) : sql`${cursor}`
  const candidates = sql`SELECT id FROM ${sql.raw(table)}
    WHERE id >= ${since ? idAt(table, since) : sql`1`} AND id < min(${cursor}, ${end})
    ORDER BY id DESC LIMIT ${MAX_CANDIDATES}`
  const { account, rows, ends } = await readAsUser(ctx, {
    rows: select(sql`${id} IN (${candidates}) AND ${isMatch}`, PAGE_SIZE + 1),
    ends: raw<{ id: number | null }>(ctx.db)`
      SELECT iif(count(*) = ${MAX_CANDIDATES}, min(id), NULL) AS id FROM (${candidates})`,
  })
  const found = rows.slice(0, PAGE_SIZE)
  return { account, rows: found, next: rows.length > PAGE_SIZE ? found.at(-1)?.id : ends[0]?.id }
}

export type OrderFilter = Pick<ListRequest, 'deliveryStatus' | 'source'>

/** An order, with the names that its summary has no place for. */
export type ListedOrder = Awaited<ReturnType<typeof readNewestOrders>>['rows'][number]

export async function readNewestOrders(
  ctx: Ctx,
  { since, until, cursor, ...filter }: Page & OrderFilter,
) {
  const request = {
    ...filter,
    limit: PAGE_SIZE,
    cursor: cursor === undefined ? cursor : { id: cursor },
    createdFrom: since && `${since}T00:00:00.000Z`,
    createdTo: until && dayAfter(until),
  }
  const all = { role: 'master', scope: 'read', userId: ctx.caller.userId, tokenId: '' } as const
  const { account, orders } = await readAsUser(ctx, {
    orders: selectSummaries(ctx.db, all, request),
  })
  const { page, last } = cutPage(orders, PAGE_SIZE)
  const rows = page.map(({ summary }) => summary)
  const names = await readNames(ctx.db, rows)
  return { account, rows: rows.map((row) => ({ ...row, ...names.get(row.id) })), next: last?.id }
}

type Named = Record<'id' | 'buyerId' | 'sellerId' | 'nftId', number>
type Names = { id: number; title: string } & Record<'buyerName' | 'sellerName', string | null>

async function readNames(db: Database, orders: readonly Named[]) {
  const ids = orders.map(({ id, buyerId, sellerId, nftId }) => ({ id, buyerId, sellerId, nftId }))
  const { names } = await batch(db, {
    names: raw<Names>(db)`SELECT o.value ->> 'id' AS id, n.title,
        ${nameSql('buyer')} AS buyerName, ${nameSql('seller')} AS sellerName
      FROM json_each(${JSON.stringify(ids)}) o CROSS JOIN nfts n ON n.id = o.value ->> 'nftId'
        CROSS JOIN users buyer ON buyer.id = o.value ->> 'buyerId'
        CROSS JOIN users seller ON seller.id = o.value ->> 'sellerId'`,
  })
  return new Map(names.map((row) => [row.id, row]))
}
