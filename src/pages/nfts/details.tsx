/** The page of an NFT. */
import type { NftDetails } from '../../marketplace/nft.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { Facts } from '../components/facts.tsx'
import { Icon } from '../components/icon.tsx'
import { creatorPath, editionOf, PersonName } from '../components/nfts.tsx'
import { count } from '../components/numbers.ts'
import { Cover } from '../components/picture.tsx'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { Name, Price } from '../components/text.tsx'

export const NftPage = (details: NftDetails) => {
  const { nft, offers, attributes, link } = details
  const { network, contract, tokenId } = nft
  const [best] = offers
  return (
    <article class="nft">
      <Cover nft={{ id: nft.id, hasArt: nft.imageUrl !== null }} size="page" />
      <div class="stack">
        <h1>
          <Name>{nft.title}</Name>
        </h1>
        <p>
          By{' '}
          <a href={nft.card.status === 'released' ? creatorPath(nft.creator) : undefined}>
            <PersonName person={nft.creator} />
          </a>
        </p>
        <p class="offer">
          <Price {...(best ?? nft.card)} />
          <span class="meta">
            <span>{editionOf(nft)}</span>
            <span>{stockOf(details)}</span>
          </span>
        </p>
        {nft.description && (
          <p class="description" dir="auto">
            {nft.description}
          </p>
        )}
        {link && (
          <a href={link} rel="nofollow noopener">
            More at {new URL(link).host} <Icon name="external" size={12} />
          </a>
        )}
        <section class="flow" aria-labelledby="sale">
          <h2 id="sale">Where it is sold</h2>
          <Rows
            items={offers}
            empty={
              <>
                Nobody sells it at the moment. <a href="/nfts?sale=on">See what is for sale</a>
              </>
            }
            labelledby="sale"
            row={(offer) => (
              <li class="row">
                <PersonName person={offer.seller} />
                <Price {...offer} />
              </li>
            )}
          />
          {best && <p class="hint">Buy it in the seller’s shop. It is then sent to your wallet.</p>}
        </section>
        {attributes.length > 0 && <h2>Attributes</h2>}
        <Facts facts={attributes} />
        <h2>Token</h2>
        <Facts
          facts={[
            ['Collection', details.contractName],
            [
              'Contract',
              <ExplorerLink
                network={usePage().settings.NETWORKS[network]}
                kind="address"
                value={contract}
              />,
            ],
            ['Token id', tokenId ?? 'Not minted yet'],
            ['Network', network],
          ]}
        />
      </div>
    </article>
  )
}

/** Whether and how many pieces can be bought. */
function stockOf({ nft: { available, amountType }, offers }: NftDetails): string {
  if (available === 0) return 'Sold out'
  if (offers.length === 0) return 'Not for sale'
  return available === null || amountType === 'unique' ? 'For sale' : `${count(available)} left`
}
