/** The database is set back to an earlier time, while the chain goes on. */

import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq, like } from 'drizzle-orm'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import app from '../../src/app.ts'
import { batch } from '../../src/db/batch.ts'
import { findings } from '../../src/db/schema/operations.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { queueAwaiting } from '../../src/delivery/wallet.ts'
import { requestOf } from '../support/api.ts'
import { firstCases } from '../support/cases.ts'
import { aSlowChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import {
  anEngine,
  aStepper,
  type Engine,
  networksOf,
  rowOf,
  transactionsOf,
} from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, itemsOf, type PaidItem, sellerOn } from '../support/delivery/items.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser, db } from '../support/makers.ts'

const aStep = aStepper()
const stock = { erc1155: 20 }

/** Takes steps, with a block after each, until there is nothing to do. */
async function runUntilDone(chain: Chain, engine: Engine) {
  for (let i = 0; i < 10; i++) {
    const done = await aStep(engine)
    await chain.mine()
    if (done && done.loaded.due.length + done.loaded.transactions.length === 0) return
  }
}

const heightOf = async (chain: Chain) => Number(await chain.rpc('eth_blockNumber'))

const edition = { standard: 'erc1155' } as const

/** A shop that sells an NFT through the API. */
async function aShop(chain: Chain) {
  const nft = await anNft(await sellerOn(chain), {
    contractAddr: chain.contracts.erc1155,
    contractNetwork: chain.name,
    tokenId: '1',
    amount: 100,
  })
  const listing = await aListing(nft)
  const token = await aMasterToken()
  // No run is started but by the test.
  const DELIVERIES = { sendBatch: async () => {} }
  const bindings = { ...env, NETWORKS: networksOf([chain]), DELIVERIES }
  let orders = 0
  return {
    nft,
    async order(buyer: { id: number }, providerId = `order ${++orders}`, quantity = 1) {
      const context = createExecutionContext()
      const json = [
        { nftId: nft.id, listingId: listing.id, quantity, buyerUserId: buyer.id, providerId },
      ]
      const request = requestOf('POST', '/api/externalOrders', { token, json })
      const response = await app.request(request, undefined, bindings, context)
      await waitOnExecutionContext(context)
      if (!response.ok) throw new Error(await response.text())
      return providerId
    },
    stock: () =>
      env.DB.prepare('SELECT availableAmount FROM nfts WHERE id = ?')
        .bind(nft.id)
        .first<number>('availableAmount'),
  }
}

async function aBuyer(wallet?: '') {
  const buyer = await aUser(wallet === '' ? { ethereumPublicAddr: '' } : {})
  await anAddress(buyer)
  return buyer
}

/** A buyer who has ordered a piece. */
async function anOrder(wallet?: '') {
  const chain = await aSlowChain(stock)
  const shop = await aShop(chain)
  const buyer = await aBuyer(wallet)
  await shop.order(buyer)
  return { chain, buyer }
}

/** The only item of a buyer. */
async function itemOf(buyer: { id: number }): Promise<PaidItem> {
  const [item, ...more] = await itemsOf(buyer, 'erc1155')
  if (!item || more.length > 0) throw new Error('the buyer has not one item')
  return item
}

it('an item that its seller held is found delivered with the token of its seller', async () => {
  const chain = await aSlowChain(stock)
  const item = await aPaidItem(chain, { ...edition, heldBySeller: true })
  const engine = anEngine(chain, { finality: 2, treasury: getAddress(chain.owner) })
  const copy = await takeSnapshot()
  await runUntilDone(chain, engine)
  await restore(copy)
  await runUntilDone(chain, engine)
  await expectDelivered(chain, [item])
  expect(await db.select().from(findings).where(like(findings.key, 'foreign_%'))).toEqual([])
})

/** What the engine does until the database is copied. */
const lives: [string, (chain: Chain, engine: Engine) => Promise<void>][] = [
  ['transferred', runUntilDone],
  [
    'signed and not sent',
    async (chain, engine) => {
      const on = ['eth_sendRawTransaction']
      await chain.setFaults({ on, effect: { http: 'drop', reach: 'none' } })
      await aStep(engine)
      await chain.setFaults()
    },
  ],
  ['sent and not mined', async (_, engine) => void (await aStep(engine))],
  [
    'mined and not final',
    async (chain, engine) => {
      await aStep(engine)
      await chain.mine()
      await aStep(engine)
    },
  ],
  ['placed', async () => {}],
]

