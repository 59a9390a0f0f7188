/** What an operator sees of deliveries and may do to them, over HTTP. */

import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { burns, deliveries, instance, type ReasonCode } from '../../src/db/schema/delivery.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { orders } from '../../src/db/schema/orders.ts'
import { describeReason, explain, rules } from '../../src/delivery/reasons.ts'
import { queueAwaiting } from '../../src/delivery/wallet.ts'
import { stockOfItem } from '../admin/operator.ts'
import { copies } from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { anEngine, networksOf, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { deliveriesOf, keyUses, transferEvents } from '../support/delivery/events.ts'
import { aMarket, aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aMasterToken, aTransaction, db, setRow } from '../support/makers.ts'

const PATH = '/api/admin/transfers'
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** A network on which no run works. */
const elsewhere: Market = aMarket('elsewhere', 1)

let token: string
beforeAll(async () => {
  token = await aMasterToken()
})

beforeEach(async () => {
  await db.delete(deliveries)
})

type Market = Pick<Chain, 'name' | 'chainId' | 'contracts' | 'seller' | 'proxyUrl' | 'delivery'>

/** The API of an instance with these networks. Its queue only remembers. */
function anApi(markets: readonly Market[] = [elsewhere]) {
  const queue = aRecordingQueue()
  const bindings = { NETWORKS: networksOf(markets), DELIVERIES: queue.queue }
  const ask = async (method: string, path: string, json?: object) => {
    const content = { token, ...(json && { json }) }
    const response = await callWith(bindings, method, PATH + path, content)
    return { status: response.status, body: await response.json() }
  }
  const list = (query = '') => ask('GET', `?${query}`)
  /** Returns the ids of each page. */
  const pages = async (query: string, cursor = ''): Promise<number[][]> => {
    const { body } = await list(query + (cursor && `&cursor=${cursor}`))
    const page = body as { transfers: { id: number }[]; nextCursor: string | null }
    const others = page.nextCursor === null ? [] : await pages(query, page.nextCursor)
    return [page.transfers.map(({ id }) => id), ...others]
  }
  return {
    list,
    pages,
    retry: ({ id }: { id: number }) => ask('POST', `/${id}/retry`),
    cancel: ({ id }: { id: number }) => ask('POST', `/${id}/cancel`),
    writeOff: ({ id }: { id: number }, body: object) => ask('POST', `/${id}/write-off`, body),
    retryAll: (query: string) => ask('POST', `/retry?${query}`),
    cancelAll: (query: string) => ask('POST', `/cancel?${query}`),
    /** Returns the ids of the chains that were woken since the last call, one for each message. */
    takeWoken: () => queue.take().map(({ chainId }) => chainId),
  }
}

const conflict = (error: string) => ({ status: 409, body: { code: 'conflict', error } })
const transferWith = (values: object) => ({ status: 200, body: { transfer: values } })

const failed = (code: ReasonCode) => ({ state: 'failed', ...explain(code), dueAt: null }) as const

const cancelledNow = { state: 'cancelled', requestedAction: 'cancel' } as const

const update = ({ id }: { id: number }, values: Partial<typeof deliveries.$inferInsert>) =>
  db.update(deliveries).set(values).where(eq(deliveries.id, id))

const erc1155 = { standard: 'erc1155' } as const

async function expectCancelledOnChain(chain: Chain, item: PaidItem) {
  expect(await keyUses(chain, [chain.delivery])).toEqual([{ key: item.key, outcome: 'cancelled' }])
  expect(deliveriesOf(item, await transferEvents(chain))).toEqual([])
}

describe('the list', () => {
  it('shows the key, the contract and the transaction of a delivery', async () => {
    const chain = await aChain({ erc1155: 5 })
    const item = await aPaidItem(chain, { ...erc1155, quantity: 5 })
    const { list } = anApi([chain])
    const shown = { id: item.id, orderId: item.orderId, network: chain.name, key: item.key }
    const queued = { status: 'queued', contract: null, sequence: 1, txId: null, transactions: [] }
    expect(await list()).toMatchObject({
      status: 200,
      body: { transfers: [{ ...shown, chainId: chain.chainId, quantity: 5, ...queued }] },
    })
    await anEngine(chain).run()
    const [event] = await transferEvents(chain)
    const { transactionHash: hash } = event ?? {}
    const { delivery: contract, signer } = chain
    const block = Number(await chain.rpc('eth_blockNumber'))
    expect(await list()).toMatchObject({
      body: {
        transfers: [
          {
            ...{ ...shown, status: 'transferred', sequence: 3, contract, txId: hash, dueAt: null },
            transactions: [{ hash, contract, signer, nonce: 0, block, isOpen: false }],
          },
        ],
      },
    })
  })

  it('goes from page to page, with and without filters', async () => {
    const items = await paidItems(elsewhere, copies(7, erc1155))
    const { pages } = anApi()
    const ids = items.map(({ id }) => id)
    expect(await pages('limit=3')).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
    expect(await pages('limit=7')).toEqual([ids])
    for (const item of items.slice(1, 6)) await update(item, failed('recipient_rejects'))
    expect(await pages('limit=2&status=failed')).toEqual([
      ids.slice(1, 3),
      ids.slice(3, 5),
      ids.slice(5, 6),
    ])
  })

  it('selects by status and by reason', async () => {
    const sales = [erc1155, erc1155, erc1155, erc1155, erc1155] as const
    const [transferred, inFlight, queued, refused, other] = await paidItems(elsewhere, sales)
    const awaiting = await aPaidItem(elsewhere, { ...erc1155, recipient: null })
    await update(transferred, { state: 'transferred', dueAt: null })
    await update(inFlight, { state: 'in_flight', dueAt: null, ...explain('transfer_failed') })
    await aTransaction({ chainId: 1, items: [inFlight.id], isOpen: true })
    await update(queued, explain('holder_not_approved', 'one'))
    await update(refused, failed('recipient_rejects'))
    await update(other, failed('holder_not_approved'))

    const { pages } = anApi()
    const idsOf = async (filter: Record<string, string>) =>
      (await pages(`${new URLSearchParams(filter)}`)).flat()
    expect(await idsOf({ status: 'transferred' })).toEqual([transferred.id])
    expect(await idsOf({ status: 'in_flight' })).toEqual([inFlight.id])
    expect(await idsOf({ status: 'queued' })).toEqual([queued.id])
    expect(await idsOf({ status: 'failed' })).toEqual([refused.id, other.id])
    expect(await idsOf({ status: 'awaiting_wallet' })).toEqual([awaiting.id])
    expect(await idsOf({ status: 'failed', code: 'recipient_rejects' })).toEqual([refused.id])
    expect(await idsOf({ code: 'holder_not_approved' })).toEqual([queued.id, other.id])
    expect(await idsOf({ code: 'transfer_failed' })).toEqual([inFlight.id])
    expect(await idsOf({ status: 'transferred', code: 'transfer_failed' })).toEqual([])
  })

  it('selects by the name of the token that placed the order', async () => {
    const namespaces = ['master:Shop', 'user:aa-bb:Shop', 'master:ERP', 'user:cc:session']
    const items = await paidItems(elsewhere, copies(8, erc1155))
    for (const [i, item] of items.entries()) {
      const namespace = namespaces[i % 4] ?? ''
      await db.update(orders).set({ namespace }).where(eq(orders.id, item.orderId))
      if (i < 6) await update(item, failed('recipient_rejects'))
    }
    const idsAt = (...positions: number[]) => positions.map((i) => items[i]?.id)
    const { pages, retryAll, cancelAll } = anApi()
    const found = async (query: string) => (await pages(`limit=2&${query}`)).flat()
    expect(await found('source=Shop')).toEqual(idsAt(0, 1, 4, 5))
    expect(await found('source=session')).toEqual(idsAt(3, 7))
    expect(await found('source=shop')).toEqual([])
    expect(await found('source=Shop&status=failed')).toEqual(idsAt(0, 1, 4, 5))
    expect(await found('source=ERP&status=queued')).toEqual(idsAt(6))
    expect(await found('source=ERP&code=recipient_rejects')).toEqual(idsAt(2))
    expect(await retryAll('status=failed&source=Shop')).toMatchObject({ body: { changed: 4 } })
    expect(await cancelAll('status=failed&source=ERP')).toMatchObject({ body: { changed: 1 } })
    expect(await found('status=failed')).toEqual(idsAt(3))
  })

  it('shows what the shop gave, and where the buyer claims the item', async () => {
    const item = await aPaidItem(elsewhere, { ...erc1155, recipient: null })
    const custom = { channel: 'web' }
    await setRow(orders, item.orderId, {
      custom,
      providerId: 'A-1',
      namespace: `user:${'a'.repeat(64)}-0123456789abcdef:Shop: 2`,
    })
    await db
      .insert(instance)
      .values({ id: 1, deliverySecretHash: '', publicUrl: 'https://shop.test' })
      .onConflictDoUpdate({ target: instance.id, set: { publicUrl: 'https://shop.test' } })
    const { list, cancel } = anApi()
    const shown = { providerId: 'A-1', source: 'Shop: 2', custom }
    expect((await list()).body).toMatchObject({
      transfers: [{ ...shown, claimUrl: `https://shop.test/claim/${item.orderId}?secret=claim` }],
    })
    const { body } = await cancel(item)
    expect(body).toMatchObject({ transfer: { ...shown, claimUrl: null, sequence: 2 } })
    const { updatedAt: cancelRequestedAt } = (body as { transfer: { updatedAt: string } }).transfer
    expect(body).toMatchObject({ transfer: { cancelRequestedAt } })
  })

  it.each(['status=lost', 'code=why'])('refuses ?%s', async (query) => {
    expect((await anApi().list(query)).status).toBe(400)
  })
})

describe('a retry', () => {
  it('delivers a failed item, and wakes its chain', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, erc1155)
    await update(item, {
      ...failed('recipient_rejects'),
      tries: 3,
      waitingSince: '2026-01-01T00:00:00.000Z',
    })
    const { retry, takeWoken } = anApi([chain])
    expect(await retry(item)).toMatchObject(
      transferWith({
        id: item.id,
        status: 'queued',
        reason: null,
        tries: 0,
        failingSince: null,
        dueAt: expect.any(String),
      }),
    )
    expect(takeWoken()).toEqual([chain.chainId])
    await anEngine(chain).run(60)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
    expect(await transferEvents(chain)).toHaveLength(1)
  })

  it('delivers an item whose network is configured only now', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, erc1155)
    await update(item, { ...failed('network_not_configured'), chainId: null })
    const without = anApi()
    expect(await without.retry(item)).toMatchObject(conflict(rules.network_not_configured.sentence))
    expect(await without.cancel(item)).toMatchObject(
      conflict(rules.network_not_configured.sentence),
    )
    expect(await without.retryAll('status=failed')).toMatchObject({ body: { changed: 0 } })
    expect(await without.cancelAll('status=failed')).toMatchObject({ body: { changed: 0 } })
    // The retry of all looks at what is due in the configured networks.
    expect(without.takeWoken()).toEqual([elsewhere.chainId])
    expect(await rowOf(item)).toMatchObject({ state: 'failed', version: 0 })

    const { retry, takeWoken } = anApi([elsewhere, chain])
    expect(await retry(item)).toMatchObject(
      transferWith({ status: 'queued', chainId: chain.chainId }),
    )
    expect(takeWoken()).toEqual([chain.chainId])
    await anEngine(chain).run(60)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
    expect(await transferEvents(chain)).toHaveLength(1)
  })

  it('looks at once at an item that waits for its holder', async () => {
    const chain = await aChain({ erc1155: 1 })
    await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
    const item = await aPaidItem(chain, erc1155)
    const engine = anEngine(chain)
    await engine.run()
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode: 'holder_not_approved' })
    await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, true)
    await update(item, { dueAt: '2999-01-01T00:00:00.000Z' })
    const { retryAll, takeWoken } = anApi([chain])
    expect(await retryAll('status=queued')).toMatchObject({ body: { changed: 1 } })
    expect(takeWoken()).toEqual([chain.chainId])
    expect(await rowOf(item)).toMatchObject({ waitingSince: null, reason: null })
    // It is due already, so a loop over the filter ends.
    expect(await retryAll('status=queued')).toMatchObject({ body: { changed: 0 } })
    await engine.run(60)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  })

  it('does not change an item that a transaction carries', async () => {
    const item = await aPaidItem(elsewhere, erc1155)
    await update(item, { state: 'in_flight', dueAt: null })
    const before = await rowOf(item)
    expect(await anApi().retry(item)).toMatchObject(transferWith({ status: 'in_flight' }))
    expect(await rowOf(item)).toEqual(before)
  })

  it('is refused where there is nothing to retry, or nothing at all', async () => {
    const { retry, cancel, takeWoken } = anApi()
    const item = await aPaidItem(elsewhere, erc1155)
    await update(item, { state: 'transferred', dueAt: null })
    expect(await retry(item)).toMatchObject(conflict('the NFT is transferred already'))
    const awaiting = await aPaidItem(elsewhere, { ...erc1155, recipient: null })
    expect(await retry(awaiting)).toMatchObject(conflict('the buyer has no wallet yet'))
    await update(item, { ...failed('cancelled'), ...cancelledNow })
    expect(await retry(item)).toMatchObject(conflict('the item is cancelled'))
    for (const act of [retry, cancel])
      expect(await act({ id: 999_999 })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    expect(takeWoken()).toEqual([])
  })
})

