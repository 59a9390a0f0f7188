/** The NFTs that were delivered to a user. */
import { sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import type { Ctx } from '../http/context.ts'

/** Orders that one page looks at. */
const PAGE_SIZE = 48

export type CollectedNft = {
  id: number
  title: string
  coverKey: string | null
  contractName: string
  /** Pieces of the orders of the page. */
  pieces: number
  /** The newest of them. */
  orderId: number
}

type Range = Placeholders<{ userId: number; before: number }>

const bought = ({ userId, before }: Range) => sql`(SELECT id FROM orders
  WHERE buyerId = ${userId} AND id < ${before} ORDER BY id DESC LIMIT ${PAGE_SIZE})`

const selectDelivered = prepared((db, range: Range) =>
  db.all<CollectedNft>(sql`SELECT n.id, n.title, n.coverKey, n.contractName,
      sum(i.quantity) AS pieces, max(i.orderId) AS orderId
    FROM ${bought(range)} o CROSS JOIN orderItems i ON i.orderId = o.id
      CROSS JOIN deliveries d ON d.id = i.id AND d.state = 'transferred'
      CROSS JOIN nfts n ON n.id = i.nftId
    GROUP BY n.id ORDER BY orderId DESC`),
)

const selectNext = prepared((db, range: Range) =>
  db.all<{ next: number | null }>(sql`SELECT max(id) + 1 AS next FROM orders
    WHERE buyerId = ${range.userId} AND id < (SELECT min(id) FROM ${bought(range)})`),
)

/**
 * Returns the signed-in user and a page of the NFTs that were delivered to the user, the newest order
 * first. `before` is the `next` of the page before; null begins with the newest. A page may be empty
 * before the last one. Throws `unauthenticated`, `forbidden`.
 */
export async function readCollection(
  { db, caller }: Pick<Ctx, 'db' | 'caller'>,
  { before }: { before: number | null },
) {
  const range = { userId: caller.userId, before: before ?? Number.MAX_SAFE_INTEGER }
  const [account, nfts, [last]] = await readAsUser({ db, caller }, [
    selectDelivered(db, range),
    selectNext(db, range),
  ])
  return { account, nfts, next: last?.next ?? null }
}
