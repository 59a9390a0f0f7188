import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { beginAwaiting } from '../../src/transfers/wallet-linked.ts'
import { aChain } from '../support/chain/chain.ts'
import { db } from '../support/makers.ts'
import { deliveriesOf, transferEvents } from '../support/transfers/events.ts'
import { paidItems } from '../support/transfers/items.ts'
import { anEngine, rowOf } from '../support/transfers/looks.ts'

const WALLET = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'

it('starts what waited for the wallet of its buyer, and nothing else', async () => {
  const chain = await aChain({ erc721: 3 })
  const mine = await paidItems(chain, [
    { standard: 'erc721', recipient: null },
    { standard: 'erc721', recipient: null },
  ])
  const [theirs] = await paidItems(chain, [{ standard: 'erc721', recipient: null }])
  if (!theirs) throw new Error('nothing was sold')
  const buyer = await env.DB.prepare('SELECT buyerId FROM orders WHERE id = ?')
    .bind(mine[0]?.orderId)
    .first<number>('buyerId')
  const now = new Date()
  const [, begun] = await db.batch(beginAwaiting(db, buyer ?? 0, WALLET, now))
  expect(begun.map(({ id }) => id)).toEqual(mine.map(({ id }) => id))
  for (const item of mine)
    expect(await rowOf(item)).toMatchObject({
      status: 'queued',
      item: null,
      dueAt: now.toISOString(),
    })
  expect(await rowOf(theirs)).toMatchObject({ status: 'awaiting_wallet', item: 'awaiting_wallet' })

  const { look } = anEngine(chain)
  await look(mine)
  await chain.mine()
  await look(mine, 5)
  const events = await transferEvents(chain)
  for (const item of mine)
    expect(deliveriesOf({ ...item, recipient: WALLET }, events)).toHaveLength(1)
  const [, again] = await db.batch(beginAwaiting(db, buyer ?? 0, WALLET, now))
  expect(again).toEqual([])
})