describe('a cancellation', () => {
  it('uses up the key of a queued item, and returns its pieces once that is final', async () => {
    const chain = await aChain({ erc1155: 3 })
    const item = await aPaidItem(chain, { ...erc1155, quantity: 3 })
    const stock = await stockOfItem(item.id)
    const { cancel, retry, takeWoken } = anApi([chain])
    expect(await cancel(item)).toMatchObject(
      transferWith({ status: 'queued', requestedAction: 'cancel', reason: null }),
    )
    expect(takeWoken()).toEqual([chain.chainId])
    const pending = await rowOf(item)
    expect(await cancel(item)).toMatchObject(
      transferWith({ status: 'queued', requestedAction: 'cancel' }),
    )
    expect(await rowOf(item)).toEqual(pending)

    const engine = anEngine(chain, { finality: 3 })
    await engine.step(60)
    await engine.step(61)
    await expectCancelledOnChain(chain, item)
    expect(await rowOf(item)).toMatchObject({ state: 'in_flight', requestedAction: 'cancel' })
    expect(await stockOfItem(item.id)).toBe(stock)

    await chain.mine(2)
    await engine.run(90)
    expect(await rowOf(item)).toMatchObject({
      state: 'cancelled',
      requestedAction: 'cancel',
      reasonCode: 'cancelled',
      dueAt: null,
    })
    expect(await stockOfItem(item.id)).toBe(stock + 3)
    expect(await cancel(item)).toMatchObject(conflict('the item is cancelled'))
    expect(await retry(item)).toMatchObject(conflict('the item is cancelled'))
  })

  it('comes too late for an item that its transaction delivers', async () => {
    const chain = await aChain({ erc1155: 1 })
    await chain.setAutomine(false)
    const item = await aPaidItem(chain, erc1155)
    const stock = await stockOfItem(item.id)
    const engine = anEngine(chain)
    await engine.step()
    const { cancel } = anApi([chain])
    expect(await cancel(item)).toMatchObject(
      transferWith({ status: 'in_flight', requestedAction: 'cancel', dueAt: null }),
    )
    await chain.mine()
    await engine.run(60)
    expect(await rowOf(item)).toMatchObject({
      state: 'transferred',
      requestedAction: 'deliver',
      reason: null,
    })
    expect(await transferEvents(chain)).toHaveLength(1)
    expect(await stockOfItem(item.id)).toBe(stock)
    expect(await cancel(item)).toMatchObject(conflict('the NFT is transferred already'))
  })

  it('follows a transaction that does not deliver the item', async () => {
    const chain = await aChain({ erc1155: 2 })
    await chain.setAutomine(false)
    const item = await aPaidItem(chain, erc1155)
    const stock = await stockOfItem(item.id)
    const engine = anEngine(chain)
    await engine.step()
    await anApi([chain]).cancel(item)
    await chain.rpc('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
    await engine.run(60)
    expect(await rowOf(item)).toMatchObject({
      state: 'cancelled',
      reasonCode: 'cancelled',
      tries: 1,
    })
    await expectCancelledOnChain(chain, item)
    expect(await transactionsOf(chain)).toHaveLength(2)
    expect(await stockOfItem(item.id)).toBe(stock + 1)
  })

  it('ends an item that waits for a wallet, and a wallet that is linked later changes nothing', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, { ...erc1155, recipient: null })
    const stock = await stockOfItem(item.id)
    const [row] = await db.select().from(deliveries).where(eq(deliveries.id, item.id))
    expect(await anApi([chain]).cancel(item)).toMatchObject(transferWith({ status: 'queued' }))
    const { queued } = await batch(
      db,
      queueAwaiting(db, row?.awaits ?? 0, { address: WALLET, walletChainId: 0 }, new Date()),
    )
    expect(queued).toEqual([])
    await anEngine(chain).run(60)
    expect(await rowOf(item)).toMatchObject({ state: 'cancelled', reasonCode: 'cancelled' })
    await expectCancelledOnChain(chain, item)
    expect(await stockOfItem(item.id)).toBe(stock + 1)
  })
})

