/** Orders every forced outcome in an instance of its own, and moves its time. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, expect, it, vi } from 'vitest'
import { createClient, type MarketplaceClient } from '../../client/src/index.ts'
import { externalIdOf, type Outcome, outcomes } from '../../scripts/local/catalogue/outcomes.ts'
import { aDevProject, READY } from '../support/dev.ts'
import { environment } from '../support/environment.ts'
import { PATIENCE } from '../support/patience.ts'

const { project, ports } = await aDevProject()
let client: MarketplaceClient
/** The ids of orders, by the name of their outcome. */
const orderIds = new Map<string, number>()

beforeAll(async () => {
  await project.start('dev', READY, ports)
  const master = await project.run('token', ['--master'])
  client = createClient({ url: `http://localhost:${ports.PORT}`, token: master.out.trim() })
})

/** These decide when blocks are made, or need somebody to do something. */
const special = ['slow', 'waits', 'reorganised']
const ordinary = outcomes.filter(({ name }) => !special.includes(name))
const named = (name: string) => outcomes.filter((outcome) => outcome.name === name)
const codeOf = ({ name }: Outcome) => name.replaceAll('-', '_')

async function placeOrders(some: readonly Outcome[]): Promise<void> {
  const body = some.map((outcome) => {
    const { quantity = 1, buyerEmail } = outcome.order ?? {}
    const buyer = buyerEmail ? { email: buyerEmail } : { userId: 3 }
    const externalId = externalIdOf(outcome)
    return { listing: externalId, nft: externalId, quantity, buyer }
  })
  const { orders } = await client.placeOrders({ body })
  for (const [i, { name }] of some.entries()) orderIds.set(name, orders[i]?.id ?? 0)
}

/** Returns the events of an outcome's order, each with its code. */
async function eventsOf(name: string): Promise<string[]> {
  const events: string[] = []
  for await (const { type, data } of client.items('listEvents'))
    if ('orderId' in data && data.orderId === orderIds.get(name))
      events.push(data.reasonCode ? `${type} ${data.reasonCode}` : type)
  return events
}

/** Returns why an outcome's order waits or has failed, as operators see it. */
async function reasonOf(name: string): Promise<string | null | undefined> {
  for await (const { orderId, reasonCode } of client.items('listTransfers'))
    if (orderId === orderIds.get(name)) return reasonCode
  return undefined
}

const advance = (by: string) => project.run('dev', ['--advance', by], ports)

const patience = { timeout: PATIENCE, interval: 200 }
const expectEvents = (name: string, events: readonly string[]) =>
  vi.waitFor(async () => expect(await eventsOf(name)).toEqual(events), patience)
const expectReason = (name: string, reason: string) =>
  vi.waitFor(async () => expect(await reasonOf(name)).toBe(reason), patience)

it('delivers a piece again whose block is reorganised away', async () => {
  await placeOrders(named('reorganised'))
  await expectEvents('reorganised', ['order.created', 'order.delivered', 'order.delivered'])
})

it('gives every order its promised reason, and fails those that need no time', async () => {
  await placeOrders(ordinary)
  for (const outcome of ordinary) {
    const { name, end } = outcome
    const failed = `order.failed ${codeOf(outcome)}`
    await expectReason(name, codeOf(outcome))
    const isNow = end.event === 'order.failed' && !end.advance
    await expectEvents(name, isNow ? ['order.created', failed] : ['order.created'])
  }
})

it('delivers what its seller approves', async () => {
  await placeOrders(named('waits'))
  await expectReason('waits', 'holder_not_approved')
  const guide = readFileSync('docs/guides/local.md', 'utf8')
  const [, approve = ''] = /^```sh approve\n(.*?)^```$/ms.exec(guide) ?? []
  const env = environment({ RPC_PORT: String(ports.RPC_PORT) })
  await promisify(execFile)('sh', ['-c', approve], { env })
  await expectEvents('waits', ['order.created', 'order.delivered'])
})

it.each(['11m', '25h'] as const)('fails what needs time when it is moved by %s', async (by) => {
  expect(await advance(by)).toMatchObject({ status: 0 })
  for (const outcome of ordinary) {
    const { name, end } = outcome
    if (end.event === 'order.failed' && end.advance === by)
      await expectEvents(name, ['order.created', `order.failed ${codeOf(outcome)}`])
    if (end.event === null) await expectEvents(name, ['order.created'])
  }
})

it('keeps a transaction out of blocks for half a minute', async () => {
  const start = performance.now()
  await placeOrders(named('slow'))
  const ids = { order_ids: [orderIds.get('slow') ?? 0] }
  await vi.waitFor(async () => {
    const { orders } = await client.getOrders(ids)
    expect(orders[0]?.orderItems[0]?.status).toBe('transferring')
  }, patience)
  await expectEvents('slow', ['order.created', 'order.delivered'])
  expect(performance.now() - start).toBeGreaterThan(29_000)
})