it.each(firstCases(2, lives))(
  'an item that was delivered after the copy is delivered once if it was %s in the copy',
  async (_, live) => {
    const { chain, buyer } = await anOrder()
    const item = await itemOf(buyer)
    const engine = anEngine(chain, { finality: 2 })
    await live(chain, engine)
    const copy = await takeSnapshot()
    await runUntilDone(chain, engine)
    await expectDelivered(chain, [item])

    await restore(copy)
    await runUntilDone(chain, anEngine(chain, { finality: 2 }))
    await expectDelivered(chain, [item])
    expect((await transactionsOf(chain)).filter(({ isOpen }) => isOpen)).toEqual([])
    expect(await chain.rpc('eth_getTransactionCount', chain.signer, 'latest')).toBe('0x1')
  },
)

describe('an item that was delivered after the copy', () => {
  it('is delivered once if the shop repeats its order, which gets another id', async () => {
    const chain = await aSlowChain(stock)
    const shop = await aShop(chain)
    const [first, second] = [await aBuyer(), await aBuyer()]
    const other = await aBuyer()
    const copy = await takeSnapshot()
    const [one, two] = [await shop.order(first), await shop.order(second, undefined, 2)]
    const ids = [await itemOf(first), await itemOf(second)].map(({ id }) => id)
    await runUntilDone(chain, anEngine(chain, { finality: 2 }))
    await expectDelivered(chain, [await itemOf(first), await itemOf(second)])
    const [true1] = await transactionsOf(chain)

    await restore(copy)
    await shop.order(other)
    await shop.order(second, two, 2)
    await shop.order(first, one)
    const items = [await itemOf(first), await itemOf(second), await itemOf(other)]
    expect(items.map(({ id }) => id)).not.toEqual(ids)
    await runUntilDone(chain, anEngine(chain, { finality: 2 }))
    await expectDelivered(chain, items)
    expect((await transactionsOf(chain)).map(({ hash }) => hash)).toContain(true1?.hash)
  })

  it('waits with a reason while the node does not answer a question about its transaction', async () => {
    const { chain, buyer } = await anOrder()
    const item = await itemOf(buyer)
    const copy = await takeSnapshot()
    await runUntilDone(chain, anEngine(chain))
    const [transaction] = await transactionsOf(chain)
    for (const method of firstCases(1, ['Logs', 'TransactionByHash', 'TransactionReceipt'])) {
      await restore(copy)
      await chain.setFaults({ on: [`eth_get${method}`], effect: { result: null } })
      const engine = anEngine(chain)
      await aStep(engine)
      await aStep(engine)
      expect(await rowOf(item), method).toMatchObject({
        state: 'queued',
        ...explain('transaction_not_found', `block ${transaction?.block}`),
        dueAt: expect.any(String),
      })
      await chain.setFaults()
      await aStep(engine)
      await expectDelivered(chain, [item])
      expect(await rowOf(item)).toMatchObject({ reason: null })
    }
  })
})

