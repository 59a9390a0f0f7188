/** Sales of several pieces, and of pieces that the shop has reserved for its customer. */
import { Finding } from '../finding.ts'
import type { Run } from '../run.ts'
import { type Scenario, Skipped } from '../scenario.ts'

/** Two pieces are delivered, and two are refunded. */
async function sellTwo(run: Run) {
  const delivered = run.sale({ quantity: 2 })
  const refusal = await run.marketplace.refusal(delivered)
  if (refusal) throw new Skipped(`The listing does not sell two pieces: ${refusal.message}`)
  await run.sellUntil('delivered', delivered, 'wrong_books')
  const { sale } = await run.sellWaiting({ quantity: 2 })
  await run.shop.cancel(sale)
  await run.settle('refunded', sale, 'not_refunded')
}

/** The answer to the call that uses up the reservation is lost. */
async function sellReserved(run: Run) {
  const sale = run.sale({ reservationId: await run.marketplace.reserve(run.goods) })
  run.proxy.break(sale, { http: 'drop', reach: 'all' })
  await run.sellBeforeMessages(sale, 'not_repeated')
  await run.settle('delivered', sale, 'wrong_books')
  const refusal = await run.marketplace.refusal(sale)
  if (refusal?.code !== 'reservation_not_found')
    throw new Finding('reservation_unused', `Sale ${sale.number} was placed without its hold.`, [
      { what: `reservation ${sale.reservationId}`, expected: 'used', found: 'still held' },
    ])
}

/** The hold has ended when the customer has paid: the shop places the order without it, or refunds. */
async function sellEnded(run: Run) {
  const reservationId = await run.marketplace.reserve(run.goods)
  await run.marketplace.client.releaseReservation({ reservation_id: reservationId })
  const sale = run.sale({ reservationId })
  await run.shop.sell(sale)
  await run.settle(await run.endOf(sale, 'reservation_lost'), sale, 'reservation_lost')
}

export const terms: readonly Scenario[] = [
  { name: 'quantity', says: 'two pieces are sold, and two are refunded', run: sellTwo },
  { name: 'reserved', says: 'the piece is reserved, and the answer lost', run: sellReserved },
  { name: 'reservation_ended', says: 'the reservation has ended', run: sellEnded },
]
