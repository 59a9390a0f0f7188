import { env } from 'cloudflare:workers'
import { Fragment, jsx } from 'hono/jsx'
import { expect, it } from 'vitest'
import { readSettings } from '../../src/env.ts'
import { pageRequest, usePage } from '../../src/pages/components/request.ts'
import { en } from '../../src/texts/en.ts'

const request = (notice: string) => ({
  settings: readSettings(env),
  now: new Date(),
  account: null,
  notice,
  rejection: undefined,
  isFirstPage: true,
  locale: 'en',
  texts: en,
})

it('gives each of several pages that are rendered at the same time its own request', async () => {
  const gates = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() }
  const Notice = () => jsx('i', {}, usePage().notice ?? '')
  const Waiting = async ({ gate }: { gate: Promise<void> }) => {
    const before = usePage().notice ?? ''
    await gate
    return jsx(
      Fragment,
      {},
      jsx('b', {}, before),
      jsx('b', {}, usePage().notice ?? ''),
      jsx(Notice, {}),
    )
  }
  const render = (notice: 'first' | 'second') =>
    pageRequest.run(request(notice), async () => {
      const waiting = jsx(Waiting, { gate: gates[notice].promise })
      return String(await jsx(Fragment, {}, waiting, jsx(Notice, {})).toString())
    })
  const first = render('first')
  const second = render('second')
  gates.second.resolve()
  expect(await second).toBe('<b>second</b><b>second</b><i>second</i><i>second</i>')
  gates.first.resolve()
  expect(await first).toBe('<b>first</b><b>first</b><i>first</i><i>first</i>')
})
