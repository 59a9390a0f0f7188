/** The pages in a browser, with a wallet and a mailbox. */
import { devices, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WalletNetwork } from '../../src/pages/wallet/views.tsx'
import { expectAccessible } from './accessibility.ts'
import { installWallet, replaceNetworks, tryWallet, waitForSignIn } from './browser.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs } from './marketplace.ts'

/** Describes the focused element, and whether its focus is visible. */
const FOCUSED = `(({ textContent, name }) => {
  const outline = getComputedStyle(document.activeElement).outlineStyle
  return (textContent.trim() || name) + (outline === 'solid' ? ', outlined' : ', invisible')
})(document.activeElement)`

/** The parameter of `wallet_addEthereumChain` (EIP-3085). */
const addition: WalletNetwork['addition'] = {
  chainId: '0x7a69',
  chainName: 'Test chain',
  rpcUrls: ['https://rpc.example.com/'],
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
}

const UNKNOWN_CHAIN = { code: 4902, message: 'Unrecognized chain ID' }

/** Generates a token and returns it. */
async function generateToken(page: Page, name: string) {
  await page.goto('/settings/api-access')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Generate token' }).click()
  return (await page.getByLabel('Token', { exact: true }).inputValue()).trim()
}

describe.skipIf(!hasChromium)('in a browser', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  const call = (path: string, token: string) =>
    fetch(`${marketplace.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const OWN = '/api/public/user/me/deliveryAddresses'

  it('adds the chain to a wallet that does not know it', async () => {
    const nested = { code: -32603, message: 'Error', data: { originalError: UNKNOWN_CHAIN } }
    for (const unknownChainError of [UNKNOWN_CHAIN, nested]) {
      const page = await marketplace.open()
      await replaceNetworks(page, [{ chainId: 31337, name: 'Test chain', addition }])
      const options = { chainId: 1, unknownChainError }
      const { requests, added } = await installWallet(page, options)
      await page.goto('/sign-in')
      await tryWallet(page)
      await waitForSignIn(page)
      expect(added).toEqual([addition])
      expect(requests).toEqual([
        'eth_requestAccounts',
        'eth_chainId',
        'wallet_switchEthereumChain',
        'wallet_addEthereumChain',
        'eth_chainId',
        'personal_sign',
      ])
    }
  })

  it('explains errors of a wallet in plain words, and allows another try', async () => {
    const page = await marketplace.open()
    const { failToSign } = await installWallet(page)
    await page.goto('/sign-in')
    for (const [code, text] of [
      [4001, 'You declined the request in your wallet.'],
      [-32002, 'Open your wallet: a request is waiting there.'],
      [-32603, 'Your wallet did not answer as expected.'],
    ] as const) {
      failToSign({ code, message: 'JSON-RPC: internal state 0x1f' })
      await tryWallet(page)
      await page.getByText(text).waitFor()
      expect(await page.evaluate(FOCUSED)).toContain('Test Wallet')
      expect(await page.getByText('JSON-RPC').count()).toBe(0)
    }
    failToSign(null)
    await tryWallet(page)
    await waitForSignIn(page)
  })

  const phone = {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
    userAgent: devices['iPhone 15'].userAgent,
  }

  /** Follows the link to an app that is not installed, and returns its URL. */
  async function followTo(page: Page, app: string) {
    const isOutside = (url: URL) => !url.href.startsWith(marketplace.url)
    await page.route(isOutside, (route) => route.fulfill({ body: 'Get the app' }))
    await page.getByRole('link', { name: app }).click()
    await page.getByText('Get the app').waitFor()
    return page.url()
  }

  it('opens the sign-in page in the wallet app of a phone', async () => {
    const page = await marketplace.open(phone)
    await page.goto('/sign-in?redirect=/settings/account')
    await page.getByText('Open this page in your wallet app, and sign in there:').waitFor()
    expect(await page.getByText('No wallet was found').isVisible()).toBe(false)
    const query = new URLSearchParams({ redirect: `${marketplace.url}/settings/account` })
    const address = `${marketplace.url}/sign-in?${query}`
    await expectAccessible(page, 'phone without a wallet')
    await page.getByText('Use another wallet app').click()
    expect(await page.getByLabel('Address of this page').inputValue()).toBe(address)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
    await expectAccessible(page, 'phone without a wallet, another app')
    const link = new URL(await followTo(page, 'Base (Coinbase Wallet)'))
    expect([link.origin, link.searchParams.get('cb_url')]).toEqual(['https://go.cb-w.com', address])
  })

  it('shows the wallet of the browser on a phone in place of links to apps', async () => {
    const page = await marketplace.open(phone)
    await installWallet(page)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    expect(await page.getByRole('link', { name: 'MetaMask' }).isVisible()).toBe(false)
  })

  it('works without JavaScript, except for wallets', async () => {
    const page = await openAs(marketplace, 'no-script@example.com', { javaScriptEnabled: false })
    const token = await generateToken(page, 'plain')
    expect((await call(OWN, token)).status).toBe(200)
    await page.goto('/settings/api-access')
    await page.getByRole('button', { name: 'Revoke plain' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('The token is revoked').waitFor()
    expect((await call(OWN, token)).status).toBe(401)
  })

  it('shows the focus and works with the keyboard', async () => {
    const page = await marketplace.open()
    await installWallet(page)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    // The field for the address has the focus at first.
    const seen: string[] = [await page.evaluate(FOCUSED)]
    for (let i = 0; i < 2; i++) {
      await page.keyboard.press('Tab')
      seen.push(await page.evaluate(FOCUSED))
    }
    expect(seen).toEqual(['email, outlined', 'Send me a link, outlined', 'Test Wallet, outlined'])
    await page.keyboard.press('Enter')
    await waitForSignIn(page)
    const menu = page.getByRole('button', { name: /^Menu of/ })
    const entry = page.getByRole('navigation', { name: 'Your account' }).getByRole('link').first()
    await menu.focus()
    await page.keyboard.press('Enter')
    await entry.waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('Orders, outlined')
    await page.keyboard.press('Escape')
    await entry.waitFor({ state: 'hidden' })
  })
})
