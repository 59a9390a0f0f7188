/** What the cron run concludes from a check of a network: transactions and pieces that are not ours. */
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { networks, signers, transactions } from '../../src/db/schema/delivery.ts'
import { networkChecks } from '../../src/db/schema/operations.ts'
import { type NetworkCheck, storeChecks } from '../../src/operations/network-checks.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { aTransaction, db } from '../support/makers.ts'

const SIGNER = `0x${'5'.repeat(40)}`
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const
const chainId = 5
const start = Date.parse('2026-01-01T12:00:00.000Z')
const at = (minutes: number) => new Date(start + minutes * 60_000)
const iso = (minutes: number) => at(minutes).toISOString()
const DAY = 24 * 60

beforeEach(async () => {
  for (const table of [networkChecks, networks, signers, transactions]) await db.delete(table)
})

type Limit = { capacity: number; perDay: number; available: number }

/** A check that finds nothing special. */
const check = (nonce: number, limit: Limit | null = null, head = 1000): NetworkCheck => ({
  chainId,
  seen: {
    contract: WALLET,
    hasSecondNode: false,
    standby: [],
    headNumber: head,
    headAt: iso(0),
    gasPrice: '1',
    isPaused: false,
    isRetired: false,
    signers: [{ address: SIGNER, balance: '1', deliveries: 1, nonce, limit }],
  },
})

const store = (minutes: number, seen: NetworkCheck) => storeChecks(db, [seen], at(minutes))
const own = (values: Partial<typeof transactions.$inferInsert>) =>
  aTransaction({ chainId, signer: SIGNER, ...values })

describe('a nonce that another program has used', () => {
  const foreign = async () =>
    (await db.select().from(transactions))
      .filter(({ hash }) => hash === '')
      .map(({ nonce }) => nonce)
  const comparedAt = async () => (await db.select().from(networks))[0]?.comparedAt

  it('is stored once while nothing is to be delivered, and starts a comparison once', async () => {
    await own({ nonce: 6, block: 990 })
    await store(0, check(7))
    await db.update(networks).set({ comparedAt: iso(0), comparedId: 9 })
    await store(1, check(7))
    expect([await foreign(), await comparedAt()]).toEqual([[], iso(0)])

    await store(2, check(9, null, 1010))
    expect([await foreign(), await comparedAt()]).toEqual([[8], null])
    expect((await db.select().from(networks))[0]).toMatchObject({ comparedId: 0 })
    expect((await db.select().from(transactions)).at(-1)).toMatchObject({
      ...{ chainId, signer: SIGNER, contract: WALLET, items: [], isOpen: false, block: null },
      ...{ nonceUsedAt: 1010, updatedAt: iso(2) },
    })
    await db.update(networks).set({ comparedAt: iso(2) })
    await store(3, check(9, null, 1020))
    expect([await foreign(), await comparedAt()]).toEqual([[8], iso(2)])
  })

  it('is found between those that this instance has used since', async () => {
    await store(0, check(5))
    await own({ nonce: 5, block: 1001 })
    await own({ nonce: 7, isOpen: true, block: null })
    await store(1, check(8, null, 1010))
    expect(await foreign()).toEqual([6])
  })

  it('is found after the database was set back, before the first check', async () => {
    await own({ nonce: 2, block: 800 })
    await store(0, check(5))
    expect(await foreign()).toEqual([4])
  })

  it.each([
    ['in a block', { block: 1005, isOpen: false }],
    ['open', { block: null, isOpen: true }],
    ['lost to another program already', { block: null, isOpen: false }],
  ])('is not one of a transaction that is %s', async (_, values) => {
    await store(0, check(5))
    for (const nonce of [5, 6, 7]) await own({ nonce, ...values })
    await store(1, check(8, null, 1010))
    expect(await foreign()).toEqual([])
  })

  it('of a transaction that has expired is one as soon as a run has found no receipt', async () => {
    await store(0, check(5))
    const { id } = await own({ nonce: 5, isOpen: true, block: null, items: [] })
    expect(await store(1, check(6, null, 1010))).toEqual([chainId])
    expect(await foreign()).toEqual([])
    expect((await db.select().from(networks))[0]?.wakeAt).toBe(iso(1))
    await db.update(transactions).set({ nonceUsedAt: 1010 }).where(eq(transactions.id, id))
    await store(2, check(6, null, 1020))
    expect(await foreign()).toEqual([5])
  })

  it('is not one from before the signer was configured, nor one of a chain that began again', async () => {
    await store(0, check(40))
    expect(await foreign()).toEqual([])
    await store(1, check(2))
    await own({ nonce: 2, block: 1001 })
    await store(2, check(3))
    expect(await foreign()).toEqual([])
  })

  it('is not looked for if the node does not tell the count', async () => {
    await store(0, check(5))
    const { seen } = check(5)
    if (typeof seen === 'string') throw new Error('no check')
    const untold = { ...seen, signers: seen.signers.map((signer) => ({ ...signer, nonce: null })) }
    await store(1, { chainId, seen: untold })
    await own({ nonce: 5, block: 1001 })
    await store(2, check(6))
    expect(await foreign()).toEqual([])
  })
})

