/** NFTs and their creators, on public pages. */
import type { Person, ShownNft } from '../../marketplace/cards.ts'
import { count } from './numbers.ts'
import { Cover } from './picture.tsx'
import { Price, Title } from './text.tsx'

export const nameOf = ({ name, username }: Person) => name || username || 'Somebody without a name'

export const PersonName = ({ person }: { person: Person }) => <bdi>{nameOf(person)}</bdi>

/** No user name is a number. */
export const creatorPath = ({ id, username }: Person) => `/creators/${username ?? id}`

export const editionOf = ({ amountType, card: { amount } }: ShownNft): string => {
  if (amountType === 'unlimited') return 'Open edition'
  return amount === 1 ? 'Unique' : `Edition of ${count(amount)}`
}

/** The price of an auction is where bidding starts. */
export const AskedPrice = ({ nft: { notSellableReason, card } }: { nft: ShownNft }) =>
  notSellableReason === 'listing_is_auction' ? <span>By auction only</span> : <Price {...card} />

/** Cards of NFTs. The link of the title covers its card. `isSelection`: there may be others. */
export const NftGrid = ({ nfts, isSelection }: { nfts: ShownNft[]; isSelection?: boolean }) =>
  nfts.length === 0 ? (
    <p class="empty">
      {isSelection ? 'No NFT fits. ' : 'Nothing is released yet. '}
      {isSelection ? <a href="/nfts">See all NFTs</a> : <a href="/docs">See how shops sell here</a>}
    </p>
  ) : (
    <ul class="grid">
      {nfts.map((nft) => (
        <li class="release">
          <Cover nft={{ id: nft.id, hasArt: nft.imageUrl !== null }} />
          <h3>
            <a href={`/nfts/${nft.id}`}>
              <Title>{nft.title}</Title>
            </a>
          </h3>
          <p class="meta">
            <PersonName person={nft.creator} />
          </p>
          <p class="meta">{editionOf(nft)}</p>
          <p>{nft.available === 0 ? 'Sold out' : <AskedPrice nft={nft} />}</p>
        </li>
      ))}
    </ul>
  )
