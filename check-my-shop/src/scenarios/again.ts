/** What has ended stays as it is, whatever comes again. */
import { toMessage } from '../../../client/src/cli/message.ts'
import type { Run } from '../run.ts'
import type { Scenario } from '../scenario.ts'

/** Sends everything about two sales again, and compares all sales of the run. */
async function repeat(run: Run) {
  const delivered = run.sale()
  await run.sellUntil('delivered', delivered, 'wrong_books')
  const { sale: refunded } = await run.sellWaiting()
  await run.shop.cancel(refunded)
  await run.settle('refunded', refunded, 'not_refunded')
  for (const sale of [delivered, refunded])
    for (const event of run.feed.events(sale)) await run.feed.sendAccepted(toMessage(event))
  for (const sale of [delivered, refunded]) await run.shop.sell(sale)
  await run.shop.cancel(refunded)
  await run.shop.reconcile()
  await run.afterwards()
  await run.recheck()
}

export const again: Scenario = {
  name: 'again',
  says: 'everything comes again, and the books of all sales are compared',
  // The comparison calls for other sales, too.
  isAlone: true,
  run: repeat,
}
