/** `marketplace trigger`: true events of a local instance, and nothing in any other. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../../client/src/cli/run.ts'
import { command, triggers } from '../../client/src/cli/trigger.ts'
import { createClient } from '../../client/src/index.ts'
import { instance } from '../support/instance/instance.ts'

let output = ''
let errors = ''

beforeEach(() => {
  output = ''
  errors = ''
  vi.spyOn(console, 'log').mockImplementation((text) => {
    output += text
  })
  vi.spyOn(console, 'error').mockImplementation((text) => {
    errors += `${text}\n`
  })
})
afterEach(() => vi.restoreAllMocks())

const trigger = (event: string, url = instance.url) =>
  runCommand([command], ['trigger', event, '--url', url, '--token', instance.token])

const types = Object.keys(triggers)

/** They move the clock of the instance, wait for its alarms, or need an endpoint. */
const others = ['order.unclaimed', 'alarm.raised', 'alarm.cleared', 'webhook.test']

const reasons: Record<string, string> = {
  'order.failed': 'seller_has_no_wallet',
  'order.cancelled': 'cancelled',
}

it.each(types.filter((type) => !others.includes(type)))('makes and prints %s', async (type) => {
  expect([await trigger(type), errors]).toEqual([0, ''])
  expect(JSON.parse(output)).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type,
    data: { reasonCode: reasons[type] ?? null },
  })
})

it('names the orders that keep the alarm raised', async () => {
  const client = createClient(instance)
  const outcome = 'outcome-seller-has-no-wallet'
  const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }
  const body = { nft: outcome, listing: outcome, quantity: 1, buyer: { userId: 3 } }
  const [order] = (
    await client.putOrder({ providerId: 'not-of-trigger', body: { ...body, buyerBillingData } })
  ).orders
  const order_id = order?.id ?? 0
  const statusOf = async () =>
    (await client.getOrders({ order_ids: [order_id] })).orders[0]?.orderItems[0]?.status
  await expect.poll(statusOf).toBe('failed')
  expect(await trigger('alarm.raised')).toBe(1)
  expect(errors).toMatch(
    new RegExp(
      `^Failed orders keep the alarm deliveries_failed raised: .*\\b${order_id} \\(seller_has_no_wallet\\)`,
    ),
  )
  await client.cancelOrder({ order_id })
})

it('lists what it can make if there is no such event', async () => {
  expect(await trigger('order.paid')).toBe(2)
  expect(errors).toContain(
    `There is no event "order.paid". Those that can be made are ${types.join(', ')}.`,
  )
})

it('orders nothing in an instance that is not a local one', async () => {
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    paths.push(request.url)
    response.writeHead(404).end()
  }).listen(0)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  expect(await trigger('order.failed', url)).toBe(1)
  server.close()
  expect(errors).toBe(
    `${url} is not a local instance, which \`npm run dev\` starts. Events are made in no other one.\n`,
  )
  expect(paths).toEqual(['/dev/clock'])
})
