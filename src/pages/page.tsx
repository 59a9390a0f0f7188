/** The headers and the layout of every page. */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Account, findAccount } from '../auth/session.ts'
import { mayList } from '../creators/plan.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'
import type { App } from '../http/context.ts'
import { type Access, declarationOf, type Input } from '../http/endpoint.ts'
import { DEFAULT_LOCALE, textLanguage, textsOf } from '../texts/texts.ts'
import { Brand, BrandStyle, Foot, pictureOrigins, useInstanceName } from './brand.tsx'
import { LinkButton } from './components/forms.tsx'
import { Icon } from './components/icon.tsx'
import { Menu, type MenuLink } from './components/lists.tsx'
import { UserPicture } from './components/nfts.tsx'
import { inTexts, pageRequest, type Translated, usePage } from './components/request.ts'
import { displayName } from './components/text.ts'
import { readerLocale } from './reader.ts'
import { SettingsPage, type SettingsSection, settingsLinks } from './settings.tsx'

const declare =
  <A extends Access, R extends 'nearest' | 'primary'>(access: A, reads: R) =>
  <I extends Input>(input: I) => ({ access, reads, input })

/** Declares a page, by who may see it: it reads nearest. */
export const shown = {
  public: declare('public', 'nearest'),
  session: declare('session', 'nearest'),
  administrator: declare('administrator', 'nearest'),
}

/** Declares what a form is sent to, by who may send it: it writes, so it reads from the primary. */
export const sent = {
  public: declare('public', 'primary'),
  session: declare('session', 'primary'),
  administrator: declare('administrator', 'primary'),
}

type PageContent = {
  title: Translated<string>
  /** The section of the settings that the page belongs to. */
  section?: SettingsSection | undefined
  /** What forms of this section say when they have done it, by name: see `SettingsPage`. */
  notices?: Translated<Readonly<Record<string, string>>>
  head?: Child
  /** The signed-in user, whose menu the header shows; null for visitors. */
  account: Account | null
  /** JavaScript modules of `assets/` to load, besides the one of every page, and URLs of others. */
  scripts?: readonly string[]
  /** Style sheets of `assets/` to load, besides the one of every page. */
  styles?: readonly string[]
  /** Seconds after which a browser without scripts reloads the page. */
  refresh?: number | undefined
  status?: ContentfulStatusCode
}

/** Returns the signed-in user with what a page shows, which are read at the same time. */
export const withAccount = <E extends App, T>(c: Context<E>, content: Promise<T>) =>
  Promise.all([findAccount(c.var.db, c.var.caller), content])

/** Nobody knows who has followed a link to a page that does not exist. */
const isTranslated = (c: Context): boolean => {
  const declaration = declarationOf(c)
  return declaration === undefined || declaration.isTranslated === true
}

const isAbsolute = (script: string) => script.startsWith('https://')

