/** What search engines read of an NFT: https://schema.org/Product, as JSON-LD. */
import { raw } from 'hono/html'
import type { NftDetails } from '../../marketplace/pages.ts'
import { artUrl } from '../../marketplace/pictures.ts'
import { nameOf } from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { decimalPrice } from '../components/text.ts'

/** A block of data, which is no script for the Content Security Policy. */
export const Product = ({ nft, offers }: NftDetails) => {
  const { settings, texts } = usePage()
  const { PUBLIC_URL } = settings
  const url = `${PUBLIC_URL}/nfts/${nft.id}`
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: nft.title,
    description: nft.description ?? undefined,
    image: nft.imageUrl === null ? undefined : artUrl(PUBLIC_URL, nft.id, 'page'),
    url,
    brand: { '@type': 'Brand', name: nameOf(nft.creator, texts) },
    ...(offers.length > 0 && {
      offers: offers.map(({ seller, price, currency, shopUrl }) => ({
        '@type': 'Offer',
        url: shopUrl ?? url,
        price: decimalPrice(price, currency),
        priceCurrency: currency,
        availability: 'https://schema.org/InStock',
        seller: { '@type': 'Person', name: nameOf(seller, texts) },
      })),
    }),
  }
  // With `<`, a text of others could end the block.
  const json = JSON.stringify(product).replaceAll('<', '\\u003c')
  return <script type="application/ld+json">{raw(json)}</script>
}