describe('a write-off', () => {
  const usedUp = failed('key_used_for_other_delivery')

  it.each([
    [true, 1],
    [false, 0],
  ])('ends a failed item whose key is used up (returnPieces: %s)', async (returnPieces, more) => {
    const item = await aPaidItem(elsewhere, erc1155)
    await update(item, usedUp)
    const stock = await stockOfItem(item.id)
    const { writeOff, takeWoken } = anApi()
    const { reasonCode } = usedUp
    const reason = describeReason(usedUp)
    expect(await writeOff(item, { returnPieces })).toMatchObject(
      transferWith({ id: item.id, status: 'written_off', reasonCode, reason, dueAt: null }),
    )
    expect(takeWoken()).toEqual([])
    expect(await stockOfItem(item.id)).toBe(stock + more)
    const actions = await db
      .select()
      .from(auditLog)
      .where(eq(auditLog.subject, `${item.id}`))
    expect(actions).toMatchObject([{ action: 'transfer.write_off', details: { returnPieces } }])

    const again = await anApi().writeOff(item, { returnPieces: true })
    expect(again).toMatchObject(conflict('the item is written off'))
    expect(await stockOfItem(item.id)).toBe(stock + more)
  })

  it('is the only thing that can be done with a used key', async () => {
    const item = await aPaidItem(elsewhere, erc1155)
    await update(item, usedUp)
    const { retry, cancel, retryAll, cancelAll, writeOff } = anApi()
    const message = 'the delivery key is used up: write the item off'
    expect(await retry(item)).toMatchObject(conflict(message))
    expect(await cancel(item)).toMatchObject(conflict(message))
    expect(await retryAll('status=failed')).toMatchObject({ body: { changed: 0 } })
    expect(await cancelAll('status=failed')).toMatchObject({ body: { changed: 0 } })
    await writeOff(item, { returnPieces: false })
    expect(await retry(item)).toMatchObject(conflict('the item is written off'))
    expect(await cancel(item)).toMatchObject(conflict('the item is written off'))
    expect(await rowOf(item)).toMatchObject({ state: 'written_off', requestedAction: 'deliver' })
  })

  it('is refused for every other item, and without saying what becomes of the pieces', async () => {
    const { writeOff } = anApi()
    const item = await aPaidItem(elsewhere, erc1155)
    const message = 'only a failed item whose delivery key is used up can be written off'
    const body = { returnPieces: true }
    expect(await writeOff(item, body)).toMatchObject(conflict(message))
    for (const state of ['failed', 'transferred', 'cancelled'] as const) {
      await update(item, { ...failed('recipient_rejects'), state })
      expect(await writeOff(item, body)).toMatchObject(conflict(message))
    }
    await update(item, usedUp)
    expect((await writeOff(item, {})).status).toBe(400)
    expect((await writeOff(item, { returnPieces: 'yes' })).status).toBe(400)
    expect((await writeOff({ id: 999_999 }, body)).status).toBe(404)
    expect(await rowOf(item)).toMatchObject({ state: 'failed' })
  })
})

