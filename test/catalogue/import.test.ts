import { eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { commit, stage } from '../../src/catalogue/import.ts'
import { parseLines } from '../../src/catalogue/line.ts'
import {
  catalogueImports,
  catalogueLines,
  creators,
  listings,
  NEVER,
  nfts,
  words,
} from '../../src/db/schema/catalogue.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema/users.ts'
import type { Caller } from '../../src/http/context.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import { codesOf } from '../orders/shop.ts'
import { aReservation, release } from '../reservations/holds.ts'
import { answerOf, call } from '../support/api.ts'
import { aListing, aMasterToken, anNft, aUser, db, sellUntried } from '../support/makers.ts'
import { aSignedInVisitor, pageOf } from '../support/visitor.ts'
import { aListingRecord, anNftRecord, aUserRecord, CONTRACT, linesOf } from './records.ts'

const PATH = '/api/admin/catalogue'

let token: string

beforeEach(async () => {
  for (const table of [catalogueLines, catalogueImports, listings, nfts, words, creators, tokens])
    await db.delete(table)
  for (const table of [auditLog, users]) await db.delete(table)
  token = await aMasterToken()
})

const post = (body: string, query = '') =>
  answerOf<Body>(call('POST', PATH + query, { token, body }))

/** The body of an answer or of an error. */
type Body = {
  lines?: number
  result?: unknown
  error?: string
  code?: string
  issues: { path: string; code: string; message: string }[]
}

const importing = (records: readonly unknown[], query = '') => post(linesOf(records), query)

const imported = async (records: readonly unknown[], query = '') =>
  (await importing(records, query)).result

/** The problems of an import that is refused. */
async function problemsOf(records: readonly unknown[]) {
  const { status, ...failure } = await importing(records)
  expect(status).toBe(400)
  return codesOf(failure)
}

const numbers = (created: number, updated: number, unchanged: number) => ({
  created,
  updated,
  unchanged,
})
const NOW = '2026-01-01T00:00:00.000Z'
const NONE = numbers(0, 0, 0)

const catalogue = [
  aUserRecord('cleo', { name: 'Cleo', username: 'cleo' }),
  anNftRecord('one', 1),
  aListingRecord('sale', 'one'),
]

const stored = async (id = 'one') =>
  (await db.select().from(nfts).where(eq(nfts.externalId, id)))[0]
const theListing = async (id: string) =>
  (await db.select().from(listings).where(eq(listings.externalId, id)))[0]
const untriedUntil = async (id: string) => (await theListing(id))?.untriedUntil
const theUser = async (id: string) =>
  (await db.select().from(users).where(eq(users.externalId, id)))[0]

describe('an import', () => {
  it('makes words of titles and names searchable, and those of before no more', async () => {
    const { visitor } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
    const found = async (q: string) =>
      (await pageOf(visitor.get(`/operations/search?q=${q}`))).text.includes('Nothing has') ? 0 : 1
    const before = ['Cleopatra', 'cleo_p', 'Sunny', 'day']
    const after = ['Ptolemaia', 'ptole', 'Cloudy', 'day']
    const records = (name: string, username: string, title: string) => [
      aUserRecord('cleo', { name, username }),
      anNftRecord('one', 1, { metadata: { name: title } }),
    ]
    await imported(records('Cleopatra', 'cleo_p', 'Sunny day'))
    expect(await Promise.all([...before, ...after].map(found))).toEqual([1, 1, 1, 1, 0, 0, 0, 1])
    await imported(records('Ptolemaia', 'ptole', 'Cloudy day'), '?dryRun=true')
    expect(await found('cloudy')).toBe(0)
    await imported(records('Ptolemaia', 'ptole', 'Cloudy day'))
    expect(await Promise.all([...before, ...after].map(found))).toEqual([0, 0, 0, 1, 1, 1, 1, 1])
    // Who has signed in has the names that they gave themselves.
    await db.update(users).set({ lastAccessAt: NOW }).where(eq(users.externalId, 'cleo'))
    await imported(records('Berenike', 'bere', 'Cloudy day'))
    expect(await Promise.all([found('Ptolemaia'), found('Berenike')])).toEqual([1, 0])
  })

  it('creates users, NFTs and listings', async () => {
    const result = { user: numbers(1, 0, 0), nft: numbers(1, 0, 0), listing: numbers(1, 0, 0) }
    expect(await importing(catalogue)).toEqual({ status: 200, lines: 3, result })
    const cleo = await theUser('cleo')
    expect(cleo).toMatchObject({
      name: 'Cleo',
      username: 'cleo',
      email: 'cleo@example.com',
      provider: 'email',
      identityHash: hashIdentity('email', 'cleo@example.com'),
      lastAccessAt: null,
      roleId: null,
    })
    const nft = await stored()
    expect(nft).toMatchObject({
      creatorId: cleo?.id,
      contractAddr: CONTRACT,
      contractName: 'Collectible',
      contractNetwork: 'localhost',
      tokenId: '1',
      amount: 10,
      availableAmount: 10,
      status: 'released',
      releaseAt: '2026-01-15T12:00:00.000Z',
      price: 1000,
      priceEths: '0.005',
      priceCurrency: 'EUR',
      title: 'Picture 1',
      payload: { title: 'Picture 1', amountType: 'limited', metadata: { name: 'Picture 1' } },
    })
    expect(await db.select().from(listings)).toMatchObject([
      {
        externalId: 'sale',
        nftId: nft?.id,
        sellerId: cleo?.id,
        type: 'regular',
        priceCents: 1000,
        priceEths: '0.005',
        priceWei: '5000000000000000',
        amount: null,
        active: true,
        activeTill: null,
      },
    ])
  })

  it('updates what has changed, and keeps what is sold', async () => {
    await imported(catalogue)
    await db.update(nfts).set({ availableAmount: 7 })
    expect(
      await imported([
        anNftRecord('one', 1, { amount: 20, priceCents: 2000, metadata: { name: 'New', v: 1 } }),
        aListingRecord('sale', 'one', { active: false }),
      ]),
    ).toEqual({ user: NONE, nft: numbers(0, 1, 0), listing: numbers(0, 1, 0) })
    expect(await stored()).toMatchObject({
      amount: 20,
      availableAmount: 17,
      price: 2000,
      title: 'New',
      payload: { metadata: { name: 'New', v: 1 } },
    })
  })

  it('sells nothing of what is new for two minutes, so that it can be tried first', async () => {
    await imported(catalogue)
    const held = await untriedUntil('sale')
    const created = (await theListing('sale'))?.createdAt ?? ''
    expect(Date.parse(held ?? '') - Date.parse(created)).toBe(120_000)
    // What was tried is not held again.
    await db.update(listings).set({ untriedUntil: null })
    await imported([
      anNftRecord('one', 1, { priceCents: 2000 }),
      aListingRecord('sale', 'one', { amount: 1 }),
    ])
    expect(await untriedUntil('sale')).toBeNull()
    expect(await theListing('sale')).toMatchObject({ amount: 1, checkAt: '' })
  })

  it.each([
    ['released', { status: 'draft' }, {}],
    ['activated', {}, { active: false }],
  ])('holds again what was never tried and is %s later', async (_, nft, listing) => {
    await imported([
      aUserRecord('cleo'),
      anNftRecord('one', 1, nft),
      aListingRecord('sale', 'one', listing),
    ])
    await db.update(listings).set({ untriedUntil: NOW })
    await imported([aUserRecord('cleo'), anNftRecord('one', 1), aListingRecord('sale', 'one')])
    const { untriedUntil: held, updatedAt } = (await theListing('sale')) ?? {}
    expect(held).not.toBe(NOW)
    expect(Date.parse(held ?? '')).toBeGreaterThan(Date.parse(updatedAt ?? ''))
    // A new price does not stop the sale.
    await db.update(listings).set({ untriedUntil: NOW })
    await imported([aListingRecord('sale', 'one', { priceCents: 999 })])
    expect(await untriedUntil('sale')).toBe(NOW)
  })

  it('tries the first of a contract and its last token before the others', async () => {
    const tokens = [3, 21, 100, 9]
    await imported([
      aUserRecord('cleo'),
      ...tokens.flatMap((token) => [
        anNftRecord(`n${token}`, token),
        aListingRecord(`l${token}`, `n${token}`),
      ]),
    ])
    const due = await db.select().from(listings).where(eq(listings.checkAt, ''))
    expect(due.map(({ externalId }) => externalId)).toEqual(['l3', 'l100'])
  })

  it('does not sell more of a contract of which nothing can be delivered', async () => {
    await imported(catalogue)
    await db.update(listings).set({
      ...{ obstacle: 'token_not_transferable', obstacleSince: NOW, foundBy: 'trial' },
      ...{ untriedUntil: null, checkAt: '2999' },
    })
    const other = '0x2222222222222222222222222222222222222222'
    await imported([
      anNftRecord('two', 2),
      aListingRecord('two-sale', 'two'),
      anNftRecord('three', 3, { contract: other }),
      aListingRecord('three-sale', 'three'),
      anNftRecord('own', 4, { heldBySeller: true }),
      aListingRecord('own-sale', 'own'),
    ])
    const shared = {
      obstacle: 'token_not_transferable',
      isShared: true,
      foundBy: 'trial',
      checkAt: '',
    }
    expect(await theListing('two-sale')).toMatchObject(shared)
    expect(await theListing('three-sale')).toMatchObject({ obstacle: null, isShared: false })
    expect(await theListing('own-sale')).toMatchObject({ obstacle: null, isShared: false })
    // One piece that is sold shows that it is not that of the contract.
    await db
      .update(listings)
      .set({ obstacle: null, obstacleSince: null })
      .where(eq(listings.externalId, 'two-sale'))
    await db.update(listings).set({ untriedUntil: null, checkAt: '2999' })
    await imported([anNftRecord('four', 6), aListingRecord('four-sale', 'four')])
    expect(await theListing('four-sale')).toMatchObject({ obstacle: null })
    // One that takes no orders shows nothing. What no trial sees of another one is not tried.
    await imported([aListingRecord('two-sale', 'two', { active: false })])
    await db.update(listings).set({ active: false }).where(eq(listings.externalId, 'four-sale'))
    await db.update(listings).set({ untriedUntil: null })
    await db.update(listings).set({ checkAt: NEVER }).where(eq(listings.externalId, 'sale'))
    await imported([anNftRecord('five', 5), aListingRecord('five-sale', 'five')])
    const lasting = { ...shared, checkAt: NEVER }
    expect(await theListing('five-sale')).toMatchObject(lasting)
    await imported([aListingRecord('five-sale', 'five', { priceCents: 999 })])
    expect(await theListing('five-sale')).toMatchObject({ ...lasting, checkAt: '' })
  })

  it('keeps the time of release that a record does not have', async () => {
    const record = anNftRecord('one', 1, { releaseAt: undefined })
    await imported([aUserRecord('cleo'), record])
    const first = await stored()
    expect(await imported([record])).toMatchObject({ nft: numbers(0, 0, 1) })
    await imported([{ ...record, priceCents: 999 }])
    expect(await stored()).toMatchObject({ price: 999, releaseAt: first?.releaseAt })
  })

  it('keeps metadata to the last digit', async () => {
    const metadata =
      '{"name":"é \\u0001 \\"x\\"","big":123456789012345678901234567890,"f":1.50,"e":1e40}'
    const line = linesOf([anNftRecord('one', 1, { metadata: 'M' })]).replace('"M"', metadata)
    const body = linesOf([aUserRecord('cleo')]) + line.replace('\\u0001 ', '')
    expect((await post(body)).status).toBe(200)
    const [row] = await db.all<{ metadata: string }>(
      `SELECT payload -> '$.metadata' AS metadata FROM nfts`,
    )
    expect(row?.metadata).toBe(
      '{"name":"é \\"x\\"","big":123456789012345678901234567890,"f":1.50,"e":1e40}',
    )
    expect(await post(body)).toMatchObject({ result: { nft: numbers(0, 0, 1) } })
  })

  it('undoes a dry run, and tells what it would do', async () => {
    const created = numbers(1, 0, 0)
    const result = { user: created, nft: created, listing: created }
    expect(await imported(catalogue, '?dryRun=true')).toEqual(result)
    for (const table of [nfts, catalogueImports, catalogueLines])
      expect(await db.$count(table)).toBe(0)
  })

  it('ignores blank lines', async () => {
    const body = linesOf(catalogue).replaceAll('\n', '\r\n\r\n')
    expect(await post(body)).toMatchObject({ lines: 6, result: { nft: numbers(1, 0, 0) } })
  })
})

describe('prices that change by much', () => {
  const change = (fields: Record<string, unknown>, query = '') =>
    importing([aListingRecord('sale', 'one', fields)], query)

  it.each([
    [{ priceCents: 2000, priceEths: '0.01' }, false],
    [{ priceCents: 2001 }, true],
    [{ priceCents: 0 }, true],
    [{ priceEths: '0.010000000000000001' }, false],
    [{ priceEths: '0.0024' }, true],
    [{ priceCurrency: 'USD' }, true],
  ])('%j', async (fields, isAsked) => {
    await imported(catalogue)
    const { status, code } = await change(fields)
    expect({ status, code }).toEqual(
      isAsked ? { status: 409, code: 'confirmation_required' } : { status: 200, code: undefined },
    )
  })

  it('are written once they are confirmed, and told with their number and what they were', async () => {
    await imported(catalogue)
    const records = [
      anNftRecord('one', 1, { priceCents: 9900, priceEths: '0.05' }),
      aListingRecord('sale', 'one', { priceCents: 9900, priceEths: '0.05' }),
    ]
    for (const query of ['', '?dryRun=true', '?confirm=false']) {
      const { status, error, issues } = await importing(records, query)
      expect({ status, error }).toEqual({
        status: 409,
        error:
          'prices that would be more than double or less than half of what they are, or in another currency: 2',
      })
      const issue = {
        code: 'confirmation_required',
        message: 'is 1000 EUR (0.005 ETH), and would be 9900 EUR (0.05 ETH)',
        expectedPriceCents: 9900,
        expectedCurrency: 'EUR',
        priceCents: 1000,
        priceCurrency: 'EUR',
      }
      expect(issues).toEqual([
        { path: 'lines[1].priceCents', ...issue },
        { path: 'lines[2].priceCents', ...issue },
      ])
    }
    expect(await stored()).toMatchObject({ price: 1000 })
    expect(await imported(records, '?confirm=true')).toMatchObject({
      nft: numbers(0, 1, 0),
      listing: numbers(0, 1, 0),
    })
    expect(await theListing('sale')).toMatchObject({ priceCents: 9900 })
    expect(await imported(records)).toMatchObject({ listing: numbers(0, 0, 1) })
  })
})

describe('users', () => {
  it('are found by an e-mail address or a wallet with which they have signed up', async () => {
    const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const lastAccessAt = '2026-01-01T00:00:00.000Z'
    const byMail = await aUser({ email: 'cleo@example.com', name: 'My name', lastAccessAt })
    const byWallet = await aUser({ ethereumPublicAddr: wallet, lastAccessAt })
    expect(
      await imported([
        aUserRecord('cleo', { email: 'CLEO@example.com', name: 'Other' }),
        { type: 'user', id: 'w', ethereumPublicAddr: wallet.toLowerCase() },
      ]),
    ).toEqual({ user: numbers(0, 2, 0), nft: NONE, listing: NONE })
    expect(await theUser('cleo')).toMatchObject({ id: byMail.id, name: 'My name' })
    expect(await theUser('w')).toMatchObject({ id: byWallet.id })
  })

  it('may have an identity that their record does not have', async () => {
    const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const user = await aUser({ email: 'cleo@example.com', ethereumPublicAddr: wallet })
    expect(await imported([aUserRecord('cleo')])).toMatchObject({ user: numbers(0, 1, 0) })
    expect(await imported([aUserRecord('cleo')])).toMatchObject({ user: numbers(0, 0, 1) })
    expect(await theUser('cleo')).toMatchObject({ id: user.id, ethereumPublicAddr: wallet })
  })

  it('who sell already, and are exported without an id, get the id of the export', async () => {
    const seller = await aUser({ email: 'seller@example.com' })
    const id = `user-${seller.id}`
    const nft = await anNft(seller, { payload: { amountType: 'limited' } })
    const listing = await aListing(nft)
    const record = aListingRecord(listing.externalId, nft.externalId, { seller: id })
    expect(await problemsOf([record, aUserRecord(id)])).toEqual(['lines[2].email cannot_change'])
    expect(
      await imported([record, aUserRecord(id, { email: 'seller@example.com' })]),
    ).toMatchObject({
      user: numbers(0, 0, 1),
    })
    expect(await theUser(id)).toMatchObject({ id: seller.id })
  })

  it('are not found by the address of a contract wallet, which is that of one chain only', async () => {
    const contractWallet = await aUser({ ethereumPublicAddr: CONTRACT, walletChainId: 1 })
    expect(
      await imported([{ type: 'user', id: 'cleo', ethereumPublicAddr: CONTRACT }]),
    ).toMatchObject({ user: numbers(1, 0, 0) })
    expect((await theUser('cleo'))?.id).not.toBe(contractWallet.id)
  })

  it('keep their own names once they have signed in', async () => {
    await imported([aUserRecord('cleo', { name: 'Before' })])
    expect(await imported([aUserRecord('cleo', { name: 'After' })])).toMatchObject({
      user: numbers(0, 1, 0),
    })
    await db
      .update(users)
      .set({ lastAccessAt: '2026-01-01T00:00:00.000Z', email: 'new@example.com' })
      .where(eq(users.externalId, 'cleo'))
    expect(await imported([aUserRecord('cleo', { name: 'Mine' })])).toMatchObject({
      user: numbers(0, 0, 1),
    })
    expect(await theUser('cleo')).toMatchObject({ name: 'After', email: 'new@example.com' })
  })

  it('get another namespace than the user who had the identity before', async () => {
    const identityHash = hashIdentity('email', 'cleo@example.com')
    await aUser({ identityHash })
    await imported([aUserRecord('cleo')])
    expect((await theUser('cleo'))?.identityHash).toMatch(
      new RegExp(`^${identityHash}-[0-9a-f]{16}$`),
    )
  })
})

describe('what is refused', () => {
  it('is told with line, field and code, all at once, and nothing is written', async () => {
    const { issues, ...answer } = await importing([
      aUserRecord('cleo'),
      anNftRecord('one', 1, { tokenId: 1, metadata: {}, colour: 'red', ContractName: 'Moons' }),
      { type: 'gift', id: 'x' },
    ])
    const error = 'lines[2].tokenId: must be text'
    expect(answer).toMatchObject({ status: 400, code: 'invalid_input', error })
    expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      error,
      'lines[2].metadata.name: is required',
      'lines[2]: has unknown keys: colour, ContractName; did you mean contractName?',
      'lines[3].type: must be "user", "nft" or "listing"',
    ])
    expect(await theUser('cleo')).toBeUndefined()
    expect(await db.select().from(catalogueImports)).toEqual([])
  })

  it('what is there twice in an import, or not at all', async () => {
    const cleo = aUserRecord('cleo')
    const [one, sale] = [anNftRecord('one', 1), aListingRecord('sale', 'one')]
    const aWallet = (id: string) => ({ type: 'user', id, ethereumPublicAddr: CONTRACT })
    const named = (id: string, username: string) => aUserRecord(id, { username })
    const cases: [records: object[], ...problems: string[]][] = [
      [[cleo, aUserRecord('cleo', { email: 'x@example.com' })], 'lines[2].id duplicate_id'],
      [[one, sale], 'lines[1].creator user_not_found', 'lines[2].seller user_not_found'],
      [[cleo, sale], 'lines[2].nft nft_not_found'],
      [[cleo, one, anNftRecord('two', 1)], 'lines[3].tokenId token_taken'],
      [
        [aUserRecord('a'), aUserRecord('b', { email: 'A@example.com' })],
        'lines[2].email identity_taken',
      ],
      [[aWallet('a'), aWallet('b')], 'lines[2].ethereumPublicAddr identity_taken'],
      [[named('a', 'same'), named('b', 'Same')], 'lines[2].username username_taken'],
    ]
    for (const [records, ...problems] of cases) {
      expect(await problemsOf(records)).toEqual(problems)
      expect(await db.select().from(catalogueLines)).toEqual([])
    }
  })

  it('after an import, what may not change, and what others have', async () => {
    await imported(catalogue)
    await db.update(nfts).set({ availableAmount: 7 })
    const one = (fields: object) => anNftRecord('one', 1, { ...fields })
    const user = (id: string, fields: object) => aUserRecord(id, { ...fields })
    const sale = (fields: object) => aListingRecord('sale', 'one', { ...fields })
    const cases: [records: object[], problem: string][] = [
      [[anNftRecord('two', 1)], 'lines[1].tokenId token_taken'],
      [[anNftRecord('one', 2)], 'lines[1].tokenId cannot_change'],
      [[one({ contract: `0x${'2'.repeat(40)}` })], 'lines[1].contract cannot_change'],
      [[one({ amountType: 'unlimited' })], 'lines[1].amountType cannot_change'],
      [[one({ heldBySeller: true })], 'lines[1].heldBySeller cannot_change'],
      // Three are sold.
      [[one({ amount: 2 })], 'lines[1].amount amount_too_small'],
      [[anNftRecord('two', 2), sale({ nft: 'two' })], 'lines[2].nft cannot_change'],
      [[aUserRecord('bo'), sale({ seller: 'bo' })], 'lines[2].seller cannot_change'],
      [[user('cleo', { email: 'new@example.com' })], 'lines[1].email cannot_change'],
      [[user('bo', { email: 'cleo@example.com' })], 'lines[1].email identity_taken'],
      [[user('bo', { username: 'CLEO' })], 'lines[1].username username_taken'],
    ]
    for (const [records, problem] of cases) expect(await problemsOf(records)).toEqual([problem])
  })

  it('fewer pieces than reservations hold, until they are released', async () => {
    await imported(catalogue)
    await sellUntried()
    const { id } = await aReservation(token, { listing: 'sale', quantity: 6 })
    const withPieces = (amount: number) => [anNftRecord('one', 1, { amount })]
    expect(await problemsOf(withPieces(5))).toEqual(['lines[1].amount amount_too_small'])
    await imported(withPieces(6))
    await release(token, id)
    await imported(withPieces(5))
  })

  it('two records of the same user, and one record of two users', async () => {
    const wallet = { ethereumPublicAddr: CONTRACT }
    await aUser({ email: 'a@example.com', ...wallet, lastAccessAt: NOW })
    const records = [aUserRecord('a'), { type: 'user', id: 'b', ...wallet }]
    expect(await problemsOf(records)).toEqual(['lines[2].id identity_taken'])
    await aUser({ email: 'c@example.com', lastAccessAt: NOW })
    expect(await problemsOf([aUserRecord('c', wallet)])).toEqual([
      'lines[1].ethereumPublicAddr identity_taken',
    ])
  })

  it('a user who was removed, also as a creator', async () => {
    await imported([aUserRecord('cleo')])
    await db
      .update(users)
      .set({ removedAt: '2026-01-01T00:00:00.000Z' })
      .where(eq(users.externalId, 'cleo'))
    expect(await problemsOf([anNftRecord('one', 1)])).toEqual(['lines[1].creator user_not_found'])
    expect(await problemsOf([aUserRecord('cleo')])).toEqual(['lines[1].id cannot_change'])
  })

  it('whatever a field holds, with a sentence', async () => {
    const accepted: string[] = []
    const time = '2026-02-30T00:00:00Z'
    const values = [null, 1, 1.5, -1, 'x y', '', '1'.repeat(80), true, [], {}, time]
    for (const record of catalogue)
      for (const field of Object.keys(record))
        for (const value of values) {
          const line = JSON.stringify({ ...record, [field]: value })
          const { problems } = parseLines([line], 1, ['localhost'])
          if (problems.length === 0) accepted.push(line)
          for (const { message } of problems)
            expect([field, message]).toEqual([
              field,
              expect.not.stringMatching(/expected|received|invalid/i),
            ])
        }
    expect([200, 400]).toContain((await post(accepted.join('\n'), '?dryRun=true')).status)
  })

  it('a body that is too long, or has too many lines', async () => {
    const long = await post('x'.repeat(4 * 1024 * 1024 + 1))
    expect(long.error).toBe('a call may have at most 4 MiB')
    expect((await post('\n'.repeat(1001))).error).toBe('a call may have at most 1000 lines')
    const metadata = { name: 'x', picture: 'x'.repeat(128 * 1024) }
    const { error } = await importing([anNftRecord('one', 1, { metadata })])
    expect(error).toBe('lines[1]: must be JSON of at most 131072 characters')
  })

  it('a key or a number that JavaScript would lose', async () => {
    const line = JSON.stringify(anNftRecord('one', 1, { metadata: { name: 'x', level: 0 } }))
    const lost = await post(line.replace('"level":0', '"__proto__":{"level":1}'))
    expect(lost.error).toBe('lines[1]: must not have a key `__proto__`')
    const large = await post(line.replace('"level":0', '"level":1e999'))
    expect(large.error).toBe('lines[1]: must be JSON of at most 131072 characters')
  })
})

