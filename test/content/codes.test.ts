/** Codes of pieces: their stock, who gets them, and who reads them. */
import { and, eq, ne, sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { stopCodes } from '../../scripts/operate/backup/codes.ts'
import { batch } from '../../src/db/batch.ts'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { codes } from '../../src/db/schema/content.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { heldPieces, orderItems, reservations } from '../../src/db/schema/orders.ts'
import { cancel, deliver, queue } from '../../src/delivery/rules/delivery-changes.ts'
import { NO_CHANGES, writeChanges } from '../../src/delivery/store/changes.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { codesOf, place, placeError, recordWakeUps, sold, times } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aChain } from '../support/chain/chain.ts'
import { paidItems } from '../support/delivery/items.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aShopToken,
  aToken,
  aUser,
  db,
  sellUntried,
} from '../support/makers.ts'

recordWakeUps()

const content = { release: 'delivered', phrase: null, codes: true, files: [] }
const record = (fields = {}) => anNftRecord('ticket', 1, { amount: undefined, content, ...fields })

let token: string
beforeEach(async () => {
  await db.delete(auditLog)
  token = await aMasterToken()
})

type Counts = Record<'codes' | 'given' | 'forSale' | 'owed', number>
type Problem = {
  status: number
  code: string
  issues: { path: string; code: string; message: string }[]
}

const importing = (...records: object[]) =>
  answerOf<{ result: { nft: object } } & Problem>(
    call('POST', '/api/admin/catalogue', {
      token,
      body: linesOf([aUserRecord('cleo'), ...records]),
    }),
  )

const codesPath = (nft: string | number) => `/api/admin/nfts/${nft}/codes`
const upload = (nft: string | number, lines: readonly string[]) =>
  answerOf<Counts & Problem & { added: number }>(
    call('POST', codesPath(nft), { token, body: lines.join('\r\n') }),
  )
const counted = (nft: string | number) =>
  answerOf<Counts & Problem>(call('GET', codesPath(nft), { token }))
const removing = (nft: string | number) =>
  answerOf<Counts & Problem & { removed: number }>(call('DELETE', codesPath(nft), { token }))

const logged = (action: 'codes.read' | 'codes.store', subject: number) =>
  db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.action, action), eq(auditLog.subject, String(subject))))

const stockOf = async ({ id }: { id: number }) => {
  const [row] = await db
    .select({ amount: nfts.amount, available: nfts.availableAmount })
    .from(nfts)
    .where(eq(nfts.id, id))
  return row
}

/** An NFT with these codes, on sale, and a buyer. */
async function aSale(lines: readonly string[]) {
  const [creator, seller, buyer] = [await aUser(), await aUser(), await aUser()]
  await anAddress(buyer)
  const values = { hasCodes: true, contentRelease: 'delivered', amount: 0 } as const
  const nft = await anNft(creator, values)
  const listing = await aListing(nft, { sellerId: seller.id })
  if (lines.length > 0) await upload(nft.id, lines)
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  return { creator, seller, buyer, nft, listing, input }
}

