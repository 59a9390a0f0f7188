/** The shop is killed, and started again. */

import type { HttpFault } from '../../faults.ts'
import { toMessage } from '../../message.ts'
import { Finding } from '../finding.ts'
import type { Run } from '../run.ts'
import type { Scenario } from '../scenario.ts'

async function restart(run: Run) {
  await run.shop.kill()
  await run.shop.start(run.signal)
}

/** Kills the shop while it waits for the answer to the call that places an order. */
async function killInCall(run: Run, reach: HttpFault['reach']) {
  const sale = run.sale()
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
  await run.until(sale, 'not_placed', () => isKilled)
  await restart(run)
  if (!isAccepted) await run.shop.sell(sale)
  await run.settle('delivered', sale, 'not_placed')
}

const kill = (name: string, says: string, run: Scenario['run']): Scenario => ({
  ...{ name, says, run },
  ...{ needs: 'kill', isAlone: true },
})

export const kills: readonly Scenario[] = [
  kill('killed_after_sale', 'killed when it has accepted a sale', async (run) => {
    const sale = run.sale()
    await run.shop.sell(sale)
    await restart(run)
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
    const { error } = await run.feed.send(toMessage(event))
    if (error) throw new Finding('message_refused', `POST /webhooks: ${error}.`)
    await restart(run)
    await run.settle('delivered', sale, 'message_lost')
  }),
  kill('killed_after_cancel', 'killed when it has accepted a cancellation', async (run) => {
    const sale = run.sale({ buyer: 'email' })
    await run.shop.sell(sale)
    await run.event(sale, 'order.awaiting_wallet', 'not_placed')
    await run.shop.cancel(sale)
    await restart(run)
    await run.settle('refunded', sale, 'forgotten')
  }),
]
