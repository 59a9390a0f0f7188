import { env } from 'cloudflare:workers'
import { eq, inArray, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { removeOrphans } from '../../src/avatars/orphans.ts'
import { deliveries, networks, transactions } from '../../src/db/schema/delivery.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { archivedOrders, orderItems } from '../../src/db/schema/orders.ts'
import type { PlacedOrder } from '../../src/orders/answer.ts'
import { call, callWith } from '../support/api.ts'
import { archive, BEFORE, cancelled, end, transferred } from '../support/archive.ts'
import { aToken, aTransaction, aUser, db } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aSignedInVisitor } from '../support/visitor.ts'
import { aShop, billingData, placed, placeError, times } from './shop.ts'

const idsOf = (orders: readonly { id: number }[]) => orders.map(({ id }) => id)
const itemIdsOf = (orders: readonly PlacedOrder[]) =>
  orders.map(({ orderItems: [item] }) => item?.id ?? 0)

const textOf = async (token: string, path: string) =>
  (await call('GET', `/api/externalOrders${path}`, { token })).text()

const isArchived = async (order: { id: number } | undefined) =>
  (
    await db
      .select()
      .from(archivedOrders)
      .where(eq(archivedOrders.id, order?.id ?? 0))
  ).length === 1

/** A shop that has sold `count` pieces long ago, and one more just now: the newest order stays. */
async function aShopWith(count: number) {
  const shop = await aShop({ nft: { amount: 2000 } })
  const old: PlacedOrder[] = []
  for (let left = count; left > 0; left -= 100) {
    const inputs = times(Math.min(left, 100), () => shop.input)
    old.push(...(await placed(shop.token, inputs)))
  }
  await end(old)
  const [newest] = await placed(shop.token, [shop.input])
  return { ...shop, old, newest }
}

const archiveOnce = (token: string, bindings: Partial<Env> = {}) =>
  callWith(bindings, 'POST', '/api/admin/archive', { token, json: { before: BEFORE } })

const objectsOf = async () => (await env.AVATARS.list({ prefix: 'archive/' })).objects

// Orders of other tests are archived already.
beforeEach(async () => {
  const { token } = await aShopWith(1)
  await archive(token)
})