describe('pieces that another program has used', () => {
  /** 2400 pieces a day: the 100 of an hour are tolerated. */
  const limit = (used: number, capacity = 1000): Limit => ({
    capacity,
    perDay: 2400,
    available: capacity - used,
  })
  const seen = async () => (await db.select().from(networkChecks))[0]?.signers?.[0]
  const foreignAfter = async (minutes: number, seenLimit: Limit) => {
    await store(minutes, check(0, seenLimit))
    return (await seen())?.foreignPieces
  }
  const submitted = (usedPieces: number, minutes: number) =>
    db.insert(signers).values({ chainId, address: SIGNER, usedPieces, usedAt: iso(minutes) })

  it('are none before the first delivery', async () => {
    expect(await foreignAfter(0, limit(0))).toBe(0)
  })

  it('are counted if nothing was ever submitted', async () => {
    expect(await foreignAfter(0, limit(100))).toBe(0)
    expect(await foreignAfter(1, limit(101))).toBe(101)
    expect(await foreignAfter(2, limit(0))).toBe(0)
  })

  it('are what exceeds the submitted pieces, of which some have flown back', async () => {
    await submitted(500, -60)
    // 400 are left of them after an hour.
    expect(await foreignAfter(0, limit(500))).toBe(0)
    expect(await foreignAfter(0, limit(501))).toBe(101)
    expect(await foreignAfter(30, limit(451))).toBe(101)
  })

  it('are not those of open transactions', async () => {
    const contracts = { erc721: WALLET, erc1155: WALLET } as const
    const sale = { standard: 'erc1155', quantity: 300 } as const
    const item = await aPaidItem({ name: 'here', chainId, contracts, seller: WALLET }, sale)
    await own({ items: [item.id], isOpen: true, block: null })
    expect(await foreignAfter(0, limit(400))).toBe(0)
    expect(await foreignAfter(0, limit(401))).toBe(101)
  })

  it('are not counted after the limit has changed, until the bucket had the time to fill', async () => {
    await foreignAfter(0, limit(0))
    const raised = limit(1000, 4800)
    expect(await foreignAfter(1, raised)).toBe(0)
    expect(await foreignAfter(2 * DAY, raised)).toBe(0)
    expect(await foreignAfter(2 * DAY + 1, raised)).toBe(1000)
  })

  it('are none of an account that is no relayer', async () => {
    await store(0, check(0, null))
    expect(await seen()).toMatchObject({ limit: null, foreignPieces: 0 })
  })
})

it('stores the largest number of pieces that an order may have', async () => {
  const stored = async () => (await db.select().from(networks))[0]?.maxPieces
  await store(0, check(0, { capacity: 700, perDay: 1, available: 1 }))
  expect(await stored()).toBe(700)
  await storeChecks(db, [{ chainId, seen: 'the node cannot be reached' }], at(1))
  expect(await stored()).toBe(700)
  await store(2, check(0, null))
  expect(await stored()).toBeNull()
})
