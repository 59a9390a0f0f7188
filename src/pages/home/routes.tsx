/** The start page: the newest NFTs and the creators. */
import { Endpoints } from '../../http/endpoint.ts'
import { type Home, readHome } from '../../marketplace/pages.ts'
import { LinkButton } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Fact, Section } from '../components/lists.tsx'
import { creatorPath, NftGrid, nameOf, Preview, UserPicture } from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { formatCount, plural } from '../components/text.ts'
import { Time, Title } from '../components/values.tsx'
import { page, shown, withAccount } from '../page.tsx'

export const homeRoutes = new Endpoints().get('/', shown.public({}), async (c) => {
  const [account, data] = await withAccount(c, readHome(c.var))
  const head = (
    <Preview
      title="Digital collectibles, delivered to your wallet"
      description="Creators release NFTs here, and shops sell them."
      path="/"
    />
  )
  return page(c, { title: 'Digital collectibles', account, head }, <HomePage {...data} />)
})

const HomePage = ({ releases, creators, stats }: Home) => (
  <div class="home">
    <section class="hero">
      <h1>Digital collectibles, delivered to your wallet</h1>
      <p class="lead">
        Creators release NFTs here, and shops sell them. After you have paid in a shop, the NFT is
        transferred to your wallet exactly once, and you can follow it on the way.
      </p>
      <p class="actions">
        <LinkButton href="/nfts" kind="primary">
          See the NFTs
        </LinkButton>
        <LinkButton href={usePage().account ? '/orders' : '/sign-in'}>
          {usePage().account ? 'Your orders' : 'Sign in'}
        </LinkButton>
        <LinkButton href="/docs">
          <Icon name="code" />
          API
        </LinkButton>
      </p>
      <dl class="numbers">
        <Fact name="NFTs">{formatCount(stats.nfts.total)}</Fact>
        <Fact name="Unique">{formatCount(stats.nfts.unique)}</Fact>
        <Fact name="Limited">{formatCount(stats.nfts.rare)}</Fact>
        <Fact name="Open editions">{formatCount(stats.nfts.unlimited)}</Fact>
      </dl>
    </section>
    <section class="flow" aria-labelledby="releases">
      <div class="page-head">
        <h2 id="releases">Recent releases</h2>
        {releases.length > 0 && <a href="/nfts">See all</a>}
      </div>
      <NftGrid nfts={releases} />
    </section>
    {creators.length > 0 && (
      <Section id="creators" title="Creators">
        <ul class="grid creators">
          {creators.map((creator) => (
            <li class="creator">
              <UserPicture user={creator} size={40} />
              <div>
                <h3>
                  <a href={creatorPath(creator)}>
                    <Title>{nameOf(creator)}</Title>
                  </a>
                </h3>
                <p class="meta">
                  {plural(creator.nfts, 'NFT')}, the latest <Time at={creator.latestReleaseAt} />
                </p>
              </div>
            </li>
          ))}
        </ul>
      </Section>
    )}
  </div>
)
