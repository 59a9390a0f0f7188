/** Who gets the content of an NFT, and the URLs of its files. */
import { eq, sql } from 'drizzle-orm'
import { actsForAll, readAs, writeAs } from '../auth/access.ts'
import { recordIntended } from '../auth/audit.ts'
import { signDownload, tokenIssuer } from '../auth/tokens.ts'
import { holdsPieces } from '../chain/holding.ts'
import { prefixed } from '../db/columns.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { deliveries } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, tryLater } from '../http/errors.ts'
import { contentLimits } from '../limits.ts'
import { codesSql, filesSql, type StoredFile } from '../orders/reading/files.ts'
import {
  isVisibleSql,
  personOf,
  type ViewerValues,
  viewerValues,
} from '../orders/reading/viewer.ts'
import { openCodes } from './cipher.ts'
import type { ReleasedFile } from './download.ts'

export type ContentCtx = Ctx & { settings: Settings }

const contentColumns = {
  nftId: nfts.id,
  creatorId: nfts.creatorId,
  release: nfts.contentRelease,
  phrase: nfts.secretPhrase,
  files: filesSql(sql`${nfts.id}`),
}

const selectOfOrder = prepared((db, values: ViewerValues & { orderId: number }) =>
  db
    .select({
      content: prefixed('content', {
        ...contentColumns,
        itemId: orderItems.id,
        hasCodes: nfts.hasCodes,
        codes: codesSql(sql`${orderItems.id}`),
        quantity: orderItems.quantity,
        buyerId: orders.buyerId,
        state: deliveries.state,
      }),
    })
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .innerJoin(nfts, eq(nfts.id, orderItems.nftId))
    .where(sql`${orders.id} = ${values.orderId} AND ${isVisibleSql(values)}`),
)

/**
 * Returns what the delivery of an order has released: to the buyer, the creator and master tokens.
 * Throws `order_not_found`, `not_found`, `not_delivered`, `forbidden`.
 */
export async function readContentOfOrder(ctx: ContentCtx, orderId: number) {
  const { caller, settings } = ctx
  const { content, claims } = await findReleased(ctx, orderId)
  const { hasCodes, nftId, buyerId, codes, quantity } = content
  const released = await withUrls(ctx, content, claims)
  if (!hasCodes || (!actsForAll(caller) && personOf(caller) !== buyerId)) return released
  if (actsForAll(caller)) await recordReading(ctx, orderId)
  const opened = await openCodes(settings, nftId, codes)
  return { ...released, codes: opened, missingCodes: quantity - codes.length }
}

const recordReading = (ctx: ContentCtx, orderId: number) =>
  writeAs(ctx.db, ctx.caller, [], {
    audit: recordIntended(ctx, { action: 'codes.read', subject: orderId }),
  })

async function findReleased({ db, caller }: ContentCtx, orderId: number) {
  const { found } = await readAs(db, caller, {
    found: selectOfOrder(db, { ...viewerValues(caller), orderId }),
  })
  const content = found[0]?.content
  if (!content) throw new ApiError('order_not_found', `order ${orderId} does not exist`)
  const { nftId, release, creatorId, buyerId, state, itemId } = content
  const isBuyer = personOf(caller) === buyerId
  const isMaker = actsForAll(caller) || personOf(caller) === creatorId
  if (!isBuyer && !isMaker)
    throw new ApiError('forbidden', 'only the buyer and the creator get the content')
  if (!release) throw new ApiError('not_found', 'the NFT has no content')
  if (release === 'holder' && !isMaker)
    throw new ApiError(
      'forbidden',
      `who holds the token gets this content: see GET /api/public/nfts/${nftId}/content`,
    )
  if (state !== 'transferred') throw new ApiError('not_delivered', 'the NFT is not delivered')
  return { content, claims: { item: itemId, user: buyerId } }
}

/** Returns a file that an order has released to the signed-in user. Throws as `readContentOfOrder`. */
export async function findFileOfOrder(
  ctx: ContentCtx,
  { id, name }: { id: number; name: string },
): Promise<ReleasedFile> {
  const { content, claims } = await findReleased(ctx, id)
  const file = content.files.find((each) => each.name === name)
  if (!file) throw new ApiError('not_found', 'the NFT has no such file')
  return { ...file, ...claims, nftId: content.nftId }
}

const selectOfHolder = prepared((db, { nftId, userId }: { nftId: number; userId: number }) =>
  db
    .select({
      content: prefixed('content', {
        ...contentColumns,
        network: nfts.contractNetwork,
        contract: nfts.contractAddr,
        tokenId: nfts.tokenId,
        wallet: users.ethereumPublicAddr,
        walletChainId: users.walletChainId,
      }),
    })
    .from(nfts)
    .innerJoin(users, eq(users.id, userId))
    // Nobody gets what was never on sale.
    .where(sql`${nfts.id} = ${nftId} AND ${nfts.deletedAt} IS NULL AND (${nfts.wasReleased}
      OR ${nfts.status} IN ('released', 'unlisted') OR ${nfts.availableAmount} < ${nfts.amount})`),
)

/**
 * Returns the content of an NFT for who holds its token now, as all configured nodes say.
 * Throws `not_found`, `forbidden`, `try_later`.
 */
export async function readContentOfHolder(ctx: ContentCtx, nftId: number) {
  const { db, caller, settings } = ctx
  const { found } = await readAs(db, caller, {
    found: selectOfHolder(db, { nftId, userId: caller.userId }),
  })
  const content = found[0]?.content
  if (content?.release !== 'holder')
    throw new ApiError('not_found', 'no content of this NFT is for who holds its token')
  const { contract, tokenId, wallet, walletChainId } = content
  const network = settings.NETWORKS[content.network]
  const holds =
    network !== undefined &&
    tokenId !== null &&
    (await holdsPieces(network, { contract, tokenId, wallet, walletChainId, pieces: 1n }))
  if (holds === null) throw tryLater('not all nodes of the network tell who holds the token')
  if (!holds) throw new ApiError('forbidden', 'your wallet does not hold the token')
  return withUrls(ctx, content, { item: null, user: caller.userId })
}

/** Without codes: they are for one order. */
type Released = { phrase: string | null; files: readonly StoredFile[] }

/** `item`: the order item that releases it; null for who holds the token. `user`: for whom it is counted. */
async function withUrls(
  { settings, now }: ContentCtx,
  { phrase, files }: Released,
  claims: { item: number | null; user: number },
) {
  const expiresAt = new Date(now.getTime() + contentLimits.url.max)
  const issuer = tokenIssuer(settings)
  const signed = files.map(async ({ key, name, type, bytes, sha256 }) => {
    const token = await signDownload(issuer, { key, ...claims }, expiresAt)
    const url = `${settings.PUBLIC_URL}/files/${encodeURIComponent(name)}?token=${token}`
    return { name, type, bytes, sha256, url }
  })
  return {
    phrase,
    codes: null,
    missingCodes: 0,
    files: await Promise.all(signed),
    expiresAt: expiresAt.toISOString(),
  }
}