describe('an item that the copy has as waiting or failed', () => {
  it('is transferred by the daily comparison if the buyer had no wallet in the copy', async () => {
    const { chain, buyer } = await anOrder('')
    const engine = anEngine(chain)
    await aStep(engine)
    expect(await rowOf(await itemOf(buyer))).toMatchObject({ state: 'awaiting_wallet' })
    const copy = await takeSnapshot()
    const wallet = '0x00000000000000000000000000000000000AbCdE'
    await batch(db, queueAwaiting(db, buyer.id, { address: wallet, walletChainId: 0 }, new Date()))
    const item = await itemOf(buyer)
    await runUntilDone(chain, engine)
    await expectDelivered(chain, [item])

    await restore(copy)
    const later = anEngine(chain)
    await aStep(later, 600)
    expect(await rowOf(item)).toMatchObject({ state: 'awaiting_wallet' })
    await aStep(later, 25 * 3600)
    await expectDelivered(chain, [item])
  })

  const wallets = [
    ['after the fork', '0x00000000000000000000000000000000000abce0'],
    ['before the fork', '0x00000000000000000000000000000000000aBcDf'],
  ] as const
  it.each(firstCases(1, wallets))(
    'is delivered once more if a fork drops its block, to the wallet that is linked %s',
    async (when, wallet) => {
      const { chain, buyer } = await anOrder('')
      const copy = await takeSnapshot()
      const height = await heightOf(chain)
      const link = (address: string) =>
        batch(db, {
          user: db.update(users).set({ ethereumPublicAddr: address }).where(eq(users.id, buyer.id)),
          ...queueAwaiting(db, buyer.id, { address, walletChainId: 0 }, new Date()),
        })
      await link('0x00000000000000000000000000000000000AbCdE')
      const item = await itemOf(buyer)
      await runUntilDone(chain, anEngine(chain))
      await expectDelivered(chain, [item])
      await restore(copy)
      const later = anEngine(chain)
      await aStep(later, 25 * 3600)
      expect(await rowOf(item)).toMatchObject({ state: 'transferred' })

      if (when === 'before the fork') await link(wallet)
      await chain.rpc('anvil_reorg', (await heightOf(chain)) - height, [])
      await aStep(later)
      if (when === 'after the fork') {
        expect(await rowOf(item)).toMatchObject({ state: 'awaiting_wallet' })
        await link(wallet)
      }
      await runUntilDone(chain, later)
      await expectDelivered(chain, [{ ...item, recipient: wallet }])
    },
  )

  it('awaits its wallet while no node tells who got it, and is transferred if that one is linked', async () => {
    const { chain, buyer } = await anOrder('')
    await aStep(anEngine(chain))
    const copy = await takeSnapshot()
    const wallet = { address: '0x00000000000000000000000000000000000AbCdE', walletChainId: 0 }
    const link = () => batch(db, queueAwaiting(db, buyer.id, wallet, new Date()))
    await link()
    const item = await itemOf(buyer)
    await runUntilDone(chain, anEngine(chain))
    await expectDelivered(chain, [item])

    await restore(copy)
    await chain.setFaults({ on: ['eth_getLogs'], effect: { result: null } })
    const later = anEngine(chain)
    await aStep(later, 25 * 3600)
    await aStep(later, 25 * 3600)
    expect(await rowOf(item)).toMatchObject({ state: 'awaiting_wallet' })
    await link()
    await aStep(later)
    await aStep(later, 600)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: null })
  })
})

describe('a key that was used for something else', () => {
  it('fails the item, and the reason names the transaction and the recipient', async () => {
    const chain = await aSlowChain(stock)
    const shop = await aShop(chain)
    const [right, wrong] = [await aBuyer(), await aBuyer()]
    const copy = await takeSnapshot()
    const number = await shop.order(right)
    await runUntilDone(chain, anEngine(chain))
    const delivered = await itemOf(right)
    await expectDelivered(chain, [delivered])
    const [transaction] = await transactionsOf(chain)

    await restore(copy)
    await shop.order(wrong, number)
    await runUntilDone(chain, anEngine(chain))
    const row = await rowOf(await itemOf(wrong))
    expect(row).toMatchObject({
      state: 'failed',
      reasonCode: 'key_used_for_other_delivery',
      txId: transaction?.hash,
    })
    expect(row.reason?.toLowerCase()).toContain(
      `transaction ${transaction?.hash}, recipient ${right.ethereumPublicAddr}`,
    )
    expect(await transferEvents(chain)).toHaveLength(1)
  })

  it('ends the item as cancelled if it was cancelled, and its pieces return once', async () => {
    const chain = await aSlowChain(stock)
    const shop = await aShop(chain)
    const buyer = await aBuyer()
    const before = await takeSnapshot()
    const number = await shop.order(buyer, undefined, 4)
    const after = await takeSnapshot()
    const item = await itemOf(buyer)
    const engine = anEngine(chain)
    await engine.cancel(item)
    await runUntilDone(chain, engine)
    const cancelled = { state: 'cancelled', requestedAction: 'cancel' }
    expect(await rowOf(item)).toMatchObject(cancelled)
    expect(await shop.stock()).toBe(100)
    const [transaction] = await transactionsOf(chain)

    for (const copy of [after, before]) {
      await restore(copy)
      if (copy === before) await shop.order(buyer, number, 4)
      await runUntilDone(chain, anEngine(chain))
      const txId = transaction?.hash
      expect(await rowOf(await itemOf(buyer))).toMatchObject({ ...cancelled, txId })
      expect(await shop.stock()).toBe(100)
    }
    expect(await transferEvents(chain)).toEqual([])
  })
})
