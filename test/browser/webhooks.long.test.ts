/** Settings → Webhooks in a browser, with a receiver that sometimes fails. */
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aFreePort } from '../support/project.ts'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs } from './marketplace.ts'

describe.skipIf(!hasChromium)('in a browser', () => {
  let marketplace: Marketplace
  let receiver: Server
  let url: string
  /** What the receiver answers, with the challenge of a test. */
  let status = 200
  /** `webhook-id` of the requests that have arrived. */
  const received: string[] = []

  beforeAll(async () => {
    const port = await aFreePort()
    url = `http://localhost:${port}/webhooks`
    receiver = createServer(async (request, response) => {
      received.push(String(request.headers['webhook-id']))
      const { data } = JSON.parse(await text(request))
      response.writeHead(status).end(data.challenge)
    }).listen(Number(port), 'localhost')
    marketplace = await aMarketplace()
  })
  afterAll(async () => {
    receiver.close()
    await marketplace?.close()
  })

  type Page = Awaited<ReturnType<typeof openAs>>

  async function createWebhook(page: Page) {
    await page.goto('/settings/webhooks')
    await page.getByLabel('URL').fill(url)
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('The webhook is created.').waitFor()
    await expect
      .poll(async () => {
        await page.reload()
        return page.locator('main').textContent()
      })
      .toContain('Live')
  }

  /** Sends a test. The page that follows says what was answered. */
  async function sendTest(page: Page, answer: number) {
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText(new RegExp(`^Test: it answered ${answer} \\(\\d+ ms\\)\\.$`)).waitFor()
  }

  it('works by keyboard: replay, rotate and delete in dialogs', async () => {
    status = 200
    const page = await openAs(marketplace, 'keys@example.com')
    await createWebhook(page)
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await sendTest(page, 200)
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    await press('Replay')
    await press('Send again')
    await page.getByText('The messages are on their way.').waitFor()
    await press('Rotate the secret')
    await press('Rotate')
    await page.getByText('This is the new secret.').waitFor()
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(secret)
    await press('Delete')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: url }).waitFor()
    await press('Delete')
    await press('Delete webhook')
    await page.getByText('The webhook is deleted.').waitFor()
    await page.getByText('You have no webhooks yet.').waitFor()
  })

  it('offers alarms once all orders are chosen', async () => {
    const alarm = (page: Page) => page.getByLabel('Something is wrong with the marketplace')
    const page = await openAs(marketplace, 'ada@example.com', { reducedMotion: 'reduce' })
    await page.goto('/settings/webhooks')
    expect(await alarm(page).isDisabled()).toBe(true)
    await page.getByText('Alarms are only for “All orders and alarms”.').waitFor()
    await expectAccessible(page, 'webhooks, alarms disabled')
    await page.getByLabel('Events of').selectOption('All orders and alarms')
    await alarm(page).check()
    await page.getByLabel('Events of').selectOption('Orders that I bought or sold')
    expect(await alarm(page).isDisabled()).toBe(true)
  })

  it('is accessible on every page', async () => {
    const page = await openAs(marketplace, 'accessible@example.com', { reducedMotion: 'reduce' })
    const check = (name: string) => expectAccessible(page, `webhooks, ${name}`)
    await page.goto('/settings/webhooks')
    await page.getByLabel('URL').fill('https://10.0.0.1/webhooks')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Must point to a public host.').waitFor()
    await check('wrong URL')
    await createWebhook(page)
    await check('created')
    status = 200
    await sendTest(page, 200)
    status = 500
    await sendTest(page, 500)
    await page
      .getByText(/Nothing has arrived since just now\. It answered 500\. Next attempt: in a moment/)
      .waitFor()
    await page.getByText('1 attempt').first().click()
    await check('log')
    await page.getByRole('button', { name: 'Replay' }).click()
    await check('replay')
    await page.keyboard.press('Escape')
    await page.goto('/settings/webhooks')
    await check('list')
    await marketplace.ageSessions()
    await page.getByRole('link', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'Sign in again' }).waitFor()
    await check('old sign-in')
  }, 300_000)
})
