/** A person with a browser, as far as HTTP goes: cookies are kept, forms and links are our own. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import app from '../../src/app.ts'
import { BASE_URL } from './api.ts'

type Ask = {
  form?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  env?: Partial<Env>
}
type Mail = { to: string; subject: string; text: string; html: string }

const asPage = { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: BASE_URL }
const asScript = { ...asPage, accept: 'application/json', 'content-type': 'application/json' }

/** `mails` are those that the Worker sent while this visitor asked. */
export function aVisitor() {
  const cookies = new Map<string, string>()
  const mails: Mail[] = []
  const EMAIL = {
    send: async (mail: Mail) => {
      mails.push(mail)
      return { messageId: 'test' }
    },
  }

  async function ask(method: string, path: string, { form, json, headers, env: other }: Ask = {}) {
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
        body: json === undefined ? (form ? new URLSearchParams(form) : null) : JSON.stringify(json),
      },
      { ...env, EMAIL, ...other },
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
    get: (path: string, options?: Ask) => ask('GET', path, options),
    post: (path: string, options: Ask = {}) => ask('POST', path, { form: {}, ...options }),
    send: (path: string, json: unknown, options?: Ask) => ask('POST', path, { ...options, json }),
  }
}

export type Visitor = ReturnType<typeof aVisitor>

export const aWallet = () => privateKeyToAccount(generatePrivateKey())
type Wallet = ReturnType<typeof aWallet>

/** What the chain of wrangler.toml's network is called by wallets. */
export const CHAIN_ID = 31337

/** A message that the Worker offered to this visitor. */
export async function offered(
  visitor: Visitor,
  wallet: Wallet,
  purpose: 'sign-in' | 'link' = 'sign-in',
): Promise<string> {
  const wanted = { address: wallet.address, chainId: CHAIN_ID, purpose }
  const response = await visitor.send('/sign-in/wallet/message', wanted)
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json<{ message: string }>()).message
}

export async function signInByWallet(visitor: Visitor, wallet: Wallet = aWallet()) {
  const message = await offered(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  return visitor.send('/sign-in/wallet', { message, signature })
}

export async function linkWallet(
  visitor: Visitor,
  wallet: Wallet = aWallet(),
  env: Partial<Env> = {},
) {
  const message = await offered(visitor, wallet, 'link')
  const signature = await wallet.signMessage({ message })
  return visitor.send('/settings/account/wallet', { message, signature }, { env })
}

/** The path of the link in the visitor's last mail. */
export function mailedLink({ mails }: Visitor): string {
  const [url] = /https:\S+/.exec(mails.at(-1)?.text ?? '') ?? []
  if (!url) throw new Error('no link was mailed')
  return url.slice(BASE_URL.length)
}

export const secretOf = (link: string) => new URL(link, BASE_URL).searchParams.get('secret') ?? ''

let addresses = 0
export const anEmail = () => `visitor-${++addresses}@example.com`

export async function signInByEmail(visitor: Visitor, email = anEmail()) {
  await visitor.post('/sign-in/email', { form: { email } })
  const secret = secretOf(mailedLink(visitor))
  return visitor.post('/sign-in/email/confirm', { form: { secret } })
}
