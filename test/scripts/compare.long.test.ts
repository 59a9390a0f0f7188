/** The programs that compare books, with a marketplace whose database is set back. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type MarketplaceClient, type NewOrder } from '../../client/src/index.ts'
import { environment } from '../support/environment.ts'
import { queryInstance } from '../support/query.ts'
import {
  aLocalInstance,
  commands,
  type Language,
  type LocalInstance,
  shopLanguages,
} from '../support/shops.ts'

let instance: LocalInstance
let client: MarketplaceClient
beforeAll(async () => {
  instance = await aLocalInstance()
  client = createClient(instance)
}, 180_000)
afterAll(() => instance.project.remove())

const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }

type Sale = { number: string | null; order: NewOrder; sequence?: number }

/** Stores the program in a folder of its own, as a reader does, with these sales. */
async function aShop(language: Language, sales: Sale[]) {
  const folder = await mkdtemp(join(instance.project.folder, 'books-'))
  const sample = await readFile(`docs/guides/programs/compare.${language}`, 'utf8')
  const file = join(folder, `compare.${language === 'ts' ? 'mts' : language}`)
  const library = JSON.stringify(resolve('client/src/index.ts'))
  const program = sample.replace("'@marketplace-api/marketplace'", library)
  await writeFile(file, program.replaceAll('http://localhost:8787', instance.url))
  const books = join(folder, 'books.json')
  await writeFile(books, JSON.stringify({ after: null, since: null, sales }))
  const readBooks = async () => JSON.parse(await readFile(books, 'utf8'))
  const env = environment({ TOKEN: instance.token })
  return {
    readSales: async (): Promise<Sale[]> => (await readBooks()).sales,
    writeSales: async (sales: readonly Sale[]) =>
      writeFile(books, JSON.stringify({ ...(await readBooks()), sales })),
    run: async () =>
      (await promisify(execFile)(commands[language], [file], { env, cwd: folder })).stdout,
  }
}

const control = (name: string) =>
  fetch(`${instance.url}/dev/${name}`, { method: 'POST', body: '{}' }).then(({ ok }) =>
    expect(ok).toBe(true),
  )

/** Waits until the orders of a shop have arrived. Returns their transactions, by the number. */
async function deliver(numbers: readonly string[]) {
  const transactions: (string | null | undefined)[] = []
  for (const providerId of numbers) {
    const { orders } = await client.listOrders({ providerId })
    const delivered = await client.waitForDelivery(orders[0]?.id ?? 0, { interval: 100 })
    transactions.push(delivered.orderItems[0]?.txId)
  }
  return transactions
}

const query = (sql: string) => queryInstance(instance.url, sql)

it.each(shopLanguages)(
  'sends what a restore has lost, though the log has the last event (%s)',
  async (language) => {
    const numbers = ['kept', 'lost', 'priced', 'last'].map((name) => `${name}-${language}`)
    const [kept = '', lost = '', priced = '', last = ''] = numbers
    const shop = await aShop(language, [{ number: kept, order }])
    await shop.run()
    await deliver([kept])
    expect(await shop.run()).toBe(`sale ${kept}: transferred\n`)
    await control('backup')
    await shop.writeSales([
      ...(await shop.readSales()),
      { number: lost, order },
      { number: priced, order: { ...order, expectedPriceCents: 1000, expectedCurrency: 'EUR' } },
      { number: last, order: { ...order, nftId: 5, listingId: 7 } },
    ])
    await shop.run()
    const transactions = await deliver(numbers)
    await control('restore')
    await query('UPDATE listings SET priceCents = 1200 WHERE id = 2')
    await query('UPDATE nfts SET availableAmount = 0 WHERE id = 5')
    // It gets the id that the order of `lost` had.
    await client.putOrder({ providerId: `other-${language}`, body: order })
    const refused = `sale ${last}: sold_out, for a person\n`
    const found = await shop.run()
    expect(found).toMatch(/^the database was restored$/m)
    expect(found).toMatch(new RegExp(`^sale ${lost}: order \\d+$`, 'm'))
    expect(found).toMatch(new RegExp(`${refused}$`))
    const placed = [kept, lost, priced]
    expect(await deliver(placed)).toEqual(transactions.slice(0, 3))
    await shop.run()
    expect(await shop.run()).toBe(refused)
    await query('UPDATE listings SET priceCents = 1000 WHERE id = 2')
    await query('UPDATE nfts SET availableAmount = 1 WHERE id = 5')
  },
)