describe('reading archived orders', () => {
  it('answers them byte for byte as before, to those who may see them', async () => {
    const { token, seller, buyer, old, newest } = await aShopWith(3)
    await end(old.slice(1, 2), cancelled)
    const ids = idsOf([...old, ...(newest ? [newest] : [])])
    const path = `/${[ids[3], ids[0], ids[2], ids[1]]}`
    const callers = [token, await aToken(buyer), await aToken(seller)]
    const before = await Promise.all(callers.map((caller) => textOf(caller, path)))
    expect(await archive(token)).toBe(3)
    expect(await Promise.all(callers.map((caller) => textOf(caller, path)))).toEqual(before)
    expect(before[0]).toContain('"failReason":"cancelled"')
    const stranger = await call('GET', `/api/externalOrders${path}`, {
      token: await aToken(await aUser()),
    })
    expect(await stranger.json()).toMatchObject({ code: 'order_not_found' })
  })

  it('takes one trip to the database, and one read of the bucket for orders side by side', async () => {
    const { token, old } = await aShopWith(100)
    await archive(token)
    const { database, trips } = measured(env.DB)
    const get = vi.spyOn(env.AVATARS, 'get')
    const path = `/api/externalOrders/${idsOf(old)}`
    const response = await callWith({ DB: database }, 'GET', path, { token })
    expect(response.status).toBe(200)
    // The other trip stores when the token was used.
    expect(trips.filter(({ writes }) => writes.every((rows) => rows === 0))).toHaveLength(1)
    expect(get).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['', [0, 1, 2, 3, 4]],
    ['deliveryStatus=transferred&', [0, 2]],
    ['deliveryStatus=failed&', [1, 3]],
    ['deliveryStatus=transferring&', []],
    ['deliveryStatus=pending&', [4]],
    ['buyerUserId=:buyer&', [0, 1, 2, 3, 4]],
    ['providerId=archive-7&', [2]],
  ])('lists them as before: ?%s', async (filter, places) => {
    const shop = await aShop()
    const { token, seller, buyer, input } = shop
    const orders = await placed(token, [
      input,
      input,
      { ...input, providerId: 'archive-7' },
      input,
      input,
    ])
    await end(orders.slice(0, 1))
    await end(orders.slice(1, 2), cancelled)
    await end(orders.slice(2, 3))
    await end(orders.slice(3, 4), { state: 'failed', reason: 'the transfer would revert' })
    const callers = [token, await aToken(buyer), await aToken(seller)]
    const pagesOf = async (caller: string) => {
      const texts: string[] = []
      for (let cursor = ''; cursor !== 'null'; ) {
        const query = `${filter.replace(':buyer', `${buyer.id}`)}limit=2${cursor && `&cursor=${cursor}`}`
        const text = await textOf(caller, `?${query}`)
        texts.push(text)
        const { nextCursor, orders: page } = JSON.parse(text)
        // A master token lists the orders of other tests, too.
        const isOwn = page.some(({ buyerId }: { buyerId: number }) => buyerId === buyer.id)
        cursor = isOwn || caller !== token ? String(nextCursor) : 'null'
      }
      return texts
    }
    const before = await Promise.all(callers.map(pagesOf))
    expect(await archive(token)).toBe(3)
    expect(await Promise.all(callers.map(pagesOf))).toEqual(before)
    const own = before[1]?.flatMap((text) => idsOf(JSON.parse(text).orders))
    const expected = places.map((i) => orders[i]?.id).toReversed()
    expect(own).toEqual(expected)
  })

  it('shows them on the pages of buyer and seller as before', async () => {
    const [buyer, seller] = [await aSignedInVisitor(), await aSignedInVisitor()]
    const { token, nft, listing, input } = await aShop()
    await env.DB.batch([
      env.DB.prepare('UPDATE nfts SET creatorId = ?1 WHERE id = ?2').bind(seller.user.id, nft.id),
      env.DB.prepare('UPDATE listings SET sellerId = ?1 WHERE id = ?2').bind(
        seller.user.id,
        listing.id,
      ),
    ])
    const order = { ...input, buyerUserId: buyer.user.id, buyerBillingData: billingData }
    const orders = await placed(token, [order, { ...order, quantity: 2 }, order])
    await end(orders.slice(0, 1))
    await end(orders.slice(1, 2), cancelled)
    const read = async () => [
      await (await buyer.visitor.get('/orders')).text(),
      await (await seller.visitor.get('/orders?side=sold')).text(),
    ]
    const before = await read()
    expect(await archive(token)).toBe(2)
    expect(await read()).toEqual(before)
    expect(before[0]?.match(/<li class="order"/g)).toHaveLength(3)
  })

  it('answers 500 and logs the object if it is missing, or has other orders', async () => {
    const { token, old } = await aShopWith(2)
    await archive(token)
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const [row] = await db
      .select()
      .from(archivedOrders)
      .where(eq(archivedOrders.id, old[0]?.id ?? 0))
    const { file = '', length = 0 } = row ?? {}
    const bytes = await (await env.AVATARS.get(file))?.arrayBuffer()
    const read = () => call('GET', `/api/externalOrders/${old[0]?.id}`, { token })
    for (const [content, message] of [
      [null, `Error: the archive ${file} is missing`],
      [bytes?.slice(length), `Error: the archive ${file} does not have order ${old[0]?.id} at 0`],
    ] as const) {
      errors.mockClear()
      await (content ? env.AVATARS.put(file, content) : env.AVATARS.delete(file))
      const response = await read()
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ code: 'internal_error' })
      expect(String(errors.mock.calls[0])).toContain(message)
    }
    await env.AVATARS.put(file, bytes ?? '')
    expect((await read()).status).toBe(200)
    errors.mockRestore()
  })
})

describe('archived orders', () => {
  it('keep their order numbers, and their deliveries cannot be changed', async () => {
    const { token, input } = await aShop()
    const [order] = await placed(token, [{ ...input, providerId: 'taken' }])
    await end(order ? [order] : [])
    await placed(token, [input])
    await archive(token)
    expect(await placeError(token, [{ ...input, providerId: 'taken' }])).toMatchObject({
      status: 409,
      code: 'provider_id_used',
      error: expect.stringContaining(`order ${order?.id}`),
    })
    for (const action of ['retry', 'cancel']) {
      const id = order?.orderItems[0]?.id
      const response = await call('POST', `/api/admin/transfers/${id}/${action}`, { token })
      expect(await response.json()).toMatchObject({
        code: 'conflict',
        error: 'the order is archived',
      })
    }
  })

  it('have no personal data in the bucket', async () => {
    const { token, buyer, old } = await aShopWith(2)
    await archive(token)
    const [row] = await db
      .select()
      .from(archivedOrders)
      .where(eq(archivedOrders.id, old[0]?.id ?? 0))
    const text = await (await env.AVATARS.get(row?.file ?? ''))?.text()
    expect(text?.split('\n')).toHaveLength(3)
    expect(text).not.toContain(buyer.ethereumPublicAddr)
    expect(row?.ethRecipient).toBe(buyer.ethereumPublicAddr)
  })

  it('stay in the bucket when avatars are removed that nobody uses, and are not served', async () => {
    const { token, old } = await aShopWith(1)
    await archive(token)
    const [object] = await objectsOf()
    const inTwoDays = new Date(Date.now() + 2 * 24 * 60 * 60_000)
    await removeOrphans(env.AVATARS, db, inTwoDays)
    expect((await objectsOf()).map(({ key }) => key)).toContain(object?.key)
    expect((await call('GET', `/avatars/${object?.key}`)).status).toBe(404)
    expect((await call('GET', `/api/externalOrders/${idsOf(old)}`, { token })).status).toBe(200)
  })
})

