/** A person with a browser: stores cookies, and sends requests as the pages of this site do. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import app from '../../src/app.ts'
import { tokens, type users } from '../../src/db/schema/users.ts'
import { BASE_URL } from './api.ts'
import { aUser, db } from './makers.ts'

type RequestOptions = {
  /** By name, or pairs: a name may come more than once. With files as it is. */
  form?: Record<string, string> | [name: string, value: string][] | FormData
  json?: unknown
  headers?: Record<string, string>
  env?: Partial<Env>
}
type Mail = { to: string; subject: string; text: string; html: string }

const bodyOf = (form: RequestOptions['form']) =>
  !form || form instanceof FormData ? (form ?? null) : new URLSearchParams(form)

const asPage = { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: BASE_URL }
const asScript = { ...asPage, accept: 'application/json', 'content-type': 'application/json' }

/**
 * Returns a visitor without cookies, or with a token in the cookie. `mails` are the mails sent during
 * the visitor's requests.
 */
export function aVisitor(token?: string) {
  const cookies = new Map(token === undefined ? [] : [['token', token]])
  const mails: Mail[] = []
  const EMAIL = {
    send: async (mail: Mail) => {
      mails.push(mail)
      return { messageId: 'test' }
    },
  }

  async function send(
    method: string,
    path: string,
    { form, json, headers, env: overrides }: RequestOptions = {},
  ) {
    const context = createExecutionContext()
    const response = await app.request(
      new URL(path, BASE_URL),
      {
        method,
        redirect: 'manual',
        headers: {
          ...(json === undefined ? asPage : asScript),
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...headers,
        },
        body: json === undefined ? bodyOf(form) : JSON.stringify(json),
      },
      { ...env, EMAIL, ...overrides },
      context,
    )
    await waitOnExecutionContext(context)
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const [name = '', value = ''] = pair.split('=')
      if (attributes.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  return {
    cookies,
    mails,
    get: (path: string, options?: RequestOptions) => send('GET', path, options),
    post: (path: string, options: RequestOptions = {}) =>
      send('POST', path, { form: {}, ...options }),
    postJson: (path: string, json: unknown, options?: RequestOptions) =>
      send('POST', path, { ...options, json }),
  }
}

export type Visitor = ReturnType<typeof aVisitor>

/** The text of HTML, with single spaces. */
export const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What a response shows to a person: its status, where it leads, its HTML, and the text of that. */
export async function pageOf(sent: Response | Promise<Response>) {
  const response = await sent
  const html = await response.text()
  const location = response.headers.get('location')
  return { status: response.status, location, html, text: textOf(html) }
}

/** The HTML of a page that is shown. */
export async function htmlAt(visitor: Visitor, path: string | null): Promise<string> {
  const { status, html } = await pageOf(visitor.get(path ?? ''))
  if (status !== 200) throw new Error(`${path} answered ${status}: ${html}`)
  return html
}

/** Where a response leads. */
export const locationOf = async (sent: Promise<Response>) => (await sent).headers.get('location')

export const aWallet = () => privateKeyToAccount(generatePrivateKey())
type Wallet = ReturnType<typeof aWallet>

/** The chain of the network in wrangler.toml. */
export const CHAIN_ID = 31337

/** Requests a message to sign. */
export async function requestMessage(
  visitor: Visitor,
  wallet: Wallet,
  purpose: 'sign-in' | 'link' = 'sign-in',
): Promise<string> {
  const request = { address: wallet.address, chainId: CHAIN_ID, purpose }
  const response = await visitor.postJson('/sign-in/wallet/message', request)
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json<{ message: string }>()).message
}

export async function signInByWallet(visitor: Visitor, wallet: Wallet = aWallet()) {
  const message = await requestMessage(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  return visitor.postJson('/sign-in/wallet', { message, signature })
}

export async function linkWallet(
  visitor: Visitor,
  wallet: Wallet = aWallet(),
  env: Partial<Env> = {},
) {
  const message = await requestMessage(visitor, wallet, 'link')
  const signature = await wallet.signMessage({ message })
  return visitor.postJson('/settings/account/wallet', { message, signature }, { env })
}

/** Returns the path of the link in the last mail. */
export function mailedLink({ mails }: Visitor): string {
  const [url] = /https:\S+/.exec(mails.at(-1)?.text ?? '') ?? []
  if (!url) throw new Error('the last mail has no link')
  return url.slice(BASE_URL.length)
}

export const secretOf = (link: string) => new URL(link, BASE_URL).searchParams.get('secret') ?? ''

let emails = 0
export const anEmail = () => `visitor-${++emails}@example.com`

export async function signInByEmail(visitor: Visitor, email = anEmail()) {
  await visitor.post('/sign-in/email', { form: { email } })
  const secret = secretOf(mailedLink(visitor))
  return visitor.post('/sign-in/email/confirm', { form: { secret } })
}

/** Returns a visitor who has signed in with a wallet, and the user. */
export async function aSignedInVisitor(values: Partial<typeof users.$inferInsert> = {}) {
  const visitor = aVisitor()
  const wallet = aWallet()
  const user = await aUser({ ethereumPublicAddr: wallet.address, ...values })
  await signInByWallet(visitor, wallet)
  return { visitor, user, wallet }
}

/** The id of the visitor's session. */
export const sessionIdOf = ({ cookies }: Visitor): string =>
  decodeJwt(cookies.get('token') ?? '').jti ?? ''

/** Makes the visitor's sign-in older, as if it had been this many minutes ago. */
export async function ageSession(visitor: Visitor, minutes: number): Promise<void> {
  const createdAt = new Date(Date.now() - minutes * 60_000).toISOString()
  await db
    .update(tokens)
    .set({ createdAt })
    .where(eq(tokens.id, sessionIdOf(visitor)))
}

/** Generates an API token with the form and reads it from its page. */
export async function generate(visitor: Visitor, form: Record<string, string> = { name: 'shop' }) {
  const response = await visitor.post('/settings/api-access/tokens', { form })
  if (response.status !== 303) return { response, path: '', jwt: '' }
  const path = response.headers.get('location') ?? ''
  return { response, path, jwt: await readToken(visitor, path) }
}

/** Reads an API token from its page. */
export async function readToken(visitor: Visitor, path: string): Promise<string> {
  const page = await (await visitor.get(path)).text()
  return /<textarea[^>]*>\s*([\w.-]+)\s*<\/textarea>/.exec(page)?.[1] ?? ''
}

/** Revokes the API token that this page shows. */
export const revoke = (visitor: Visitor, path: string) => visitor.post(`${path}/revoke`)
