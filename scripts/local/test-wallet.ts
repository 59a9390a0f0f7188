/**
 * A wallet to claim orders with on this machine, so that nobody has to install one. Only `npm run dev` has it:
 * `worker-entry.ts` adds it, and is never deployed.
 */
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { LOCAL_CHAIN_ID } from './chain/chain-id.ts'

const SCRIPT = '/test-wallet.js'
const SIGNER = '/test-wallet/sign'

/** The pages that have it. */
const PAGES = /^\/(?:claim|phone)\//

/** Announces a wallet (EIP-6963). Each page has a new key, which is lost with the page. */
const script = `
const key = '0x' + Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')
const sign = async (message) => {
  const body = JSON.stringify({ key, message })
  return (await fetch('${SIGNER}', { method: 'POST', body })).json()
}
const methods = {
  eth_requestAccounts: async () => [(await sign('0x')).address],
  eth_chainId: async () => '0x${LOCAL_CHAIN_ID.toString(16)}',
  personal_sign: async ([message]) => (await sign(message)).signature,
}
const request = async ({ method, params }) => {
  if (methods[method]) return methods[method](params)
  throw Object.assign(new Error('the test wallet does not do this'), { code: 4200 })
}
const info = { uuid: crypto.randomUUID(), name: 'Test wallet', icon: '', rdns: 'localhost.test-wallet' }
const detail = Object.freeze({ info: Object.freeze(info), provider: { request } })
const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
addEventListener('eip6963:requestProvider', announce)
announce()
`

/** Answers requests of the wallet, and adds it to the pages on which somebody may link one. */
export async function withTestWallet(
  request: Request,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === SCRIPT)
    return new Response(script, { headers: { 'content-type': 'text/javascript' } })
  if (pathname === SIGNER) return signed(request)
  const response = await answer()
  if (!PAGES.test(pathname)) return response
  const tag = `<script type="module" src="${SCRIPT}"></script>`
  return new HTMLRewriter()
    .on('head', { element: (head) => void head.append(tag, { html: true }) })
    .transform(response)
}

async function signed(request: Request): Promise<Response> {
  const { key, message } = await request.json<{ key: Hex; message: Hex }>()
  const account = privateKeyToAccount(key)
  const signature = await account.signMessage({ message: { raw: message } })
  return Response.json({ address: account.address, signature })
}