describe('archiving', () => {
  it('leaves orders that are not finished, or changed less than 30 days ago', async () => {
    const { token, buyer, input } = await aShop({ nft: { amount: 100 } })
    const open = await aTransaction({ isOpen: true, nonce: 99 })
    const now = new Date().toISOString()
    const states: Parameters<typeof end>[1][] = [
      { state: 'awaiting_wallet', awaits: buyer.id },
      { state: 'queued', dueAt: '2999-01-01T00:00:00.000Z' },
      { state: 'in_flight' },
      { state: 'failed', reason: 'the transfer would revert' },
      { state: 'failed', wish: 'cancel', reason: 'the key was used for another delivery' },
      { ...transferred, transactionId: open.id },
      { ...transferred, updatedAt: now },
      { ...transferred, createdAt: `${BEFORE}T00:00:00.000Z` },
    ]
    const orders = await placed(
      token,
      states.map(() => input),
    )
    for (const [i, state] of states.entries()) await end(orders.slice(i, i + 1), state)
    const [finished] = await placed(token, [input])
    await end(finished ? [finished] : [])
    await placed(token, [input])
    expect(await archive(token)).toBe(1)
    expect(await isArchived(finished)).toBe(true)
    await db
      .update(deliveries)
      .set({ ...transferred, awaits: null, updatedAt: now })
      .where(inArray(deliveries.id, itemIdsOf(orders)))
  })

  it('leaves the newest order, so that its ids are not used again', async () => {
    const { token, input } = await aShop()
    const [newest] = await placed(token, [input])
    await end(newest ? [newest] : [])
    expect(await archive(token)).toBe(0)
    const [next] = await placed(token, [input])
    expect(next?.orderItems[0]?.id).toBe((newest?.orderItems[0]?.id ?? 0) + 1)
    expect(await archive(token)).toBe(1)
  })

  it('goes on where the call before has stopped', async () => {
    const { token, old } = await aShopWith(502)
    const first = await (await archiveOnce(token)).json<{ archived: number; nextCursor: string }>()
    expect(first.archived).toBeLessThanOrEqual(500)
    expect(first.nextCursor).toMatch(/^\d+$/)
    expect(first.archived + (await archive(token))).toBe(502)
    expect(await isArchived(old.at(-1))).toBe(true)
    expect(await archive(token)).toBe(0)
  })

  it('is recorded in the audit log, if it has moved something', async () => {
    const { token, old } = await aShopWith(1)
    await archive(token)
    await archive(token)
    const entries = await db.select().from(auditLog).where(eq(auditLog.action, 'order.archive'))
    const files = await db
      .select({ file: archivedOrders.file })
      .from(archivedOrders)
      .where(inArray(archivedOrders.id, idsOf(old)))
    expect(entries.filter(({ details }) => details?.file === files[0]?.file)).toHaveLength(1)
  })

  it('writes the same object again after it broke off between bucket and database', async () => {
    const { token, old } = await aShopWith(2)
    const objects = (await objectsOf()).length
    vi.spyOn(console, 'error').mockImplementation(() => {})
    let batches = 0
    const DB = {
      ...env.DB,
      withSession: (bookmark: string) => {
        const session = env.DB.withSession(bookmark)
        return {
          prepare: (sql: string) => session.prepare(sql),
          getBookmark: () => session.getBookmark(),
          batch: (statements: D1PreparedStatement[]) =>
            ++batches === 2 ? Promise.reject(new Error('cut')) : session.batch(statements),
        }
      },
    } as unknown as D1Database
    expect((await archiveOnce(token, { DB })).status).toBe(500)
    expect(await isArchived(old[0])).toBe(false)
    expect(await objectsOf()).toHaveLength(objects + 1)
    expect(await archive(token)).toBe(2)
    expect(await objectsOf()).toHaveLength(objects + 1)
  })

  it('changes nothing if an item has changed since it was read', async () => {
    const { token, old } = await aShopWith(2)
    const put = vi.spyOn(env.AVATARS, 'put').mockImplementationOnce(async () => {
      await db
        .update(deliveries)
        .set({ version: sql`version + 1` })
        .where(inArray(deliveries.id, itemIdsOf(old.slice(0, 1))))
      return null as never
    })
    expect(await (await archiveOnce(token)).json()).toMatchObject({ archived: 0 })
    expect(await isArchived(old[1])).toBe(false)
    put.mockRestore()
    expect(await archive(token)).toBe(2)
  })

  it('can be done again after the database was set back to before it', async () => {
    const { token, old } = await aShopWith(3)
    const [items, ids] = [itemIdsOf(old), idsOf(old)]
    const path = `/${ids}`
    const itemRows = await db.select().from(orderItems).where(inArray(orderItems.id, items))
    const deliveryRows = await db.select().from(deliveries).where(inArray(deliveries.id, items))
    const before = await textOf(token, path)
    await archive(token)
    const rowsOf = () => db.select().from(archivedOrders).where(inArray(archivedOrders.id, ids))
    const archived = await rowsOf()
    await db.delete(archivedOrders).where(inArray(archivedOrders.id, ids))
    await db.insert(orderItems).values(itemRows)
    await db.insert(deliveries).values(deliveryRows)
    expect(await textOf(token, path)).toBe(before)
    await archive(token)
    expect(await rowsOf()).toEqual(archived)
    expect(await textOf(token, path)).toBe(before)
  })

  it.each([
    [{ before: '2999-01-01' }, 'before: must be at least 30 days ago'],
    [{ before: '2025-02-30' }, 'before: must be a date, as in 2026-01-31'],
    [{}, 'before: is required'],
    [{ before: BEFORE, cursor: 'x' }, 'cursor: must be a positive integer'],
  ])('refuses %j', async (json, error) => {
    const { token } = await aShop()
    const response = await call('POST', '/api/admin/archive', { token, json })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error })
  })
})

