import { findAccount } from '../../auth/session.ts'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import type { Caller } from '../../http/context.ts'
import { requirePrimary } from '../../http/nearest.ts'
import type { OrderNumbers } from '../../orders/number.ts'
import { type Shop, selectShop } from '../../orders/reading/shop.ts'

type ClaimRow = OrderNumbers & {
  buyerId: number
  /** Of the buyer; `''` without one. */
  email: string
  /** Whether the order item waits for a wallet of the buyer. */
  waits: 0 | 1
  quantity: number
  nftId: number
  title: string
  coverKey: string | null
  /** The image of its metadata. */
  image: string | null
  hasSecret: 0 | 1
}

export type Claim = ClaimRow & { shop: Shop | undefined }

/**
 * Returns who is signed in, and the order with its shop, if the caller has its secret or is its buyer.
 * Otherwise nothing tells whether there is one.
 */
export async function readClaim(
  { db, caller }: { db: Database; caller: Caller | null },
  { id, secret }: { id: number; secret: string | undefined },
) {
  if (!secret && !caller) return { account: null, claim: null }
  const [account, { claims, shop }] = await Promise.all([
    findAccount(db, caller),
    batch(db, {
      claims: raw<ClaimRow>(db)`
        SELECT o.id, o.providerId, o.buyerId, u.email, d.awaits IS NOT NULL AS waits, i.quantity,
          i.nftId, n.title, n.coverKey, n.payload ->> '$.metadata.image' AS image,
          o.claimSecret = ${secret ?? ''} AS hasSecret
        FROM orders o JOIN users u ON u.id = o.buyerId JOIN orderItems i ON i.orderId = o.id
          JOIN deliveries d ON d.id = i.id JOIN nfts n ON n.id = i.nftId
        WHERE o.id = ${id} AND u.removedAt IS NULL`,
      shop: selectShop(db, { id }),
    }),
  ])
  const [found] = claims
  const claim = found && (found.hasSecret || found.buyerId === account?.id) ? found : null
  if (!claim) requirePrimary(db)
  return { account, claim: claim && { ...claim, shop: shop[0] } }
}
