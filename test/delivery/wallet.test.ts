import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { queueAwaiting, removeRecipient } from '../../src/delivery/wallet.ts'
import { aChain } from '../support/chain/chain.ts'
import { anEngine, rowOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem } from '../support/delivery/items.ts'
import { db, setRow } from '../support/makers.ts'

const WALLET = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const KEY_WALLET = { address: WALLET, walletChainId: 0 }

async function buyerOf({ orderId }: PaidItem): Promise<number> {
  const order = await env.DB.prepare('SELECT buyerId FROM orders WHERE id = ?')
    .bind(orderId)
    .first<{ buyerId: number }>()
  if (!order) throw new Error('there is no order')
  return order.buyerId
}

it('does not forget with a wallet what transactions have cost', async () => {
  const chain = await aChain({ erc721: 1 })
  const item = await aPaidItem(chain, { standard: 'erc721' })
  const counted = { tries: 1, withoutEffect: 2 }
  await setRow(deliveries, item.id, { ...counted, reasonCode: 'recipient_rejects' })
  const [buyer, now] = [await buyerOf(item), new Date()]
  await batch(db, removeRecipient(db, buyer, now))
  expect(await rowOf(item)).toMatchObject({ state: 'awaiting_wallet', reasonCode: null })
  await batch(db, queueAwaiting(db, buyer, KEY_WALLET, now))
  await anEngine(chain).run(60)
  const reasonCode = 'transfer_without_effect'
  expect(await rowOf(item)).toMatchObject({ state: 'queued', ...counted, reasonCode })
})

it('waits as usual if another wallet refuses what has failed for the one before', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  await setRow(deliveries, item.id, { tries: 1, reasonCode: 'recipient_rejects' })
  const [buyer, now] = [await buyerOf(item), new Date()]
  await batch(db, removeRecipient(db, buyer, now))
  const address = await chain.aRecipient('refuses')
  await batch(db, queueAwaiting(db, buyer, { address, walletChainId: 0 }, now))
  await anEngine(chain).run(60)
  expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode: 'recipient_rejects' })
})