describe('an import of several calls', () => {
  const id = '01234567-89ab-4def-8123-456789abcdef'
  const [user, nft, listing] = catalogue

  it('changes nothing before the commit, and can be sent again', async () => {
    const staged = { status: 200, lines: 2, result: null }
    expect(await importing([user, nft], `?import=${id}`)).toEqual(staged)
    expect(await db.select().from(nfts)).toEqual([])
    // A client that lost the answer, or its place, begins again.
    expect(await importing([user], `?import=${id}`)).toEqual(staged)
    const last = `?import=${id}&line=3&commit=true`
    const done = await importing([listing], last)
    expect(done).toMatchObject({ lines: 3, result: { nft: numbers(1, 0, 0) } })
    expect(await importing([listing], last)).toEqual(done)
    const over = { status: 409, error: 'the import is committed: choose a new id' }
    expect(await importing([user, nft], `?import=${id}`)).toMatchObject(over)
    expect(await importing([{ ...listing, active: false }], last)).toMatchObject(over)
    expect(await db.select().from(catalogueLines)).toEqual([])
  })

  it('is answered as before if it is repeated while its commit runs', async () => {
    const { jti = '', sub } = decodeJwt(await aMasterToken())
    const caller: Caller = { tokenId: jti, userId: Number(sub), role: 'master', scope: 'write' }
    const target = {
      ...{ db, importId: id, callHash: 'same', caller, now: new Date() },
      maxContentBytes: 1,
    }
    const staged = parseLines(linesOf(catalogue).trim().split('\n'), 1, ['localhost']).staged
    await stage(target, { from: 1, last: 3, lines: staged })
    // Both calls have staged the lines before one of them commits.
    await stage(target, { from: 1, last: 3, lines: staged })
    const first = await commit(target, { last: 3, isDryRun: false, isConfirmed: false })
    expect(first.nft).toEqual(numbers(1, 0, 0))
    expect(await commit(target, { last: 3, isDryRun: false, isConfirmed: false })).toEqual(first)
  })

  it('refuses a gap, and a commit that forgets lines', async () => {
    await importing([user, nft], `?import=${id}`)
    const refused = (error: string) => ({ status: 409, error })
    const gap = await importing([listing], `?import=${id}&line=4`)
    expect(gap).toMatchObject(refused('lines before this one are missing'))
    const forgotten = await importing([user], `?import=${id}&commit=true`)
    expect(forgotten).toMatchObject(refused('later lines than these are staged'))
  })

  it('can be corrected after a commit that was refused', async () => {
    await importing([{ ...user, id: 'other' }], `?import=${id}`)
    const refused = await importing([nft], `?import=${id}&line=2&commit=true`)
    expect(codesOf(refused)).toEqual(['lines[2].creator user_not_found'])
    await importing([user], `?import=${id}`)
    const result = await imported([nft], `?import=${id}&line=2&commit=true`)
    expect(result).toMatchObject({ nft: numbers(1, 0, 0) })
  })

  it('can be rehearsed before it is committed', async () => {
    await importing([user, nft], `?import=${id}`)
    const last = `?import=${id}&line=3&commit=true`
    const rehearsed = await imported([listing], `${last}&dryRun=true`)
    expect(await db.select().from(nfts)).toEqual([])
    expect(await imported([listing], last)).toEqual(rehearsed)
  })

  it('needs an id for a part of it', async () => {
    const message = 'is required for a part of an import'
    for (const query of ['?line=2', '?commit=false'])
      expect((await importing([nft], query)).issues).toEqual([
        { path: 'import', code: 'invalid_input', message },
      ])
  })
})

