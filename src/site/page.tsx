/** What every page has: its headers, its frame, and words for whoever is signed in. */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { App } from '../http/context.ts'
import type { Account } from '../identity/session.ts'

type Page = {
  title: string
  children: Child
  /** Shown with a way to settings and out; null on pages for whoever comes. */
  account: Account | null
  /** Browser modules of `assets/` that the page wants. */
  scripts?: readonly string[]
  status?: ContentfulStatusCode
}

/** Answers with a page. Nothing of it is kept by a cache, and nothing in it runs but our own files. */
export function page<E extends App>(c: Context<E>, { status = 200, ...content }: Page) {
  // After a form, Chromium follows a redirect only to where the form could have been sent.
  const formTargets = ["'self'", ...(c.var.settings?.REDIRECT_ORIGINS ?? [])].join(' ')
  return c.html(<Frame host={new URL(c.req.url).host} {...content} />, status, {
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    // With `no-referrer`, browsers would send `Origin: null` with our own forms.
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

type Frame = Omit<Page, 'status'> & { host: string }

const Frame = ({ title, account, scripts = [], host, children }: Frame) => (
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
          {account && <SignedIn account={account} />}
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

const SignedIn = ({ account }: { account: Account }) => (
  <div class="who">
    <span class="who-name" title={account.email || account.ethereumPublicAddr}>
      {nameOf(account)}
    </span>
    <form method="post" action="/sign-out">
      <button class="button quiet" type="submit">
        Sign out
      </button>
    </form>
  </div>
)

/** How a person recognises an account: its e-mail address, or else its wallet, shortened. */
export const nameOf = ({
  email,
  ethereumPublicAddr,
}: Pick<Account, 'email' | 'ethereumPublicAddr'>) => email || shortAddress(ethereumPublicAddr)

const shortAddress = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

/** To make one takes longer than all else that the Worker does to start: so it is made when needed. */
let dateAndTime: Intl.DateTimeFormat | undefined

/** A timestamp as people read it. */
export const Time = ({ at }: { at: string }) => {
  dateAndTime ??= new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return <time datetime={at}>{dateAndTime.format(new Date(at))} UTC</time>
}
