/** `marketplace trigger`: true events of a local instance, and nothing in any other. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../../client/src/cli/run.ts'
import { command } from '../../client/src/cli/trigger.ts'
import { eventMeanings } from '../../src/webhooks/events.ts'
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

it.each([
  ['order.created', null],
  ['order.awaiting_wallet', null],
  ['order.delivered', null],
  ['order.failed', 'seller_has_no_wallet'],
  ['order.cancelled', 'cancelled'],
  ['order.retried', null],
])('makes and prints %s', async (type, reasonCode) => {
  expect([await trigger(type), errors]).toEqual([0, ''])
  expect(JSON.parse(output)).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type,
    data: { reasonCode },
  })
})

it('lists what it can make if there is no such event', async () => {
  expect(await trigger('order.paid')).toBe(2)
  expect(errors).toContain(
    `There is no event "order.paid". Those that can be made are ${Object.keys(eventMeanings).join(', ')}.`,
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
