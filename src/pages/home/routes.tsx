/** The start page: the newest NFTs and the creators. */
import { Endpoints } from '../../http/endpoint.ts'
import { type Home, readHome } from '../../marketplace/pages.ts'
import type { Texts } from '../../texts/en.ts'
import { LinkButton } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Fact, Section } from '../components/lists.tsx'
import { countOf, creatorPath, NftGrid, nameOf, Preview, UserPicture } from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { formatCount } from '../components/text.ts'
import { Time, Title } from '../components/values.tsx'
import { page, shown, withAccount } from '../page.tsx'

export const homeRoutes = new Endpoints({ isTranslated: true }).get(
  '/',
  shown.public({}),
  async (c) => {
    const [account, data] = await withAccount(c, readHome(c.var))
    const head = (
      <Preview
        title={({ home }) => home.headline}
        description={({ home }) => home.description}
        path="/"
      />
    )
    const title = ({ home }: Texts) => home.title
    return page(c, { title, account, head }, <HomePage {...data} />)
  },
)

const HomePage = ({ releases, creators, stats: { nfts } }: Home) => {
  const { account, texts, locale } = usePage()
  const { home, layout, signIn } = texts
  return (
    <div class="home">
      <section class="hero">
        <h1>{home.headline}</h1>
        <p class="lead">
          {home.description} {home.howItWorks}
        </p>
        <p class="actions">
          <LinkButton href="/nfts" kind="primary">
            {home.seeNfts}
          </LinkButton>
          <LinkButton href={account ? '/orders' : '/sign-in'}>
            {account ? home.yourOrders : signIn.title}
          </LinkButton>
          <LinkButton href="/docs">
            <Icon name="code" />
            {layout.api}
          </LinkButton>
        </p>
        <dl class="numbers">
          <Fact name={layout.nfts}>{formatCount(nfts.total, locale)}</Fact>
          <Fact name={home.unique}>{formatCount(nfts.unique, locale)}</Fact>
          <Fact name={home.limited}>{formatCount(nfts.rare, locale)}</Fact>
          <Fact name={home.unlimited}>{formatCount(nfts.unlimited, locale)}</Fact>
        </dl>
      </section>
      <section class="flow" aria-labelledby="releases">
        <div class="page-head">
          <h2 id="releases">{home.releases}</h2>
          {releases.length > 0 && <a href="/nfts">{home.seeAll}</a>}
        </div>
        <NftGrid nfts={releases} />
      </section>
      {creators.length > 0 && (
        <Section id="creators" title={home.creators}>
          <ul class="grid creators">
            {creators.map((creator) => (
              <li class="creator">
                <UserPicture user={creator} size={40} />
                <div>
                  <h3>
                    <a href={creatorPath(creator)}>
                      <Title>{nameOf(creator, texts)}</Title>
                    </a>
                  </h3>
                  <p class="meta">
                    <span>
                      {texts.nfts.latest(countOf(creator), <Time at={creator.latestReleaseAt} />)}
                    </span>
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  )
}
