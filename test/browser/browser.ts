/** Pages of the running instance in Chromium. Each test uses people of its own. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type Address, createPublicClient, getAddress, http, type LocalAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, onTestFinished } from 'vitest'
import { createClient, type NewOrder, type OrderItem } from '../../client/src/index.ts'
import { LOCAL_CHAIN_ID } from '../../scripts/local/chain/chain-id.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import type { WalletNetwork } from '../../src/pages/wallet/views.tsx'
import { rpc } from '../support/chain/rpc.ts'
import { instance } from '../support/instance/instance.ts'
import { PATIENCE } from '../support/patience.ts'
import { CHROMIUM } from './chromium.ts'
import { announceWallet } from './wallet-extension.ts'

let browser: Promise<Browser> | undefined

afterAll(async () => {
  const opened = browser
  // Files share modules.
  browser = undefined
  await (await opened)?.close()
})

export const launch = () =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  })

/** Opens a page in a new profile of the browser. */
export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE)
  return page
}

/** Opens a page in a new browser profile, which ends with the test. */
export async function open(options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= launch()
  const page = await openPage(await browser, { baseURL: instance.url, ...options })
  onTestFinished(() => page.context().close())
  return page
}

/** Waits for a page with the menu of the signed-in user. */
export const waitForSignIn = (page: Page) =>
  page.getByRole('button', { name: /^Menu of/ }).waitFor()

/** Clicks on the wallet that the page offers. */
export const tryWallet = (page: Page) => page.getByRole('button', { name: 'Test Wallet' }).click()

/** Loads the page again until it has the text. */
export const waitForText = (page: Page, text: string | RegExp) =>
  expect
    .poll(
      async () => {
        await page.reload()
        return page.locator('main').textContent()
      },
      { timeout: PATIENCE, interval: 500 },
    )
    .toMatch(text)

const buyerBillingData = {
  city: 'Oslo',
  country: 'NO',
  postal: '0154',
  street: 'Karl Johans gate 31',
}

/** Orders one piece of an NFT, by default of NFT 3, as a shop does, and returns its item. */
export async function placeOrder(
  shop: { url: string; token: string },
  { nftId = 3, ...order }: Partial<NewOrder>,
) {
  const { orders } = await createClient(shop).placeOrders({
    body: [{ nftId, listingId: nftId, quantity: 1, buyerBillingData, ...order }],
  })
  const [item] = orders[0]?.orderItems ?? []
  if (!item) throw new Error('no order was placed')
  return item
}

/** The pieces that a wallet has on the chain of a node. */
export const piecesOf = (rpcUrl: string, owner: Address, nft: OrderItem['nft']) =>
  createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: getAddress(nft.contractAddr),
    abi: erc1155Abi,
    functionName: 'balanceOf',
    args: [owner, BigInt(nft.tokenId ?? 0)],
  })

type WalletOptions = {
  /** The chain that the wallet is on at first. */
  chainId?: number
  /** How the wallet says that it does not know the chain, until the chain is added. */
  unknownChainError?: { code: number; message: string; data?: unknown }
  /** Its account. By default it is a new one. */
  account?: LocalAccount
  /** The node that answers what the wallet does not, and sends transactions of accounts that it knows. */
  rpcUrl?: string
}

/** Adds a wallet to the page. It announces itself (EIP-6963) and signs with a real key. */
export async function installWallet(
  page: Page,
  {
    chainId = LOCAL_CHAIN_ID,
    unknownChainError,
    account = privateKeyToAccount(generatePrivateKey()),
    rpcUrl,
  }: WalletOptions = {},
) {
  const requests: string[] = []
  const watched: unknown[] = []
  const added: unknown[] = []
  let chain: number = chainId
  let isKnown = !unknownChainError
  let signingError: { code: number; message: string } | null = null
  const handleRequest = async (method: string, params: readonly [`0x${string}`]) => {
    requests.push(method)
    if (signingError && method === 'personal_sign') return signingError
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return `0x${chain.toString(16)}`
    if (method === 'wallet_switchEthereumChain') {
      if (!isKnown) return unknownChainError
      chain = LOCAL_CHAIN_ID
      return null
    }
    if (method === 'wallet_addEthereumChain') {
      added.push(params[0])
      isKnown = true
      chain = LOCAL_CHAIN_ID
      return null
    }
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] } })
    if (method === 'wallet_watchAsset') return watched.push(params) > 0
    if (rpcUrl) return rpc(rpcUrl, method, ...params)
    throw new Error(`the test wallet does not support ${method}`)
  }
  await page.exposeFunction('askWallet', handleRequest)
  await page.addInitScript(announceWallet)
  return {
    account,
    requests,
    /** The chains that were added to the wallet. */
    added,
    /** The tokens that were added to it (EIP-747). */
    watched,
    /** Makes the wallet answer requests to sign with an error, or with a signature again. */
    failToSign: (error: { code: number; message: string } | null) => {
      signingError = error
    },
  }
}

/**
 * Replaces what the sign-in page says about the networks. `npm run dev` has only the local chain,
 * which no wallet can add, because its node is not reached through HTTPS.
 */
export const replaceNetworks = (page: Page, networks: readonly WalletNetwork[]) =>
  page.route('**/sign-in', async (route) => {
    const response = await route.fetch()
    const attribute = `data-networks='${JSON.stringify(networks)}'`
    const html = await response.text()
    await route.fulfill({ response, body: html.replace(/data-networks="[^"]*"/, attribute) })
  })
