/** An operator in a browser: from a provider that fails, over the alarm, to the delivered NFT. */
import {
  createPublicClient,
  encodeFunctionResult,
  http,
  parseAbiItem,
  toFunctionSelector,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { type Anvil, startAnvil } from '../../scripts/local/chain/anvil.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { RpcProxy } from '../support/chain/proxy.ts'
import { PATIENCE } from '../support/patience.ts'
import { serve } from '../support/server.ts'
import { expectAccessible } from './accessibility.ts'
import { installWallet, placeOrder, waitForText } from './browser.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs } from './marketplace.ts'

const [deliver] = deliveryAbi.filter((part) => part.type === 'function' && part.name === 'deliver')

/** The provider says that the recipient refuses the token. */
const refused = {
  on: ['eth_call'],
  containing: deliver ? toFunctionSelector(deliver).slice(2) : '',
  effect: {
    result: encodeFunctionResult({
      abi: deliveryAbi,
      functionName: 'deliver',
      result: [{ outcome: 3, gasUsed: 50_000n, reason: '0x' }],
    }),
  },
}

describe.skipIf(!hasChromium)('an operator in a browser', () => {
  let anvil: Anvil
  let proxy: RpcProxy
  let marketplace: Marketplace

  beforeAll(async () => {
    anvil = await startAnvil({ port: 0 })
    proxy = new RpcProxy(anvil.url)
    const RPC_URL = await serve((request, response) => void proxy.answer(request, response))
    marketplace = await aMarketplace({ RPC_URL })
    await cancelDemoOrders()
  })
  afterAll(async () => {
    await marketplace?.close()
    await anvil?.stop()
  })

  /** Ends the orders of the demo that have failed or wait for their seller: then nothing is wrong. */
  async function cancelDemoOrders() {
    const client = createClient(marketplace)
    const open = async () => {
      const { transfers } = await client.listTransfers({ limit: 50 })
      return transfers.filter(({ status }) => status === 'failed' || status === 'queued')
    }
    for (const { id } of await open()) await client.cancelTransfer({ id })
    await vi.waitFor(async () => expect(await open()).toEqual([]), PATIENCE)
    await marketplace.runCron()
  }

  /** A buyer with a wallet. */
  async function aBuyer() {
    const page = await marketplace.open()
    const { account } = await installWallet(page)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('button', { name: /^Menu of/ }).waitFor()
    await page.goto('/settings/account')
    const text = (await page.locator('main').textContent()) ?? ''
    await page.context().close()
    return { id: Number(/Your user id is (\d+)/.exec(text)?.[1]), wallet: account.address }
  }

  /** Makes failures older, as if they had begun 11 minutes ago. */
  function ageFailures() {
    const now = Date.now()
    return marketplace.change(
      'UPDATE deliveries SET waitingSince = ?, dueAt = ? WHERE waitingSince IS NOT NULL AND dueAt IS NOT NULL',
      new Date(now - 11 * 60_000).toISOString(),
      new Date(now).toISOString(),
    )
  }

  /** The transfers to a wallet on the chain. */
  const transfersTo = (wallet: `0x${string}`) =>
    createPublicClient({ transport: http(anvil.url) }).getLogs({
      event: parseAbiItem(
        'event TransferSingle(address indexed by, address indexed from, address indexed to, uint256 id, uint256 value)',
      ),
      args: { to: wallet },
      fromBlock: 0n,
    })

  /** Adds orders of a month: more by day than by night, some of which have failed. */
  const addMonth = () =>
    marketplace.change(`INSERT OR REPLACE INTO hourlyOrders
      WITH RECURSIVE hours (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM hours WHERE i < 700),
        orders AS (SELECT i, 12 + i * 37 % 23 + 2 * abs(12 - i % 24) AS n FROM hours)
      SELECT strftime('%Y-%m-%dT%H:00:00.000Z', 'now', '-' || i || ' hours'), 1, n,
        n - (i % 11 = 0) * 4 - (i % 5 = 0) * 3 - (i < 8) * (9 - i), (i % 11 = 0) * 4,
        (i % 5 = 0) * 3, (i < 8) * (9 - i), 9000 + i * 977 % 9000,
        40000 + i * 7919 % 80000 + (i % 23 = 0) * 400000, '' FROM orders`)

  it('sees why an item fails, retries it when the provider works, and it arrives', async () => {
    const page = await openAs(marketplace, 'ada@example.com', { reducedMotion: 'reduce' })
    await page.getByRole('button', { name: /^Menu of/ }).click()
    await page.getByRole('link', { name: 'Operations' }).click()
    await page.getByText('No alarm is raised.').waitFor()
    await expectAccessible(page, 'operations of a new instance')
    await page.setViewportSize({ width: 1280, height: 800 })
    const signers = page.getByRole('region', { name: 'Signers' }).first()
    expect(await signers.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0)

    proxy.setFaults([refused])
    const buyer = await aBuyer()
    const { id } = await placeOrder(marketplace, { buyerUserId: buyer.id, providerId: 'OPS-1' })
    await page.getByRole('searchbox', { name: 'Search' }).fill('OPS-1')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('heading', { name: `Transfer ${id}` }).waitFor()
    await waitForText(page, new RegExp(rules.recipient_rejects.sentence, 'i'))
    await expectAccessible(page, 'a transfer that fails')

    await ageFailures()
    await marketplace.runCron()
    await waitForText(page, 'Failed')
    await marketplace.runCron()
    await page.goto(await marketplace.linkOfMail('Begun: Deliveries failed.'))
    await waitForText(page, '1 delivery failed.')
    expect(await page.getByRole('link', { name: 'Runbook' }).getAttribute('href')).toBe(
      '/docs/runbook#deliveries-failed',
    )
    await expectAccessible(page, 'operations with an alarm')

    proxy.setFaults([])
    await page.getByRole('link', { name: /^1 transfer ?:/ }).click()
    await page.getByRole('heading', { name: '1 transfer matches' }).waitFor()
    await expectAccessible(page, 'a list of transfers')
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry: the selected transfers?' })
    await expectAccessible(page, 'a list of transfers, retry')
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('status').getByText('1 transfer').waitFor()
    await expectAccessible(page, 'a list of transfers after a retry')
    await page.goto(`/operations/transfers/${id}`)
    await waitForText(page, 'Delivered')
    await page.getByText('by Ada').waitFor()
    await expectAccessible(page, 'a transfer that was retried')
    expect(await transfersTo(buyer.wallet)).toHaveLength(1)

    await marketplace.runCron()
    await page.goto('/operations')
    await waitForText(page, 'No alarm is raised.')
  }, 180_000)

  it('sees that the node is dead, tries what waits when it is back, and it arrives', async () => {
    const buyer = await aBuyer()
    const page = await openAs(marketplace, 'ada@example.com')
    await page.goto('/operations')
    await page.getByText('No alarm is raised.').waitFor()
    proxy.setFaults([{ effect: { http: 'drop', reach: 'all' } }])
    const { id } = await placeOrder(marketplace, { buyerUserId: buyer.id, providerId: 'OPS-2' })
    await marketplace.runCron()
    // Nobody reloads the page, and the focus stays.
    await page.getByRole('searchbox').focus()
    await page.getByText(/^No node of localhost can be used since .* · 1 order waits$/).waitFor()
    expect(await page.getByRole('searchbox').evaluate((box) => box.matches(':focus'))).toBe(true)
    await page.getByText(/^Updated \d+ s ago$/).waitFor()
    expect(await page.locator('#live-status').textContent()).toBe('')
    await expectAccessible(page, 'operations with a dead node')
    proxy.setFaults([])
    await page.getByRole('link', { name: '1 order waits' }).click()
    await page.getByRole('button', { name: 'Try now: all 1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Try now: 1 transfer?' })
    await dialog.getByRole('button', { name: 'Try now: all 1' }).click()
    await page
      .getByRole('status')
      .getByText(/tried now/)
      .waitFor()
    await page.goto(`/operations/transfers/${id}`)
    await page.locator('.badge', { hasText: 'Delivered' }).waitFor()
    expect(await transfersTo(buyer.wallet)).toHaveLength(1)
    await marketplace.runCron()
    await page.goto('/operations')
    await page.getByText('No alarm is raised.').waitFor()
  }, 180_000)

  it('reads the plots by keyboard, and without scripts', async () => {
    await addMonth()
    const page = await openAs(marketplace, 'ada@example.com', { reducedMotion: 'reduce' })
    await page.goto('/operations')
    const plot = page.getByRole('group').first()
    await page.getByRole('link', { name: '30 days' }).focus()
    await page.keyboard.press('Tab')
    const shown = plot.getByRole('status')
    await shown.waitFor()
    const newest = await shown.textContent()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    const earlier = await shown.textContent()
    expect(earlier).toMatch(/^\w{3} \d+ \w{3} \d\d:00\nDelivered: \d+\nUnder way: 7\n/)
    expect(earlier).not.toBe(newest)
    await expectAccessible(page, 'operations with plots')
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'hidden' })
    await page.goto('/operations?range=days')
    await expectAccessible(page, 'operations by day')

    const plain = await openAs(marketplace, 'ada@example.com', { javaScriptEnabled: false })
    await plain.goto('/operations')
    expect(await plain.locator('.column title').first().textContent()).toContain('\nDelivered: ')
    await plain.getByText('Table', { exact: true }).first().click()
    await plain.getByRole('rowheader').first().waitFor()
  })
})
