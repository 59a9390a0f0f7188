/** The shop is killed, and started again. */

import { toMessage } from '../../../client/src/cli/message.ts'
import type { HttpFault } from '../faults.ts'
import type { Run } from '../run.ts'
import type { Scenario } from '../scenario.ts'

async function restart(run: Run) {
  await run.shop.kill()
  await run.shop.start(run.signal)
}

/** Kills the shop while it waits for the answer to the call that places an order. */
async function killInCall(run: Run, reach: HttpFault['reach']) {
  const sale = run.sale()
  run.feed.hold(sale)
  let isKilled = false
  const onHit = async () => {
    await run.shop.kill()
    isKilled = true
  }
  run.proxy.break(sale, { http: 'drop', reach }, { onHit })
  const isAccepted = await run.shop.sell(sale).then(
    () => true,
    () => false,
  )
  const sentence = 'a call that places the order'
  await run.until({ sale, blame: 'not_placed', sentence }, () => isKilled)
  await restart(run)
  if (!isAccepted) await run.shop.sell(sale)
  await run.releaseWhenAnswered(sale, 'not_placed')
  await run.settle('delivered', sale, 'wrong_books')
}

const kill = (name: string, says: string, run: Scenario['run']): Scenario => ({
  ...{ name, says, run },
  ...{ needs: 'kill', isAlone: true },
})

export const kills: readonly Scenario[] = [
  kill('killed_after_sale', 'killed when it has accepted a sale', async (run) => {
    const sale = run.sale()
    run.feed.hold(sale)
    await run.shop.sell(sale)
    await restart(run)
    await run.releaseWhenAnswered(sale, 'forgotten')
    await run.settle('delivered', sale, 'forgotten')
  }),
  kill('killed_before_order', 'killed before its call arrives', (run) => killInCall(run, 'none')),
  kill('killed_before_answer', 'killed when the order is placed, before the answer', (run) =>
    killInCall(run, 'all'),
  ),
  kill('killed_after_message', 'killed when it has accepted a message', async (run) => {
    const sale = run.sale()
    run.feed.hold(sale)
    await run.shop.sell(sale)
    const event = await run.event(sale, 'order.delivered', 'not_placed')
    await run.feed.sendAccepted(toMessage(event))
    await restart(run)
    await run.settle('delivered', sale, 'message_lost')
  }),
  kill('killed_after_cancel', 'killed when it has accepted a cancellation', async (run) => {
    const { sale } = await run.sellWaiting()
    await run.shop.cancel(sale)
    await restart(run)
    await run.settle('refunded', sale, 'forgotten')
  }),
]