/** Answers with a page. It is never cached, and runs only scripts of this site and those it names. */
export async function page<E extends App>(
  c: Context<E>,
  { status, account, ...content }: PageContent,
  view: Child,
) {
  const rejection = c.get('rejection')
  // An error may come before the settings are read.
  const settings: Partial<Settings> = c.var.settings ?? {}
  const { REDIRECT_ORIGINS = [] } = settings
  const nonce = crypto.randomUUID()
  const isInTexts = isTranslated(c)
  const locale = isInTexts ? readerLocale(c, account) : DEFAULT_LOCALE
  const others = (content.scripts ?? []).filter(isAbsolute).map((url) => new URL(url).origin)
  const { before, cursor, after }: Partial<Record<'before' | 'cursor' | 'after', unknown>> =
    c.req.valid('query' as never) ?? {}
  const request = {
    settings: c.var.settings,
    now: c.var.now,
    account,
    notice: c.req.query('notice'),
    rejection,
    isFirstPage: (before ?? cursor ?? after) === undefined,
    locale,
    texts: await textsOf(locale),
  }
  // What a form was sent to cannot be opened again, in another language.
  const hasLanguages = isInTexts && c.req.method === 'GET'
  const layout = (
    <Layout url={new URL(c.req.url)} nonce={nonce} hasLanguages={hasLanguages} {...content}>
      {view}
    </Layout>
  )
  const html = await pageRequest.run(request, async () => layout.toString())
  return c.html(html, status ?? rejection?.status ?? 200, {
    ...(isInTexts && { Vary: 'Accept-Language, Cookie' }),
    'Cross-Origin-Opener-Policy': 'same-origin',
    // With `no-referrer`, browsers send `Origin: null` with forms of this site.
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': [
      "default-src 'none'",
      ["script-src 'self'", ...others].join(' '),
      ...(others.length > 0 ? [`frame-src ${others.join(' ')}`] : []),
      `style-src 'self' 'nonce-${nonce}'`,
      "connect-src 'self'",
      "media-src 'self'",
      // Wallets announce their icons as data: URLs (EIP-6963).
      ["img-src 'self' data:", ...pictureOrigins(settings)].join(' '),
      // Chromium applies `form-action` to the redirect after a form, too.
      `form-action ${["'self'", ...REDIRECT_ORIGINS].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  })
}

type LayoutProps = Omit<PageContent, 'status' | 'account'> & {
  url: URL
  /** Allows the style element of the page. */
  nonce: string
  /** Whether it can be read in another language. */
  hasLanguages: boolean
  children: Child
}

const Layout = (props: LayoutProps) => {
  const {
    title,
    section,
    notices,
    scripts = [],
    styles = [],
    url,
    nonce,
    hasLanguages,
    children,
    ...rest
  } = props
  const { locale, texts } = usePage()
  return (
    <>
      {raw('<!doctype html>')}
      <html lang={textLanguage(locale)}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>
            {inTexts(title, texts)} · {useInstanceName()}
          </title>
          {rest.head}
          <link rel="icon" href="/favicon.ico" sizes="32x32" />
          <link rel="icon" href="/icon.svg" type="image/svg+xml" />
          <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
          {['style.css', ...styles].map((style) => (
            <link rel="stylesheet" href={`/${style}`} />
          ))}
          <BrandStyle nonce={nonce} />
          {['forms.js', 'times.js', ...scripts].map((script) =>
            isAbsolute(script) ? (
              <script src={script} async defer />
            ) : (
              <script type="module" src={`/${script}`} />
            ),
          )}
          {rest.refresh && (
            <noscript>
              <meta http-equiv="refresh" content={String(rest.refresh)} />
            </noscript>
          )}
        </head>
        <body
          data-texts={
            scripts.length > 0 &&
            texts.scripts &&
            JSON.stringify({ ...texts.scripts, ...texts.refusals })
          }
        >
          <a class="skip" href="#main">
            {texts.layout.skip}
          </a>
          <Header path={url.pathname} />
          <main id="main" tabindex={-1}>
            {section ? (
              <SettingsPage section={section} notices={notices && inTexts(notices, texts)}>
                {children}
              </SettingsPage>
            ) : (
              children
            )}
          </main>
          <Foot host={url.host} hasLanguages={hasLanguages} />
        </body>
      </html>
    </>
  )
}

/** The bar on top of every page, with the menu of the signed-in user. */
const Header = ({ path }: { path: string }) => {
  const { account, texts } = usePage()
  return (
    <header class="bar">
      <Brand />
      <nav class="bar-links" aria-label={texts.layout.main}>
        <a href="/nfts" aria-current={path.startsWith('/nfts') ? 'page' : undefined}>
          {texts.layout.nfts}
        </a>
        {account && (
          <a href="/orders" aria-current={path === '/orders' ? 'page' : undefined}>
            {texts.orders.title}
          </a>
        )}
        <a href="/docs" aria-current={path.startsWith('/docs') ? 'page' : undefined}>
          {texts.layout.api}
        </a>
        {!account && !path.startsWith('/sign-in') && (
          <LinkButton href="/sign-in" kind="small">
            {texts.signIn.title}
          </LinkButton>
        )}
      </nav>
      {account && <UserMenu account={account} />}
    </header>
  )
}

/** The browser opens and closes a popover without a script. */
const UserMenu = ({ account }: { account: Account }) => {
  const { settings, texts } = usePage()
  const { layout } = texts
  const name = displayName(account)
  const links: MenuLink[] = [
    ['/orders', texts.orders.title, 'order'],
    ['/collection', texts.collection.title, 'collection'],
  ]
  if (mayList(settings, account.approved)) links.push(['/create', texts.create.title, 'plus'])
  links.push(...settingsLinks(texts, account))
  if (account.roleId === ADMINISTRATOR) links.push(['/operations', layout.operations, 'operations'])
  return (
    <>
      <button
        class="menu-button"
        type="button"
        popovertarget="menu"
        aria-label={layout.menuOf(name)}
      >
        <UserPicture user={account} size={32} />
      </button>
      <div id="menu" class="menu" popover="auto">
        <p class="menu-name">{name}</p>
        <Menu label={layout.yourAccount} links={links} />
        <form method="post" action="/sign-out">
          <button type="submit">
            <Icon name="leave" />
            {layout.signOut}
          </button>
        </form>
      </div>
    </>
  )
}