describe('burned gas', () => {
  type Transfer = Pick<PaidItem, 'contract' | 'recipient'>
  const burn = ({ contract, recipient }: Transfer, chainId = elsewhere.chainId) => {
    const [token, to] = [contract.toLowerCase(), `${recipient}`.toLowerCase()]
    const values = { chainId, token, recipient: to, times: 2, updatedAt: '' }
    return db.insert(burns).values(values).returning()
  }

  it.each(['one', 'many'])('is forgotten when an operator retries (%s)', async (count) => {
    await db.delete(burns)
    const [item, other] = await paidItems(elsewhere, [
      { ...erc1155, contract: `0x${'Aa'.repeat(20)}` },
      { ...erc1155, contract: `0x${'Bb'.repeat(20)}` },
    ])
    await burn(item)
    const kept = [
      ...(await burn(item, 2)),
      ...(await burn({ ...item, recipient: other.recipient })),
      ...(await burn({ ...item, contract: other.contract })),
    ]
    await update(item, failed('gas_burned'))
    const { retry, retryAll } = anApi()
    if (count === 'one') await retry(item)
    else await retryAll('status=failed&code=gas_burned')
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode: null })
    const left = await db.select().from(burns)
    expect(left).toHaveLength(3)
    expect(left).toEqual(expect.arrayContaining(kept))
  })
})

