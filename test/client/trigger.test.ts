/** `marketplace trigger`: true events of a local instance, and nothing in any other. */
import { expect, it } from 'vitest'
import { runCommand } from '../../client/src/cli/run.ts'
import { command, triggers } from '../../client/src/cli/trigger.ts'
import { call } from '../support/call.ts'
import { firstCases } from '../support/cases.ts'
import { instance } from '../support/instance/instance.ts'
import { serve } from '../support/server.ts'

const trigger = (event: string, url = instance.url) =>
  call(
    (args) => runCommand([command], args),
    ['trigger', event, '--url', url, '--token', instance.token],
  )

const types = Object.keys(triggers)

/** They move the clock of the instance, wait for its alarms, or need an endpoint. */
const others = ['order.unclaimed', 'alarm.raised', 'alarm.cleared', 'webhook.test']

const reasons: Record<string, string> = {
  'order.failed': 'seller_has_no_wallet',
  'order.cancelled': 'cancelled',
}

const made = types.filter((type) => !others.includes(type))

it.each(firstCases(3, made))('makes and prints %s', async (type) => {
  const { out, errors, status } = await trigger(type)
  expect([status, errors]).toEqual([0, ''])
  expect(JSON.parse(out)).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type,
    data: { reasonCode: reasons[type] ?? null },
  })
})

it('orders nothing in an instance that is not a local one', async () => {
  const paths: (string | undefined)[] = []
  const url = await serve((request, response) => {
    paths.push(request.url)
    response.writeHead(404).end()
  })
  const { errors, status } = await trigger('order.failed', url)
  expect(status).toBe(1)
  expect(errors).toBe(
    `${url} is not a local instance, which \`npm run dev\` starts. Events are made in no other one.\n`,
  )
  expect(paths).toEqual(['/dev/clock'])
})
