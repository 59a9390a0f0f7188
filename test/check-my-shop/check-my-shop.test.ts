/** `check-my-shop` against the running instance. `*.long.test.ts` runs all scenarios. */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Finding, problems } from '../../check-my-shop/src/finding.ts'
import { firstCases } from '../support/cases.ts'
import { aTemporaryFolder } from '../support/folder.ts'
import { instance } from '../support/instance/instance.ts'
import { aShop, checkShop, shopLanguages } from '../support/shops.ts'

const folder = await aTemporaryFolder()

it.each(firstCases(1, shopLanguages))('the shop of the guide passes (%s)', async (language) => {
  const scenarios = ['sale', 'cut_after', 'forged', 'killed_before_answer', 'same_number']
  const { out, status } = await checkShop(instance, await aShop(folder, language), scenarios)
  expect(out).toMatch(/^5 passed, 0 findings, 0 skipped in \d+ s$/m)
  expect(status).toBe(0)
})

it('says what a shop does wrong, and what to change', async () => {
  const shop = await aShop(folder, 'ts', [
    [
      'await verifyWebhook(body, headers, secret)',
      '{ ...JSON.parse(body), id: String(Math.random()) }',
    ],
  ])
  const { out, status } = await checkShop(instance, shop, ['forged'])
  expect(out).toMatch(`finding  forged  a stranger sends messages
         A message without a signature was sent to your shop.
         answer: expected 400, found 200
         the sale: expected open, found refunded
         → Verify`)
  expect(out).toMatch(`
         → Verify \`webhook-signature\` over the bytes of the body, and answer 400 if it is wrong.
           ${instance.url}/docs/webhooks#receive-them
0 passed, 1 findings, 0 skipped in`)
  expect(status).toBe(1)
})

it('says once that the shop has ended, and stops', async () => {
  const shop = await aShop(folder, 'ts', [
    ['const event = await verifyWebhook', 'process.exit(3)\n  const event = await verifyWebhook'],
  ])
  const { out, errors, status } = await checkShop(instance, shop, ['cut_after', 'cut_answer'])
  expect([status, out]).toEqual([1, ''])
  expect(errors).toMatch(/^Your shop has ended by itself: see .*shop\.log\.\n$/)
})

it('says that the program cannot be started, or the token is wrong', async () => {
  expect(await checkShop(instance, ['no-program'])).toMatchObject({
    ...{ status: 1, errors: 'no-program cannot be started.\n' },
  })
  const denied = await checkShop({ ...instance, token: 'wrong' }, ['true'])
  expect(denied).toMatchObject({ status: 1 })
  expect(denied.errors).toMatch('unauthenticated')
})

it('names sections of the guides that exist', async () => {
  for (const problem of Object.keys(problems) as (keyof typeof problems)[]) {
    const { guide } = new Finding(problem, '', [])
    const [, page = '', section] = /^\/docs\/([^#]*)(?:#(.*))?$/.exec(guide) ?? []
    const text = await readFile(`docs/guides/${page}.md`, 'utf8')
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w ]/g, '')
        .replaceAll(' ', '-'),
    )
    if (section !== undefined) expect(sections, guide).toContain(section)
  }
})
