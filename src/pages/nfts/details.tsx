/** The page of an NFT. */
import type { NftDetails, ShownListing } from '../../marketplace/nft.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { Icon } from '../components/icon.tsx'
import { creatorPath, editionOf, PersonName } from '../components/nfts.tsx'
import { count, plural } from '../components/numbers.ts'
import { Cover } from '../components/picture.tsx'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { Name, Price } from '../components/text.tsx'

export const NftPage = (details: NftDetails) => {
  const { nft, listings, attributes } = details
  const [best] = listings
  return (
    <article class="nft">
      <Cover nft={{ id: nft.id, hasArt: nft.imageUrl !== null }} size="page" />
      <div class="stack">
        <div>
          <h1>
            <Name>{nft.title}</Name>
          </h1>
          <p>
            By{' '}
            <a href={creatorPath(nft.creator)}>
              <PersonName person={nft.creator} />
            </a>
          </p>
        </div>
        <div>
          <p class="large">
            <Price
              amount={best?.priceCents ?? nft.card.price}
              currency={best?.priceCurrency ?? nft.card.currency}
            />
          </p>
          <p class="meta">
            <span>{editionOf(nft)}</span>
            <span>{stockOf(details)}</span>
          </p>
        </div>
        {nft.description && (
          <p class="description" dir="auto">
            {nft.description}
          </p>
        )}
        {details.link && (
          <p>
            <a href={details.link} rel="nofollow noopener">
              More at {new URL(details.link).host} <Icon name="external" size={12} />
            </a>
          </p>
        )}
        <section class="flow" aria-labelledby="sale">
          <h2 id="sale">Where it is sold</h2>
          <Rows
            items={listings}
            empty="Nobody sells it at the moment."
            labelledby="sale"
            row={(listing) => <Sale listing={listing} />}
          />
          <p class="hint">
            Buy it in the shop of the seller. After you have paid, it is sent to your wallet.
          </p>
        </section>
        {attributes.length > 0 && (
          <section class="flow" aria-labelledby="attributes">
            <h2 id="attributes">Attributes</h2>
            <dl class="facts">
              {attributes.map(({ name, value }) => (
                <div>
                  <dt dir="auto">{name || 'Value'}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ))}
            </dl>
          </section>
        )}
        <Token {...details} />
      </div>
    </article>
  )
}

/** Whether and how many pieces can be bought. */
function stockOf({ nft: { available, sellable, amountType }, listings }: NftDetails): string {
  if (available === 0) return 'Sold out'
  if (!sellable) return listings.length > 0 ? 'Not for sale now' : 'Not for sale'
  if (available === null || amountType === 'unique') return 'For sale'
  return `${count(available)} left`
}

const states: Record<string, string> = { sold_out: 'Sold out', listing_ended: 'Ended' }

const Sale = ({ listing }: { listing: ShownListing }) => {
  const { seller, priceCents, priceCurrency, notSellableReason, maxPerOrder } = listing
  return (
    <li class="row">
      <span>
        <PersonName person={seller} />
      </span>
      <Price amount={priceCents} currency={priceCurrency} />
      <p class="meta">
        {notSellableReason ? (states[notSellableReason] ?? 'Not for sale now') : 'For sale'}
        {!notSellableReason &&
          maxPerOrder !== null &&
          `, up to ${plural(maxPerOrder, 'piece')} an order`}
      </p>
    </li>
  )
}

const Token = ({ nft: { network, contract, tokenId }, contractName }: NftDetails) => (
  <section class="flow" aria-labelledby="token">
    <h2 id="token">Token</h2>
    <dl class="facts">
      <div>
        <dt>Contract</dt>
        <dd>
          <Name>{contractName}</Name>{' '}
          <ExplorerLink
            network={usePage().settings.NETWORKS[network]}
            kind="address"
            value={contract}
          />
        </dd>
      </div>
      {tokenId !== null && (
        <div>
          <dt>Token id</dt>
          <dd class="code">{tokenId}</dd>
        </div>
      )}
      <div>
        <dt>Network</dt>
        <dd>{network}</dd>
      </div>
    </dl>
  </section>
)
