/** The headers and the layout of every page. */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Account } from '../auth/session.ts'
import type { App } from '../http/context.ts'

type PageContent = {
  title: string
  children: Child
  /** The signed-in user, shown with a sign-out button; null on public pages. */
  account: Account | null
  /** JavaScript modules of `assets/` to load. */
  scripts?: readonly string[]
  status?: ContentfulStatusCode
}

/** Answers with a page. It is never cached, and runs only scripts of this site. */
export function page<E extends App>(c: Context<E>, { status = 200, ...content }: PageContent) {
  // Chromium applies `form-action` to the redirect after a form, too.
  const formTargets = ["'self'", ...(c.var.settings?.REDIRECT_ORIGINS ?? [])].join(' ')
  return c.html(<Layout host={new URL(c.req.url).host} {...content} />, status, {
    'Cross-Origin-Opener-Policy': 'same-origin',
    // With `no-referrer`, browsers send `Origin: null` with forms of this site.
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      // Wallets announce their icons as data: URLs (EIP-6963).
      "img-src 'self' data:",
      `form-action ${formTargets}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  })
}

type LayoutProps = Omit<PageContent, 'status'> & { host: string }

const Layout = ({ title, account, scripts = [], host, children }: LayoutProps) => (
  <>
    {raw('<!doctype html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} · Marketplace</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
        {scripts.map((script) => (
          <script type="module" src={`/${script}`} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="bar">
          <a class="brand" href="/">
            <img src="/icon.svg" alt="" width="28" height="28" />
            <span>Marketplace</span>
          </a>
          {account && <SignedInUser account={account} />}
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <footer class="foot">
          <span>{host}</span>
          <a href="/docs">API reference</a>
        </footer>
      </body>
    </html>
  </>
)

const SignedInUser = ({ account }: { account: Account }) => (
  <div class="user">
    <span class="user-name" title={account.email || account.ethereumPublicAddr}>
      {displayName(account)}
    </span>
    <form method="post" action="/sign-out">
      <button class="button quiet" type="submit">
        Sign out
      </button>
    </form>
  </div>
)

/** Returns the e-mail address of an account, or else its shortened wallet address. */
export const displayName = ({
  email,
  ethereumPublicAddr,
}: Pick<Account, 'email' | 'ethereumPublicAddr'>) => email || shortAddress(ethereumPublicAddr)

const shortAddress = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

/** Created at its first use, because that takes longer than the whole start of the Worker. */
let dateFormat: Intl.DateTimeFormat | undefined

/** A timestamp as readable text. */
export const Time = ({ at }: { at: string }) => {
  dateFormat ??= new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return <time datetime={at}>{dateFormat.format(new Date(at))} UTC</time>
}