describe('text in a catalogue', () => {
  it('is stored as it is seen; an e-mail address and a wallet in one spelling', async () => {
    const email = "o'ada&co@bücher.example\u200e"
    const wallet = '\u202a0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED '
    const records = [
      aUserRecord('cleo', { name: 'Cleo\tC.\u2028', email, ethereumPublicAddr: wallet }),
      anNftRecord('one', 1, {
        contract: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
        contractName: 'Cool\u00a0Cats\u200b',
        category: '\u200fArt\n',
        releaseAt: '2026-01-15T13:00:00.123456+01:00',
      }),
    ]
    await imported(records)
    expect(await theUser('cleo')).toMatchObject({
      name: 'Cleo C.',
      email: "o'ada&co@xn--bcher-kva.example",
      ethereumPublicAddr: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    })
    expect(await stored()).toMatchObject({
      ...{ contractName: 'Cool Cats', category: 'Art', releaseAt: '2026-01-15T12:00:00.123Z' },
      contractAddr: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    })
    expect(await imported(records)).toMatchObject({ nft: numbers(0, 0, 1), user: numbers(0, 0, 1) })
  })

  it('has U+FFFD in metadata for half a surrogate pair', async () => {
    const metadata = String.raw`{"name":"A\ud83d","\udc01":["\ud83d\ude00","\\ud83d","\uD83D"]}`
    const lines = linesOf([aUserRecord('cleo'), anNftRecord('one', 1, { metadata: 'M' })])
    const body = lines.replace('"M"', () => metadata)
    expect((await post(body)).status).toBe(200)
    expect((await stored())?.payload).toMatchObject({
      title: 'A\ufffd',
      metadata: { name: 'A\ufffd', '\ufffd': ['😀', '\\ud83d', '\ufffd'] },
    })
    expect(await post(body)).toMatchObject({ result: { nft: numbers(0, 0, 1) } })
  })

  it('is one line that shows something, if it is a title', async () => {
    const titled = (name: string) =>
      importing([aUserRecord('cleo'), anNftRecord('one', 1, { metadata: { name } })])
    expect((await titled(' A\u200b\r\n👨‍👩‍👧 ')).status).toBe(200)
    expect(await db.select({ title: nfts.title }).from(nfts)).toEqual([{ title: 'A 👨‍👩‍👧' }])
    expect((await titled('\u3164')).error).toBe(
      'lines[2].metadata.name: must be 1 to 255 characters',
    )
  })
})
