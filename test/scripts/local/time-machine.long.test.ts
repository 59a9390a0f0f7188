/** What takes days, in an instance whose time is moved. */
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type MarketplaceClient, verifyWebhook } from '../../../client/src/index.ts'
import { deliveryOwner } from '../../../scripts/local/catalogue/demo.ts'
import { toPrivateKey } from '../../../scripts/local/chain/accounts.ts'
import { READY } from '../../support/dev.ts'
import { aFreePort, aProject, type Project, tokenIn } from '../../support/project.ts'
import { serve } from '../../support/server.ts'

let project: Project
let url: string
let shop: MarketplaceClient

type Attempt = { id: string; at: number }
const attempts: Attempt[] = []
let secret = ''
/** Answers challenges. Verifies every event by the clock of this machine, and fails. */
const receiver = await serve(async (request, response) => {
  const body = await text(request)
  const { type, data } = JSON.parse(body)
  if (type === 'webhook.test') return void response.end(data.challenge)
  const { id } = await verifyWebhook(body, request.headers, secret)
  const clock = await fetch(`${url}/dev/clock`)
  const { now } = (await clock.json()) as { now: string }
  attempts.push({ id, at: Date.parse(now) / 1000 })
  response.writeHead(500).end()
})

let ports: { PORT: string; RPC_PORT: string }

beforeAll(async () => {
  project = await aProject()
  ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  url = `http://localhost:${ports.PORT}`
  const { out } = await project.start('dev', READY, ports)
  shop = createClient({ url, token: tokenIn(out) })
}, 180_000)
afterAll(async () => {
  await project.remove()
})

it('tries a webhook ten times, as late as the guide says, and disables its endpoint', async () => {
  const created = await shop.createWebhook({
    body: { url: `${receiver}/hook`, events: ['order.created'] },
  })
  const { webhook } = created
  secret = created.secret
  const parameter = { webhook_id: webhook.id }
  const state = async () => (await shop.getWebhook(parameter)).webhook
  await expect.poll(async () => (await state()).verifiedAt).not.toBeNull()
  await shop.placeOrders({ body: [{ nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }] })
  await expect.poll(() => attempts.length).toBe(1)

  expect(await project.run('dev', ['--advance', '6d'])).toMatchObject({ errors: '', status: 0 })
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
  expect(attempts).toHaveLength(10)
  const minutes = attempts.slice(1).map(({ at }, i) => (at - (attempts[i]?.at ?? 0)) / 60)
  for (const [i, least] of [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440].entries()) {
    expect(minutes[i]).toBeGreaterThanOrEqual(least)
    // Up to a tenth more, and up to a minute until the cron trigger runs.
    expect(minutes[i]).toBeLessThan(1.1 * least + 1.1)
  }
  expect(await state()).toMatchObject({ disabledReason: 'failing' })
}, 600_000)

it('does not wait for a chain whose deliveries are stopped, and delivers once they are not', async () => {
  const contract = (action: string) =>
    project.run('contract', [action, '--network', 'localhost'], {
      RPC_PORT: ports.RPC_PORT,
      DELIVERY_OWNER_KEY: toPrivateKey(deliveryOwner),
    })
  expect(await contract('pause')).toMatchObject({ status: 0 })
  const body = [{ nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }]
  const { orders } = await shop.placeOrders({ body })
  const ids = { order_ids: [orders[0]?.id ?? 0] }
  const status = async () => (await shop.getOrders(ids)).orders[0]?.orderItems[0]?.status
  expect(await project.run('dev', ['--advance', '4d'])).toMatchObject({ errors: '', status: 0 })
  expect(await status()).toBeNull()
  expect(await contract('unpause')).toMatchObject({ status: 0 })
  expect(await project.run('dev', ['--advance', '1h'])).toMatchObject({ errors: '', status: 0 })
  expect(await status()).toBe('transferred')
}, 120_000)
