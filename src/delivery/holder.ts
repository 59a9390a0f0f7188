/** Who has the pieces of an NFT until they are delivered. */
import type { Address } from 'viem'
import type { nfts } from '../db/schema/catalogue.ts'
import type { Network } from '../env.ts'

type Held = {
  fulfilment: (typeof nfts.$inferSelect)['fulfilment']
  heldBySeller: boolean | 0 | 1
  /** The wallet of the seller; empty without one. */
  seller: string
}

/** Returns the treasury that has what is not minted of an NFT; undefined if the wallet of the seller has it. */
export const treasuryOf = (
  { heldBySeller }: Pick<Held, 'heldBySeller'>,
  { treasury }: Pick<Network, 'treasury'>,
): Address | undefined => (heldBySeller ? undefined : treasury)

/** Returns the wallet that has the pieces; null if they are minted on delivery. */
export const holderOf = (nft: Held, network: Pick<Network, 'treasury'>): string | null =>
  nft.fulfilment === 'mint' ? null : (treasuryOf(nft, network) ?? nft.seller)
