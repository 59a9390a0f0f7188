/** `check-my-shop` finds the mistakes of shops, also of many at a time. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { brokenTogether, expectFinding, timeLimit } from '../support/broken-shops.ts'
import { aLocalInstance, aShop, checkShop, type LocalInstance } from '../support/shops.ts'

// Most of the time they wait for a shop that does nothing.
vi.setConfig({ maxConcurrency: 10 })

let instance: LocalInstance
beforeAll(async () => {
  instance = await aLocalInstance()
}, 180_000)
afterAll(() => instance.project.remove())

it('gives a shop the 30 seconds that the client takes to give up a call', async () => {
  const shop = await aShop(instance.project.folder, 'ts', [[timeLimit, '']])
  const { out, status } = await checkShop(instance, shop, ['hang'])
  expect(out).toMatch(/^1 passed, 0 findings, 0 skipped in \d+ s$/m)
  expect(status).toBe(0)
})

it('needs the token name of the shop to place an order under its number', async () => {
  const { project } = instance
  const token = await project.run('token', ['--master', '--name', 'another name'])
  const shop = await aShop(project.folder, 'ts', [
    ['{ url, token,', `{ url, token: '${token.out.trim()}',`],
  ])
  const { out, status } = await checkShop(instance, shop, ['order_differs'])
  expect(out).toMatch('Your shop calls with a token of another name than the tool.')
  expect(out).toMatch(/^0 passed, 0 findings, 1 skipped in/m)
  expect(status).toBe(0)
})

it.concurrent.each(brokenTogether)('finds that a shop $shop', (broken) =>
  expectFinding(instance, broken),
)
