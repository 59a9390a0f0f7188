/** More pieces of what is listed already: Settings → Selling. */
import { readAs } from '../auth/access.ts'
import type { Guard } from '../db/batch.ts'
import type { nfts } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { treasuryOf } from '../delivery/holder.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { proveToken } from './proof.ts'

type Row = Pick<
  typeof nfts.$inferSelect,
  'externalId' | 'tokenId' | 'fulfilment' | 'heldBySeller' | 'amount' | 'availableAmount'
> & { network: string; contract: string; wallet: string; walletChainId: number }

/**
 * Throws unless the caller, who sells the listing and has created its NFT, holds or may mint as many pieces as `amount`
 * leaves for sale, as `proveToken` does. An operator vouches for what a contract mints of an imported record. Returns the guards of the change.
 */
export async function proveAmount(
  ctx: Ctx & { settings: Settings },
  { listingId, amount }: { listingId: number; amount: number },
): Promise<Guard[]> {
  const { db, caller, settings } = ctx
  const { rows } = await readAs(db, caller, {
    rows: raw<Row>(
      db,
    )`SELECT n.externalId, n.contractNetwork AS network, n.contractAddr AS contract,
        n.tokenId, n.fulfilment, n.heldBySeller, n.amount, n.availableAmount,
        u.ethereumPublicAddr AS wallet, u.walletChainId
      FROM listings l JOIN nfts n ON n.id = l.nftId JOIN users u ON u.id = n.creatorId
      WHERE l.id = ${listingId} AND l.sellerId = ${caller.userId} AND n.creatorId = ${caller.userId}`,
  })
  const [nft] = rows
  const network = nft && settings.NETWORKS[nft.network]
  if (!nft || !network || !(Number.isSafeInteger(amount) && amount > nft.amount)) return []
  if (!nft.heldBySeller && (nft.fulfilment === 'mint' || treasuryOf(nft, network))) return []
  const { externalId, wallet, walletChainId, amount: before, availableAmount, ...token } = nft
  return proveToken(ctx, {
    token: { ...token, pieces: amount - (before - availableAmount) },
    holder: { id: caller.userId, wallet, walletChainId },
    externalId,
  })
}
