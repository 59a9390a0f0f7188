import type { CollectedNft } from '../../orders/collection.ts'
import { Pager } from '../components/navigation.tsx'
import { plural } from '../components/numbers.ts'
import { Cover } from '../components/picture.tsx'

type CollectionProps = {
  nfts: CollectedNft[]
  /** The cursor of the next page; null on the last. */
  next: number | null
  isFirstPage: boolean
}

/** What was delivered to a user. Each card leads to its newest order. */
export const Collection = ({ nfts, next, isFirstPage }: CollectionProps) => (
  <div class="flow">
    <h1>Collection</h1>
    <p class="lead">
      What you bought here and got. An NFT that you have given away since is still shown.
    </p>
    {nfts.length === 0 ? (
      <p class="empty">
        {isFirstPage && next === null ? (
          <>
            Nothing was delivered to you yet. <a href="/orders">Your orders</a> say what is on its
            way.
          </>
        ) : (
          'None of these orders is delivered.'
        )}
      </p>
    ) : (
      <ul class="grid">
        {nfts.map((nft) => (
          <li class="release">
            <Cover nft={nft} />
            <h2>
              <a href={`/orders/${nft.orderId}`}>
                <bdi>{nft.title}</bdi>
              </a>
            </h2>
            <p class="meta">
              <span>
                <bdi>{nft.contractName}</bdi>
              </span>
              <span>{plural(nft.pieces, 'piece')}</span>
            </p>
          </li>
        ))}
      </ul>
    )}
    <Pager
      noun="orders"
      first={isFirstPage ? null : '/collection'}
      next={next === null ? null : `/collection?before=${next}`}
    />
  </div>
)
