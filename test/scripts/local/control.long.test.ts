/** What tests of a shop do with the local instance: its time, its chain and its database. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { createClient, type MarketplaceClient } from '../../../client/src/index.ts'
import { aDevProject, READY } from '../../support/dev.ts'
import { PATIENCE } from '../../support/patience.ts'
import { databaseFile, tokenIn } from '../../support/project.ts'
import { queryInstance } from '../../support/query.ts'

const HOUR = 3_600_000

const { project, ports } = await aDevProject()
let url: string
let token: string
let shop: MarketplaceClient
let server: ChildProcess

async function start() {
  const started = await project.start('dev', READY, ports)
  token = tokenIn(started.out)
  shop = createClient({ url, token })
  return started.process
}

beforeAll(async () => {
  url = `http://localhost:${ports.PORT}`
  server = await start()
}, 180_000)
async function control<Answer = object>(name: string, body = {}): Promise<Answer> {
  const response = await fetch(`${url}/dev/${name}`, { method: 'POST', body: JSON.stringify(body) })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer
}

const readClock = async (): Promise<number> => {
  const { now } = (await (await fetch(`${url}/dev/clock`)).json()) as { now: string }
  return Date.parse(now)
}

async function blockTime(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${ports.RPC_PORT}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
  })
  const { result } = (await response.json()) as { result: { timestamp: string } }
  return Number(result.timestamp) * 1000
}

/** Places an order and waits until it is delivered. Returns its id and its transaction. */
async function buy(providerId: string) {
  const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }
  const { orders } = await shop.putOrder({ providerId, body: order })
  const id = orders[0]?.id ?? 0
  const { orderItems, createdAt } = await shop.waitForDelivery(id, {
    timeout: PATIENCE,
    interval: 50,
  })
  return { id, createdAt, txId: orderItems[0]?.txId }
}

it('goes back to the backup, and answers 503 meanwhile', async () => {
  await expect(control('restore')).rejects.toThrow('there is no backup: POST /dev/backup makes one')
  const kept = await buy('kept')
  // The Worker writes while the copy is made.
  const [lost] = await Promise.all([buy('written meanwhile'), control('backup')])
  const gone = await buy('gone')
  const restored = control('restore')
  const statuses = new Map<number, string | null>()
  for (let isOver = false; !isOver; ) {
    const response = await fetch(`${url}/api/public/stats`)
    await response.arrayBuffer()
    statuses.set(response.status, response.headers.get('retry-after'))
    isOver = statuses.has(503) && response.status === 200
  }
  await restored
  expect(Object.fromEntries(statuses)).toEqual({ 200: null, 503: '1' })
  const database = new DatabaseSync(databaseFile(project.folder), { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.close()
  expect((await shop.getOrders({ order_ids: [kept.id] })).orders[0]).toMatchObject({
    orderItems: [{ txId: kept.txId }],
  })
  // The chain was not set back, so the order that is repeated gets the transaction that it had.
  expect(await buy('gone')).toMatchObject({ txId: gone.txId })
  expect(await buy('written meanwhile')).toMatchObject({ txId: lost.txId })
})

it('moves the clocks of the Worker, the database, the chain and the commands, also after a restart', async () => {
  const {
    reservations: [held],
  } = await shop.reserve({ body: [{ listingId: 2, quantity: 1, ttl: 60 }] })
  // A token that was rolled works for 24 hours, by the clock of the database.
  const { out } = await project.run('token', ['--user', '3'])
  const rolled = createClient({ url, token: out.trim() })
  await queryInstance(
    url,
    "UPDATE tokens SET rolledAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE userId = 3",
  )
  expect(await rolled.listOrders()).toMatchObject({})
  const before = await readClock()

  const advanced = await project.run('dev', ['--advance', '25h'])
  expect(advanced).toMatchObject({ errors: '', status: 0 })
  const [, now = ''] = /^It is (\S+) now\.\n$/.exec(advanced.out) ?? []
  expect(Date.parse(now) - before).toBeGreaterThanOrEqual(25 * HOUR)
  expect(Date.parse(now) - before).toBeLessThan(25 * HOUR + PATIENCE)
  expect((await readClock()) - Date.parse(now)).toBeLessThan(PATIENCE)
  expect(Math.abs((await blockTime()) - (await readClock()))).toBeLessThan(PATIENCE)
  await expect(rolled.listOrders()).rejects.toMatchObject({ code: 'unauthenticated' })
  const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }
  await expect(
    shop.placeOrders({ body: [{ ...order, reservationId: held?.id ?? '' }] }),
  ).rejects.toMatchObject({ code: 'reservation_not_found' })
  const listings = await fetch(`${url}/api/public/listings`)
  expect(listings.status).toBe(200)
  const { createdAt } = await buy('tomorrow')
  expect(Date.parse(createdAt)).toBeGreaterThan(Date.parse(now))

  const later = await readClock()
  server.kill('SIGINT')
  await once(server, 'close')
  const ended = await project.run('dev', ['--advance', '1h'])
  expect(ended).toEqual({
    ...{ out: '', status: 1 },
    errors: 'Nothing is running in this folder. Start it first: `npm run dev`\n',
  })
  server = await start()
  expect(await readClock()).toBeGreaterThanOrEqual(later)
  await buy('after the restart')
  expect(Math.abs((await blockTime()) - (await readClock()))).toBeLessThan(PATIENCE)
})
