/** NFTs and people on pages: their names, prices and pictures, and what chats show of them. */
import { type AvatarOwner, avatarUrl } from '../../avatars/serve.ts'
import type { PublicPerson, ShownNft } from '../../marketplace/pages.ts'
import { artUrl, coverOf } from '../../marketplace/pictures.ts'
import type { Nft } from '../../orders/reading/nft.ts'
import type { Texts } from '../../texts/en.ts'
import { inTexts, type Translated, usePage } from './request.ts'
import { formatCount } from './text.ts'
import { Price, Title } from './values.tsx'

export const nameOf = ({ name, username }: PublicPerson, { nfts }: Texts): string =>
  name || username || nfts.somebody

export const PersonName = ({ person }: { person: PublicPerson }) => (
  <bdi>{nameOf(person, usePage().texts)}</bdi>
)

/** No user name is a number. */
export const creatorPath = ({ id, username }: PublicPerson) => `/creators/${username ?? id}`

type Edition = Pick<ShownNft, 'amountType'> & { card: Pick<ShownNft['card'], 'amount'> }

/** In the language of the page, as the number of NFTs. */
export function editionOf({ amountType, card: { amount } }: Edition): string {
  const { texts, locale } = usePage()
  const { editions, editionOf } = texts.nfts
  if (amountType === 'unlimited') return editions.unlimited
  return amount === 1 ? editions.unique : editionOf(formatCount(amount, locale))
}

export function countOf({ nfts: count }: { nfts: number }): string {
  const { texts, locale } = usePage()
  return texts.nfts.count(count, formatCount(count, locale))
}

type Asked = Pick<ShownNft, 'notSellableReason'> & {
  card: Pick<ShownNft['card'], 'price' | 'currency'>
}

/** The price of an auction is where bidding starts. */
export const AskedPrice = ({ nft: { notSellableReason, card } }: { nft: Asked }) =>
  notSellableReason === 'listing_is_auction' ? (
    <span class="price">{usePage().texts.nfts.byAuction}</span>
  ) : (
    <Price {...card} />
  )

/** Cards of NFTs. The link of the title covers its card. `isSelection`: there may be others. */
export const NftGrid = ({ nfts, isSelection }: { nfts: ShownNft[]; isSelection?: boolean }) => {
  const texts = usePage().texts.nfts
  if (nfts.length === 0)
    return (
      <p class="empty">
        {isSelection ? texts.noneFits : texts.none}{' '}
        {isSelection ? <a href="/nfts">{texts.seeAll}</a> : <a href="/docs">{texts.seeHow}</a>}
      </p>
    )
  return (
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
          <p>{nft.available === 0 ? texts.soldOut : <AskedPrice nft={nft} />}</p>
        </li>
      ))}
    </ul>
  )
}

/** `size` is in pixels. The picture stands beside a name, so screen readers skip it. */
export const UserPicture = ({ user, size }: { user: AvatarOwner; size: number }) => (
  // A path, because pages may only load pictures of the host that served them.
  <img class="avatar" src={avatarUrl('', user)} alt="" width={size} height={size} />
)

type CoverProps = {
  nft: { id: number } & ({ hasArt: boolean } | Pick<Nft, 'coverKey' | 'payload'>)
  size?: 'card' | 'page'
  /** The path of the art, if it is not that which everybody sees. */
  art?: string
}

const hasArt = (nft: CoverProps['nft']): boolean => {
  if ('hasArt' in nft) return nft.hasArt
  const { metadata } = nft.payload as { metadata?: { image?: unknown } }
  return coverOf(usePage().settings, nft) !== null || typeof metadata?.image === 'string'
}

/** A drawing that depends on the NFT only. The art lies above it, or it says that there is none. */
export const Cover = ({ nft, size = 'card', art = artUrl('', nft.id, size) }: CoverProps) => {
  const { id } = nft
  const isDrawn = !hasArt(nft)
  const label = isDrawn ? usePage().texts.cover.none : undefined
  const random = randomNumbers(id)
  const hue = random(360)
  return (
    <div class={size === 'page' ? 'cover whole' : 'cover'}>
      <svg viewBox="0 0 96 96" role="img" aria-label={label} aria-hidden={!isDrawn}>
        <rect width="96" height="96" fill={`hsl(${hue} 40% 30%)`} />
        {[44, 32, 20].map((radius, layer) => (
          <circle
            cx={random(96)}
            cy={random(96)}
            r={radius + random(12)}
            fill={`hsl(${(hue + 24 * layer) % 360} 60% ${48 + 12 * layer}%)`}
            fill-opacity="0.6"
          />
        ))}
      </svg>
      {!isDrawn && <img src={art} alt="" loading="lazy" />}
    </div>
  )
}

/** Returns a function that returns integers below a limit: the same ones for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return (limit) => {
    // The generator mulberry32.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

type PreviewProps = {
  title: Translated<string>
  description: Translated<string>
  path: string
  /** The id of the NFT with the art to show. */
  artOf?: number | false
}

/** What search engines and chats show of a page (ogp.me). */
export const Preview = ({ path, artOf, ...said }: PreviewProps) => {
  const { settings, texts } = usePage()
  const { PUBLIC_URL, INSTANCE_NAME } = settings
  const [title, description] = [inTexts(said.title, texts), inTexts(said.description, texts)]
  const properties = {
    site_name: INSTANCE_NAME,
    title,
    description,
    type: 'website',
    url: PUBLIC_URL + path,
    ...(artOf && { image: artUrl(PUBLIC_URL, artOf, 'page') }),
  }
  return (
    <>
      <link rel="canonical" href={properties.url} />
      <meta name="description" content={description} />
      <meta name="twitter:card" content={artOf ? 'summary_large_image' : 'summary'} />
      {Object.entries(properties).map(([name, content]) => (
        <meta property={`og:${name}`} content={content} />
      ))}
    </>
  )
}
