/** What takes days, in an instance whose time is moved. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Address, createWalletClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type MarketplaceClient, verifyWebhook } from '../../../client/src/index.ts'
import { seller } from '../../../scripts/local/catalogue/demo.ts'
import { erc1155Abi } from '../../../scripts/local/chain/collectibles.ts'
import { READY } from '../../support/dev.ts'
import { aFreePort, aProject, type Project, tokenIn } from '../../support/project.ts'
import { queryInstance } from '../../support/query.ts'
import { serve } from '../../support/server.ts'

let project: Project
let url: string
let rpcUrl: string
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

beforeAll(async () => {
  project = await aProject()
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  url = `http://localhost:${ports.PORT}`
  rpcUrl = `http://127.0.0.1:${ports.RPC_PORT}`
  const { out } = await project.start('dev', READY, ports)
  shop = createClient({ url, token: tokenIn(out) })
}, 180_000)
afterAll(async () => {
  await project.remove()
})

async function advance(by: string) {
  const { errors, status } = await project.run('dev', ['--advance', by])
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
}

async function placeOrder(): Promise<number> {
  const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }
  const { orders } = await shop.placeOrders({ body: [order] })
  return orders[0]?.id ?? 0
}

const summaryOf = async (id: number) => {
  const { orders } = await shop.listOrders({ fields: 'summary' })
  return orders.find((order) => order.id === id)
}

it('tries a webhook ten times, as late as the guide says, and disables its endpoint', async () => {
  const created = await shop.createWebhook({
    body: { url: `${receiver}/hook`, events: ['order.created'] },
  })
  const { webhook } = created
  secret = created.secret
  const parameter = { webhook_id: webhook.id }
  const state = async () => (await shop.getWebhook(parameter)).webhook
  await expect.poll(async () => (await state()).verifiedAt).not.toBeNull()
  await placeOrder()
  await expect.poll(() => attempts.length).toBe(1)

  await advance('6d')
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
  expect(attempts).toHaveLength(10)
  const minutes = attempts.slice(1).map(({ at }, i) => (at - (attempts[i]?.at ?? 0)) / 60)
  for (const [i, least] of [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440].entries()) {
    expect(minutes[i]).toBeGreaterThanOrEqual(least)
    // Up to a tenth more, and up to a minute until the cron trigger runs.
    expect(minutes[i]).toBeLessThan(1.1 * least + 1.1)
  }
  expect(await state()).toMatchObject({ disabledReason: 'failing' })
})

it('fails an order whose seller does not approve the delivery for 24 hours', async () => {
  const [nft] = await queryInstance<{ contractAddr: Address }>(
    url,
    'SELECT contractAddr FROM nfts WHERE id = 2',
  )
  const delivery = await readFile(join(project.folder, '.wrangler/state/delivery'), 'utf8')
  const wallet = createWalletClient({ account: seller, chain: foundry, transport: http(rpcUrl) })
  await wallet.writeContract({
    ...{ abi: erc1155Abi, address: nft?.contractAddr ?? '0x', functionName: 'setApprovalForAll' },
    args: [delivery as Address, false],
  })
  const id = await placeOrder()
  await advance('23h')
  expect(await summaryOf(id)).toMatchObject({ status: null })
  await advance('2h')
  expect(await summaryOf(id)).toMatchObject({ status: 'failed', reasonCode: 'holder_not_approved' })
})

it('ends a token after a year', async () => {
  const { out } = await project.run('token', ['--user', '3'])
  const user = createClient({ url, token: out.trim() })
  expect(await user.listOrders()).toMatchObject({ error: null })
  await advance('366d')
  await expect(user.listOrders()).rejects.toMatchObject({
    code: 'unauthenticated',
    message: expect.stringContaining('expired'),
  })
}, 600_000)
