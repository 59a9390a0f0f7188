/**
 * The story of the examples: what a shop, a buyer and an operator do with the demo catalogue, and
 * what goes wrong. Everything is answered by the real Worker with a real database and chain.
 */
import { accountChapter } from './story/accounts.ts'
import { createCaller, type Paths } from './story/calls.ts'
import { catalogueChapter } from './story/catalogue.ts'
import { errorChapter } from './story/errors.ts'
import { operationsChapter } from './story/operations.ts'
import { orderChapter } from './story/orders.ts'
import { outageChapter } from './story/outages.ts'
import { retentionChapter } from './story/retention.ts'
import { stable } from './story/stable.ts'
import { webhookChapter } from './story/webhooks.ts'
import { createWorld, PUBLIC_URL } from './story/world.ts'

/** Returns the text of the file with the examples. */
export async function tellStory(paths: Paths): Promise<string> {
  const world = await createWorld()
  try {
    const caller = createCaller(paths, world, new Date('2026-03-02T09:00:00.000Z'))
    const issue = (userId: number, name: string, more: object = {}) =>
      world.issueToken({ userId, role: 'user', name, ...more }, caller.now())
    const tokens = {
      shop: await issue(1, 'shop', { role: 'master' }),
      seller: await issue(2, 'shop'),
      buyer: await issue(3, 'app'),
      reader: await issue(2, 'reports', { scope: 'read' }),
      metrics: await issue(1, 'metrics', { role: 'master', scope: 'metrics' }),
    }
    const teller = { ...caller, world, tokens, issue }
    await orderChapter(teller)
    await accountChapter(teller)
    await webhookChapter(teller)
    await catalogueChapter(teller)
    await operationsChapter(teller)
    await retentionChapter(teller)
    await errorChapter(teller)
    await outageChapter(teller)
    const text = JSON.stringify(caller.examples, null, 2)
      .replaceAll(`http://${world.pictureHost}/webhooks`, 'https://shop.example.com/webhooks')
      .replaceAll(`http://${world.pictureHost}`, 'https://pictures.example.com')
      // The test server turns https into http.
      .replaceAll(PUBLIC_URL.replace('https', 'http'), PUBLIC_URL)
    return `${stable(text)}\n`
  } finally {
    await world.stop()
  }
}