describe('transactions', () => {
  const CHAIN = 4711

  /** A chain with more transactions than always stay, at the blocks 1000 and up. */
  async function aBusyChain() {
    await db.insert(networks).values({ chainId: CHAIN, leaseUntil: '' }).onConflictDoNothing()
    await db.run(sql`WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 1000)
      INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced, gas,
        maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, block, isOpen,
        createdAt, updatedAt)
      SELECT ${CHAIN}, '', '', k, '[]', k, '[]', '', '', '', 0, 0, '', 1000 + k, 0, '2025', '2025'
      FROM n`)
  }

  const stays = async ({ id }: { id: number }) =>
    (await db.select().from(transactions).where(eq(transactions.id, id))).length === 1

  it('are deleted with the last of their items', async () => {
    const { token, old } = await aShopWith(3)
    const items = itemIdsOf(old)
    const carrier = await aTransaction({ chainId: CHAIN, block: 7, items })
    await aBusyChain()
    await end(old.slice(0, 2), { ...transferred, transactionId: carrier.id })
    const late = { ...transferred, transactionId: carrier.id, updatedAt: new Date().toISOString() }
    await end(old.slice(2), late)
    expect(await archive(token)).toBe(2)
    expect(await stays(carrier)).toBe(true)
    await end(old.slice(2), { ...transferred, transactionId: carrier.id })
    expect(await archive(token)).toBe(1)
    expect(await stays(carrier)).toBe(false)
  })

  it('stay if they are among the newest of their chain, recent, or not mined', async () => {
    await aBusyChain()
    const { token, old } = await aShopWith(3)
    const kept = [
      await aTransaction({ chainId: CHAIN, block: 5000 }),
      await aTransaction({ chainId: CHAIN, block: 7, updatedAt: new Date().toISOString() }),
      await aTransaction({ chainId: CHAIN, block: null, blockHash: null }),
    ]
    for (const [i, { id }] of kept.entries())
      await end(old.slice(i, i + 1), { ...transferred, transactionId: id })
    expect(await archive(token)).toBe(3)
    expect(await Promise.all(kept.map(stays))).toEqual([true, true, true])
  })
})