describe('a filter', () => {
  async function failedItems(market: Market, count: number, code: ReasonCode) {
    const items = await paidItems(market, copies(count, erc1155))
    await env.DB.prepare(
      `UPDATE deliveries SET state = 'failed', reasonCode = ?2, dueAt = NULL
       WHERE id IN (SELECT value FROM json_each(?1))`,
    )
      .bind(JSON.stringify(items.map(({ id }) => id)), code)
      .run()
    return items
  }

  it.each(['retryAll', 'cancelAll'] as const)(
    'changes 1,000 items in a call (%s), and wakes each chain once',
    async (action) => {
      // A retry looks at what is due already, too. A cancellation wakes the chains of its items.
      const isRetry = action === 'retryAll'
      const other = { ...elsewhere, name: 'other', chainId: 2 }
      await failedItems(elsewhere, 750, 'recipient_rejects')
      await failedItems(other, 750, 'recipient_rejects')
      const untouched = await failedItems(elsewhere, 5, 'holder_not_approved')
      const { takeWoken, ...api } = anApi([elsewhere, other])
      expect(await api[action]('status=failed&code=recipient_rejects')).toEqual({
        status: 200,
        body: { changed: 1000 },
      })
      expect(takeWoken().toSorted()).toEqual([1, 2])
      expect(await api[action]('status=failed&code=recipient_rejects')).toMatchObject({
        body: { changed: 500 },
      })
      expect(takeWoken()).toEqual(isRetry ? [1, 2] : [2])
      expect(await api[action]('status=failed&code=recipient_rejects')).toMatchObject({
        body: { changed: 0 },
      })
      expect(takeWoken()).toEqual(isRetry ? [1, 2] : [])
      expect(await db.$count(deliveries, eq(deliveries.state, 'queued'))).toBe(1500)
      for (const item of untouched)
        expect(await rowOf(item)).toMatchObject({ state: 'failed', version: 0 })
    },
  )

  it('does not retry cancelled items, nor cancel items twice', async () => {
    const [item, pending] = await failedItems(elsewhere, 2, 'cancelled')
    if (!item || !pending) throw new Error('no items')
    await update(item, cancelledNow)
    await update(pending, {
      requestedAction: 'cancel',
      state: 'queued',
      dueAt: '2026-01-01T00:00:00.000Z',
    })
    const api = anApi()
    expect(await api.retryAll('status=failed')).toMatchObject({ body: { changed: 0 } })
    expect(await api.cancelAll('status=failed')).toMatchObject({ body: { changed: 0 } })
    expect(await api.cancelAll('status=queued')).toMatchObject({ body: { changed: 0 } })
  })

  it('selects the items of one buyer', async () => {
    const mine = await failedItems(elsewhere, 2, 'recipient_rejects')
    const theirs = await failedItems(elsewhere, 1, 'recipient_rejects')
    const [order] = await db
      .select()
      .from(orders)
      .where(eq(orders.id, mine[0]?.orderId ?? 0))
    const query = `status=failed&buyerId=${order?.buyerId}`
    const api = anApi()
    expect(await api.list(query)).toMatchObject({
      body: { transfers: mine.map(({ id }) => ({ id })) },
    })
    expect(await api.retryAll(query)).toMatchObject({ body: { changed: 2 } })
    const queued = `status=queued&buyerId=${order?.buyerId}`
    expect(await api.cancelAll(queued)).toMatchObject({ body: { changed: 2 } })
    for (const item of mine)
      expect(await rowOf(item)).toMatchObject({ state: 'queued', requestedAction: 'cancel' })
    for (const item of theirs)
      expect(await rowOf(item)).toMatchObject({ state: 'failed', version: 0 })
  })

  it('cancels the items of every other status', async () => {
    const { cancelAll } = anApi()
    const [queued, inFlight] = await paidItems(elsewhere, [erc1155, erc1155])
    const awaiting = await aPaidItem(elsewhere, { ...erc1155, recipient: null })
    await aTransaction({ chainId: 1, items: [inFlight.id], isOpen: true })
    await update(inFlight, { state: 'in_flight', dueAt: null })
    for (const status of ['queued', 'in_flight', 'awaiting_wallet'])
      expect(await cancelAll(`status=${status}`)).toMatchObject({ body: { changed: 1 } })
    expect(await rowOf(queued)).toMatchObject({ state: 'queued', requestedAction: 'cancel' })
    expect(await rowOf(inFlight)).toMatchObject({
      state: 'in_flight',
      requestedAction: 'cancel',
      dueAt: null,
    })
    expect(await rowOf(awaiting)).toMatchObject({
      state: 'queued',
      requestedAction: 'cancel',
      awaits: null,
    })
  })

  it.each([
    ['retryAll', ''],
    ['retryAll', 'status=awaiting_wallet'],
    ['cancelAll', 'code=recipient_rejects'],
    ['cancelAll', 'status=transferred'],
  ] as const)('is refused if it could select everything (%s ?%s)', async (action, query) => {
    await aPaidItem(elsewhere, erc1155)
    expect((await anApi()[action](query)).status).toBe(400)
    expect(await db.$count(deliveries, eq(deliveries.version, 0))).toBe(1)
  })
})
