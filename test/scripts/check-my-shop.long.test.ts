/** The shops of the guide survive everything, and the instance is one that nobody else uses. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { brokenAlone, expectFinding } from '../support/broken-shops.ts'
import {
  aLocalInstance,
  aShop,
  checkShop,
  type LocalInstance,
  shopLanguages,
} from '../support/shops.ts'

let instance: LocalInstance
beforeAll(async () => {
  instance = await aLocalInstance()
}, 180_000)
afterAll(() => instance.project.remove())

it.each(shopLanguages)(
  'the shop of the guide survives everything (%s)',
  { timeout: 600_000 },
  async (language) => {
    const shop = await aShop(instance.project.folder, language)
    const { out, errors, status } = await checkShop(instance, shop)
    expect(out).toMatch(/^39 passed, 0 findings, 0 skipped in \d+ s$/m)
    expect(errors).toBe('')
    expect(status).toBe(0)
  },
)

it('says that no node could tell what the wallets have', async () => {
  const shop = await aShop(instance.project.folder, 'ts')
  const withoutNode = { ...instance, rpcUrl: 'http://127.0.0.1:1' }
  const { out, status } = await checkShop(withoutNode, shop, ['restored'])
  expect(out).toMatch(/^skipped {2}wallets {3}no node at http:\/\/127\.0\.0\.1:1: give --rpc$/m)
  expect(out).toMatch(/^1 passed, 0 findings, 1 skipped in/m)
  expect(status).toBe(0)
})

it.each(brokenAlone)('finds that a shop $shop', (broken) => expectFinding(instance, broken))