/** Ends deliveries as a step of the engine does. */
async function end(ids: readonly number[], change: typeof deliver | typeof cancel | typeof queue) {
  const rows = await db
    .select()
    .from(deliveries)
    .where(sql`${deliveries.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
  const now = new Date()
  const changes = rows.map((row) => {
    if (change === deliver) return deliver(row, 1n)
    return change === cancel ? cancel(row) : queue(row, now)
  })
  const leaseUntil = new Date(now.getTime() + 60_000).toISOString()
  await batch(db, writeChanges(db, 1, { ...NO_CHANGES, deliveries: changes }, { now, leaseUntil }))
}

/** A fork drops the block of a delivery. */
const drop = (id: number) =>
  db
    .update(deliveries)
    .set({ state: 'queued', queuedAt: '2026-01-01T00:00:00.000Z' })
    .where(eq(deliveries.id, id))

const contentFor = (reader: string, orderId: number) =>
  answerOf<{ codes: string[] | null; missingCodes: number; code?: string }>(
    call('GET', `/api/externalOrders/${orderId}/content`, { token: reader }),
  )

const givenTo = async (itemId: number) =>
  (await db.select().from(codes).where(eq(codes.orderItemId, itemId))).length

describe('the record', () => {
  beforeEach(async () => {
    for (const table of [reservations, heldPieces, codes, listings, nfts])
      await db.delete(table).catch(() => {})
  })

  it('has no amount: so many pieces are sold as codes were uploaded', async () => {
    expect(await importing(record(), aListingRecord('sale', 'ticket'))).toMatchObject({
      result: { nft: { created: 1 } },
    })
    await sellUntried()
    const buyer = await aUser()
    await anAddress(buyer)
    const order = { nft: 'ticket', listing: 'sale', quantity: 3, buyer: { userId: buyer.id } }
    const placing = async () => codesOf(await placeError(token, [order]))
    expect(await placing()).toEqual(['orders[0].quantity sold_out'])
    expect(await upload('externalId:ticket', [' A-1 ', '', 'A-2', 'A-1', 'A-3'])).toEqual({
      ...{ status: 200, added: 3, codes: 3, given: 0, forSale: 3, owed: 0 },
    })
    expect(await upload('externalId:ticket', ['A-3', 'A-4'])).toMatchObject({ added: 1, codes: 4 })
    // The same record again, also as an export writes it, changes nothing.
    for (const same of [record(), record({ amount: null })])
      expect(await importing(same)).toMatchObject({ result: { nft: { unchanged: 1 } } })
    expect(await counted('externalId:ticket')).toMatchObject({ codes: 4, forSale: 4 })
  })

  it.each([
    ['amount', { amount: 5 }],
    ['amountType', { amountType: 'unlimited' }],
    ['amountType', { amountType: 'unique' }],
    ['content.release', { content: { ...content, release: 'holder' } }],
  ])('is refused by its %s', async (path, fields) => {
    const { issues } = await importing(record(fields))
    expect(issues.map((issue) => issue.path)).toContain(`lines[2].${path}`)
  })

  it('gets codes or loses them only while nothing is sold or reserved', async () => {
    const plain = record({ content: null, amount: 7 })
    await importing(plain, aListingRecord('sale', 'ticket'))
    await sellUntried()
    expect(await importing(record())).toMatchObject({ result: { nft: { updated: 1 } } })
    expect(await counted('externalId:ticket')).toMatchObject({ codes: 0, forSale: 0 })
    expect(await importing(plain)).toMatchObject({ result: { nft: { updated: 1 } } })
    const json = [{ listing: 'sale', quantity: 1, ttl: 60 }]
    expect((await call('POST', '/api/reservations', { token, json })).status).toBe(200)
    expect(codesOf(await importing(record()))).toEqual(['lines[2].content.codes cannot_change'])
  })

  it('keeps the codes that are reserved, and finds those again that it had before', async () => {
    const plain = (amount: number) => record({ content: null, amount })
    await importing(record(), aListingRecord('sale', 'ticket'))
    await upload('externalId:ticket', ['A', 'B'])
    await importing(plain(30))
    await importing(record())
    await sellUntried()
    expect(await counted('externalId:ticket')).toMatchObject({ codes: 2, forSale: 2 })
    const json = [{ listing: 'sale', quantity: 2, ttl: 60 }]
    expect(await answerOf(call('POST', '/api/reservations', { token, json }))).toMatchObject({
      status: 200,
    })
    expect(await removing('externalId:ticket')).toMatchObject({ removed: 0, forSale: 2 })
    for (const amount of [1, 2, 30])
      expect(codesOf(await importing(plain(amount)))).toContain(
        'lines[2].content.codes cannot_change',
      )
  })
})

describe('an upload', () => {
  it('is refused with the lines that are no codes, and for an NFT that has none', async () => {
    const { nft } = await aSale([])
    expect(
      codesOf(await upload(nft.id, ['fine', `in${'\u200b'}visible`, 'x'.repeat(201)])),
    ).toEqual(['lines[2] invalid_input', 'lines[3] invalid_input'])
    const { issues } = await upload(
      nft.id,
      times(5_000, (i) => `wrong\t${i}`),
    )
    expect(issues).toHaveLength(100)
    expect(await upload(nft.id, ['', ' '])).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(await upload(nft.id, times(10_001, String))).toMatchObject({
      ...{ status: 413, code: 'payload_too_large' },
    })
    expect(await upload(999_999, ['A'])).toMatchObject({ status: 404, code: 'not_found' })
    const other = await anNft(await aUser())
    for (const answer of [upload(other.id, ['A']), counted(other.id), removing(other.id)])
      expect(await answer).toMatchObject({ status: 409, code: 'conflict' })
    expect(await counted(nft.id)).toMatchObject({ codes: 0 })
  })

  it('of more than 100,000 codes of an NFT is refused', async () => {
    const { nft } = await aSale([])
    await db.run(sql`INSERT INTO codes (nftId, hash, sealed)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
      SELECT ${nft.id}, i, '' FROM n`)
    expect(await upload(nft.id, ['A', 'B'])).toMatchObject({ status: 409, code: 'content_full' })
    expect(await upload(nft.id, ['A'])).toMatchObject({ added: 1, forSale: 100_000 })
    expect(await upload(nft.id, ['A'])).toMatchObject({ added: 0, forSale: 100_000 })
  })

  it('is encrypted, and recorded without the codes', async () => {
    const { nft } = await aSale(['SECRET-4711'])
    const [row] = await db.select().from(codes).where(eq(codes.nftId, nft.id))
    expect(row?.sealed).toMatch(/^[0-9a-f]{8}\.[\w-]{52}$/)
    const log = await logged('codes.store', nft.id)
    expect(log).toMatchObject([{ action: 'codes.store', details: { lines: 1 } }])
    expect(JSON.stringify(await db.select().from(nfts).where(eq(nfts.id, nft.id)))).not.toContain(
      '4711',
    )
  })
})

describe('the codes of an order', () => {
  it('are read by the buyer and by master tokens, once it is delivered', async () => {
    const { creator, seller, buyer, input } = await aSale(['A', 'B', 'C'])
    const { order, item } = await sold(token, { ...input, quantity: 2 })
    const tokens = { buyer: await aToken(buyer), creator: await aToken(creator) }
    expect(await contentFor(tokens.buyer, order.id)).toMatchObject({ code: 'not_delivered' })
    await end([item.id], deliver)
    expect(await contentFor(tokens.buyer, order.id)).toMatchObject({
      ...{ codes: ['A', 'B'], missingCodes: 0 },
    })
    expect(await contentFor(token, order.id)).toMatchObject({ codes: ['A', 'B'] })
    const read = await logged('codes.read', order.id)
    expect(read).toMatchObject([{ action: 'codes.read' }])
    expect(await contentFor(await aToken(seller), order.id)).toMatchObject({ code: 'forbidden' })
    expect(await contentFor(await aShopToken(), order.id)).toMatchObject({ status: 403 })
    for (const other of [tokens.creator, await aToken(await aUser())])
      expect(await contentFor(other, order.id)).toMatchObject({ code: 'order_not_found' })
    // Somebody who makes what he sells sees the order, and not the codes.
    await db.update(orderItems).set({ sellerId: creator.id }).where(eq(orderItems.id, item.id))
    expect(await contentFor(tokens.creator, order.id)).toMatchObject({ status: 200, codes: null })
    const lists = await call('GET', `/api/externalOrders/${order.id}`, { token: tokens.buyer })
    expect(await lists.text()).not.toMatch(/"(A|B)"/)
  })

  it('stay those of its pieces over forks, and its pieces never return', async () => {
    const { nft, input } = await aSale(['A', 'B'])
    const { item } = await sold(token, input)
    await end([item.id], deliver)
    expect(await givenTo(item.id)).toBe(1)
    await drop(item.id)
    await end([item.id], cancel)
    expect(await stockOf(nft)).toEqual({ amount: 2, available: 1 })
    await drop(item.id)
    await end([item.id], deliver)
    expect(await givenTo(item.id)).toBe(1)
    expect(await stockOf(nft)).toEqual({ amount: 2, available: 1 })
  })

  it('are none if it is cancelled before, and its pieces return', async () => {
    const { nft, input } = await aSale(['A', 'B'])
    const { item } = await sold(token, input)
    await end([item.id], cancel)
    expect(await stockOf(nft)).toEqual({ amount: 2, available: 2 })
    expect(await counted(nft.id)).toMatchObject({ given: 0, forSale: 2, owed: 0 })
  })

  it('come with the next upload if a fork has delivered a cancelled one whose piece was sold', async () => {
    const { nft, input } = await aSale(['A'])
    const first = await sold(token, input)
    await end([first.item.id], cancel)
    const second = await sold(token, input)
    await end([second.item.id], deliver)
    await drop(first.item.id)
    await db
      .update(deliveries)
      .set({ reasonCode: 'cancelled' })
      .where(eq(deliveries.id, first.item.id))
    await end([first.item.id], deliver)
    expect(await counted(nft.id)).toMatchObject({ codes: 1, given: 1, forSale: 0, owed: 1 })
    expect(await upload(nft.id, ['B', 'C'])).toMatchObject({ given: 2, forSale: 1, owed: 0 })
    expect(await stockOf(nft)).toEqual({ amount: 3, available: 1 })
  })
})

it('300 pieces asked for at once from 250 codes give 250 different codes and 50 refused orders', async () => {
  const { nft, input } = await aSale(times(250, (i) => `code ${i}`))
  const answers = await Promise.all(
    times(300, async () => {
      const response = await place(token, [input])
      return { status: response.status, body: await response.json<Problem>() }
    }),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ body }) => body.code)).toEqual(times(50, () => 'sold_out'))
  const items = await db.select().from(orderItems).where(eq(orderItems.nftId, nft.id))
  await end(
    items.map(({ id }) => id),
    deliver,
  )
  const given = await db.select().from(codes).where(eq(codes.nftId, nft.id))
  expect(new Set(given.map(({ orderItemId }) => orderItemId)).size).toBe(250)
  expect(await counted(nft.id)).toMatchObject({ codes: 250, given: 250, forSale: 0, owed: 0 })
})

it('an order of several pieces gets what is there, and the rest later, before who came after it', async () => {
  const { nft, input, buyer } = await aSale(times(5, (i) => `code ${i}`))
  const large = await sold(token, { ...input, quantity: 3 })
  const small = await sold(token, { ...input, quantity: 2 })
  await db.run(
    sql`DELETE FROM codes WHERE nftId = ${nft.id} AND id IN (SELECT id FROM codes ORDER BY id DESC LIMIT 3)`,
  )
  await end([large.item.id], deliver)
  await end([small.item.id], deliver)
  expect([await givenTo(large.item.id), await givenTo(small.item.id)]).toEqual([2, 0])
  const reader = await aToken(buyer)
  expect(await contentFor(reader, large.order.id)).toMatchObject({ missingCodes: 1 })
  expect(await upload(nft.id, ['new 1', 'new 2'])).toMatchObject({ given: 4, owed: 1, forSale: 0 })
  expect([await givenTo(large.item.id), await givenTo(small.item.id)]).toEqual([3, 1])
  expect(await upload(nft.id, ['new 3', 'new 4'])).toMatchObject({ given: 5, owed: 0, forSale: 1 })
})

it('removing takes the codes of pieces that are neither sold nor reserved', async () => {
  const { nft, listing, input } = await aSale(times(9, (i) => `code ${i}`))
  const { item } = await sold(token, { ...input, quantity: 2 })
  const json = [{ listingId: listing.id, quantity: 3, ttl: 600 }]
  expect((await call('POST', '/api/reservations', { token, json })).status).toBe(200)
  expect(await removing(nft.id)).toEqual({
    ...{ status: 200, removed: 4, codes: 5, given: 0, forSale: 3, owed: 0 },
  })
  await end([item.id], deliver)
  expect(await givenTo(item.id)).toBe(2)
})

it('after a restore nothing is sold before the pool is replaced, and what was sold gets new codes', async () => {
  const { nft, input } = await aSale(['A', 'B', 'C', 'D'])
  const [before, waiting] = [await sold(token, input), await sold(token, input)]
  const cancelled = await sold(token, input)
  await end([before.item.id], deliver)
  for (const statement of stopCodes) await db.run(sql.raw(statement))
  expect(await counted(nft.id)).toMatchObject({ codes: 1, given: 1, forSale: 0 })
  expect((await answerOf<Problem>(place(token, [input]))).code).toBe('sold_out')
  await end([waiting.item.id], deliver)
  await end([cancelled.item.id], cancel)
  expect(await counted(nft.id)).toMatchObject({ owed: 1, forSale: 0 })
  expect(await upload(nft.id, ['D', 'E'])).toMatchObject({ given: 2, forSale: 1, owed: 0 })
})

it('a cancellation after a fork puts nothing on sale that has no code', async () => {
  const { nft, input } = await aSale(['A'])
  const first = await sold(token, input)
  await end([first.item.id], cancel)
  await sold(token, input)
  await drop(first.item.id)
  await db
    .update(deliveries)
    .set({ reasonCode: 'cancelled' })
    .where(eq(deliveries.id, first.item.id))
  await end([first.item.id], deliver)
  expect(await stockOf(nft)).toEqual({ amount: 2, available: 0 })
  const [other] = await db
    .select({ id: orderItems.id })
    .from(orderItems)
    .where(and(eq(orderItems.nftId, nft.id), ne(orderItems.id, first.item.id)))
  await end([other?.id ?? 0], cancel)
  expect(await stockOf(nft)).toEqual({ amount: 1, available: 0 })
})

describe('on a chain', () => {
  it('a batch of 50 items is delivered although one has no code', async () => {
    const chain = await aChain({ erc1155: 1000 }, afterAll)
    const market = aMarketplace(chain, { network: { itemsPerTransaction: 50 } })
    const items = await paidItems(
      chain,
      times(50, () => ({ standard: 'erc1155' as const })),
    )
    const { nft } = await aSale(times(49, (i) => `code ${i}`))
    const ids = JSON.stringify(items.map(({ id }) => id))
    await db
      .update(nfts)
      .set({ contractAddr: chain.contracts.erc1155, contractNetwork: chain.name, amount: 50 })
      .where(eq(nfts.id, nft.id))
    await db.run(
      sql`UPDATE orderItems SET nftId = ${nft.id} WHERE id IN (SELECT value FROM json_each(${ids}))`,
    )
    await db.update(nfts).set({ availableAmount: 0 }).where(eq(nfts.id, nft.id))
    market.queue.put(chain)
    await market.settle()
    const states = await db
      .select({ state: deliveries.state, transaction: deliveries.transactionId })
      .from(deliveries)
      .where(sql`id IN (SELECT value FROM json_each(${ids}))`)
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['transferred']))
    expect(new Set(states.map(({ transaction }) => transaction)).size).toBe(1)
    expect(await counted(nft.id)).toMatchObject({ codes: 49, given: 49, forSale: 0, owed: 1 })
    expect(await upload(nft.id, ['the last'])).toMatchObject({ given: 50, forSale: 0, owed: 0 })
  })
})
