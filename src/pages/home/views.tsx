import type { Home } from '../../marketplace/home.ts'
import { LinkButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { count, money, plural } from '../components/numbers.ts'
import { Cover, UserPicture } from '../components/picture.tsx'
import { usePage } from '../components/request.ts'
import { Time } from '../components/time.tsx'

/** The newest NFTs and the creators. */
export const HomePage = ({ releases, creators, stats }: Home) => (
  <div class="home">
    <section class="hero">
      <h1>Digital collectibles, delivered to your wallet</h1>
      <p class="lead">
        Creators release NFTs here, and shops sell them. After you have paid in a shop, the NFT is
        transferred to your wallet exactly once, and you can follow it on the way.
      </p>
      <p class="actions">
        <LinkButton href={usePage().account ? '/orders' : '/sign-in'} kind="primary">
          {usePage().account ? 'Your orders' : 'Sign in'}
        </LinkButton>
        <LinkButton href="/docs">
          <Icon name="code" />
          API
        </LinkButton>
      </p>
      <dl class="numbers">
        <Figure name="NFTs" value={stats.nfts.total} />
        <Figure name="Unique" value={stats.nfts.unique} />
        <Figure name="Limited" value={stats.nfts.rare} />
        <Figure name="Open editions" value={stats.nfts.unlimited} />
      </dl>
    </section>
    <section class="flow" aria-labelledby="releases">
      <h2 id="releases">Recent releases</h2>
      {releases.length === 0 ? (
        <p class="empty">Nothing is released yet.</p>
      ) : (
        <ul class="grid">
          {releases.map((release) => (
            <Release release={release} />
          ))}
        </ul>
      )}
    </section>
    {creators.length > 0 && (
      <section class="flow" aria-labelledby="creators">
        <h2 id="creators">Creators</h2>
        <ul class="grid creators">
          {creators.map((creator) => (
            <li class="creator">
              <UserPicture user={creator} size={40} />
              <div>
                <h3>{displayName(creator)}</h3>
                <p class="meta">
                  {plural(creator.nfts, 'NFT')}, the latest <Time at={creator.latestReleaseAt} />
                </p>
              </div>
            </li>
          ))}
        </ul>
      </section>
    )}
  </div>
)

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{count(value)}</dd>
  </div>
)

const displayName = ({ name, username }: { name: string | null; username: string | null }) =>
  name || username || 'A creator without a name'

const Release = ({ release }: { release: Home['releases'][number] }) => {
  const { title, price, priceCurrency, creatorName, creatorUsername } = release
  return (
    <li class="release">
      <Cover nft={release} />
      <h3>{title}</h3>
      <p class="meta">
        <span>{displayName({ name: creatorName, username: creatorUsername })}</span>
        <span>{describeEdition(release)}</span>
      </p>
      <p>{money(price, priceCurrency)}</p>
    </li>
  )
}

function describeEdition({ amountType, amount }: Home['releases'][number]): string {
  if (amountType === 'unlimited') return 'Open edition'
  return amount === 1 ? 'Unique' : `Edition of ${count(amount)}`
}
