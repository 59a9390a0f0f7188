/** An export can be imported again: into an empty instance, and into its own. */
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { demoCatalogue } from '../../scripts/local/catalogue/demo.ts'
import { outcomeRows } from '../../scripts/local/catalogue/outcome-rows.ts'
import { readCatalogue } from '../../scripts/operate/catalogue/export.ts'
import {
  catalogueImports,
  catalogueLines,
  creators,
  listings,
  nftCounts,
  nfts,
} from '../../src/db/schema/catalogue.ts'
import { contentFiles } from '../../src/db/schema/content.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { addresses, tokens, users } from '../../src/db/schema/users.ts'
import { hashWallet } from '../../src/identity/namespace.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, db } from '../support/makers.ts'
import { aListingRecord, anNftRecord, aUserRecord, CONTRACT, linesOf } from './records.ts'

const tables = [
  contentFiles,
  ...[catalogueLines, catalogueImports, listings, nfts, creators, nftCounts],
  ...[auditLog, tokens, addresses, users],
]
const empty = async () => {
  for (const table of tables) await db.delete(table)
}
beforeEach(empty)

type Answer = {
  result?: Record<string, { created: number; updated: number; unchanged: number }>
  issues?: { path: string; code: string; message: string }[]
}

const importing = async (body: string) =>
  answerOf<Answer>(call('POST', '/api/admin/catalogue', { token: await aMasterToken(), body }))

async function exported(): Promise<string> {
  let text = ''
  // The commands read with another driver.
  for await (const line of readCatalogue(db as never)) text += `${line}\n`
  return text
}

/** Imports an export into its own instance and into an empty one, and compares the exports of both. */
async function expectRoundTrip() {
  const before = await exported()
  const again = await importing(before)
  expect(again.issues).toBeUndefined()
  for (const counts of Object.values(again.result ?? {}))
    expect(counts).toMatchObject({ created: 0, updated: 0 })
  expect(await exported()).toBe(before)
  await empty()
  const first = await importing(before)
  expect(first.issues).toBeUndefined()
  expect(await exported()).toBe(before)
  return before.trimEnd().split('\n')
}

const address = (digit: string) => `0x${digit.repeat(40)}` as const

async function aDemo() {
  const collectibles = { erc721: address('1'), erc1155: address('2') }
  const outcomeTokens = { outcome: address('3'), limited: address('4'), burning: address('5') }
  const contracts = { ...collectibles, ...outcomeTokens, delivery: address('6') }
  const demo = demoCatalogue(collectibles)
  for (const rows of [demo, outcomeRows(contracts)]) {
    for (const row of rows.users) await db.insert(users).values(row)
    for (const row of rows.nfts) await db.insert(nfts).values(row)
    for (const row of rows.listings) await db.insert(listings).values(row)
  }
  for (const { row } of demo.files) await db.insert(contentFiles).values(row)
}

it('takes the export of the demo', async () => {
  await aDemo()
  // 10 creators, sellers and buyers of outcomes; NFTs and listings.
  expect(await expectRoundTrip()).toHaveLength(10 + 39 + 41)
})

describe('an exported record', () => {
  it('works alone, also with the id that a creator has only in exports', async () => {
    await aDemo()
    const lines = (await exported()).trimEnd().split('\n')
    expect(lines.filter((line) => line.includes('"creator":"user-2"'))).toHaveLength(8)
    // Each line is an import, of which `npm test` makes every tenth.
    const chosen = lines.filter((_, i) => inject('isLong') || i % 10 === 0)
    for (const line of chosen) expect((await importing(line)).issues).toBeUndefined()
    expect((await exported()).trimEnd().split('\n')).toEqual(lines)
    const newBy = (creator: string) => importing(linesOf([anNftRecord('new', 9, { creator })]))
    expect((await newBy('user-2')).result).toMatchObject({ nft: { created: 1 } })
    // No user who is in no export.
    const message = 'there is no such user: add a record of it'
    expect((await newBy('user-3')).issues).toEqual([
      { path: 'lines[1].creator', code: 'user_not_found', message },
    ])
  })
})

it('takes every odd record that the API takes', async () => {
  const maxUint = String(2n ** 256n - 1n)
  const wallet = address('7')
  const records = [
    aUserRecord('cleo', { name: '“Cleo” \\ \u200d🦍', username: 'cleo_1' }),
    aUserRecord('user-9', { shopUrl: 'https://müller.example/é?"id"={externalId}' }),
    { type: 'user', id: 'on 1', ethereumPublicAddr: wallet, walletChainId: 1 },
    { type: 'user', id: 'on 5', ethereumPublicAddr: wallet, walletChainId: 5, email: 'b@x.org' },
    { type: 'user', id: 'with a key', ethereumPublicAddr: wallet },
    { type: 'user', id: 'gone', removed: true },
    anNftRecord('big', 1, {
      ...{ tokenId: maxUint, priceEths: undefined, priceWei: maxUint, priceCents: 2 ** 53 - 1 },
      metadata: {
        name: '"',
        list: [1e21, -0, '\u0000', '\u2028', { a: null }],
        n: 'É'.repeat(9000),
      },
    }),
    anNftRecord('by nobody', 2, { creator: 'gone', category: 'a "b"', coverKey: 'é/"1".png' }),
    anNftRecord('unlisted', 3, { status: 'unlisted', network: 'elsewhere', releaseAt: undefined }),
    anNftRecord('no token', 4, { status: 'unlisted', tokenId: null }),
    anNftRecord('no token either', 5, { status: 'draft', tokenId: null, network: 'elsewhere' }),
    anNftRecord('unique', 6, {
      amountType: 'unique',
      amount: 1,
      fulfilment: 'mint',
      recipients: 'verified',
      heldBySeller: true,
    }),
    anNftRecord('with files', 7, {
      content: {
        release: 'holder',
        phrase: 'say "friend" 🦍',
        files: ['b "1".wav', 'a.zip'].map((name, i) => ({
          ...{ name, type: 'audio/wav', bytes: i + 1, sha256: `${i}`.repeat(64) },
        })),
      },
      ...{ downloadable: true, fee: '2.5', payload: { terms: 'é"', sold: 1e21 } },
    }),
    aListingRecord('auction', 'big', { saleType: 'auction', priceEths: undefined, priceWei: '1' }),
    aListingRecord('ended', 'unlisted', { activeTill: '2999-12-31T23:59:59+01:00', amount: 1 }),
    aListingRecord('of nobody', 'no token', {
      ...{ seller: 'gone', active: false, shopUrl: 'https://shop.example/{nftId}' },
    }),
  ]
  const { issues } = await importing(linesOf(records))
  expect(issues).toBeUndefined()
  expect(await expectRoundTrip()).toHaveLength(records.length)
  const [user] = await db.select().from(users).where(eq(users.externalId, 'on 1'))
  expect(user).toMatchObject({ walletChainId: 1, identityHash: hashWallet(wallet, 1) })
})

it('takes an export with the NFTs of a person whose data were removed', async () => {
  const seller = aUserRecord('bo')
  const records = [
    aUserRecord('cleo'),
    seller,
    anNftRecord('one', 1),
    aListingRecord('sale', 'one'),
  ]
  await importing(linesOf([...records, aListingRecord('other', 'one', { seller: 'bo' })]))
  const [{ id } = { id: 0 }] = await db.select().from(users).where(eq(users.externalId, 'cleo'))
  const token = await aMasterToken()
  expect((await call('POST', `/api/admin/users/${id}/forget`, { token })).status).toBe(200)
  const lines = await expectRoundTrip()
  expect(lines[0]).toBe(
    `{"type":"user","id":"user-${id}","name":null,"username":null,"email":null,"ethereumPublicAddr":null,"walletChainId":0,"shopUrl":null,"removed":true}`,
  )
  const [creator] = await db
    .select()
    .from(users)
    .where(eq(users.externalId, `user-${id}`))
  expect(creator?.removedAt).not.toBeNull()
})

it('takes an export of two removed persons, of which one came from another instance', async () => {
  await importing(linesOf([aUserRecord('cleo'), anNftRecord('one', 1)]))
  const [{ id } = { id: 0 }] = await db.select().from(users).where(eq(users.externalId, 'cleo'))
  const other = { type: 'user', id: `user-${id}`, removed: true }
  await importing(linesOf([other, anNftRecord('two', 2, { creator: other.id })]))
  const token = await aMasterToken()
  expect((await call('POST', `/api/admin/users/${id}/forget`, { token })).status).toBe(200)
  const lines = await expectRoundTrip()
  const ids = lines.map((line) => JSON.parse(line).id)
  expect(new Set(ids).size).toBe(4)
})

describe('a network that is not configured', () => {
  it('stays where it is stored, and is refused elsewhere with what to add', async () => {
    await importing(linesOf([aUserRecord('cleo'), anNftRecord('one', 1)]))
    await db.update(nfts).set({ contractNetwork: 'removed' })
    const text = await exported()
    expect((await importing(text)).result).toMatchObject({ nft: { unchanged: 1 } })
    await empty()
    expect((await importing(text)).issues).toEqual([
      {
        path: 'lines[2].network',
        code: 'network_not_found',
        message: 'is not configured: add it to NETWORKS, or set status to "draft"',
      },
    ])
  })
})

it('refuses a released NFT without a token, and a wallet on another chain', async () => {
  const released = await importing(linesOf([anNftRecord('one', 1, { tokenId: null })]))
  expect(released.issues).toMatchObject([
    { path: 'lines[1].tokenId', message: 'is required for a released NFT' },
  ])
  const user = { type: 'user', id: 'cleo', ethereumPublicAddr: CONTRACT, walletChainId: 1 }
  await importing(linesOf([user]))
  const moved = await importing(linesOf([{ ...user, walletChainId: 2 }]))
  expect(moved.issues).toMatchObject([{ path: 'lines[1].walletChainId', code: 'cannot_change' }])
  const revived = await importing(linesOf([{ type: 'user', id: 'cleo', removed: true }]))
  expect(revived.issues).toMatchObject([{ path: 'lines[1].id', code: 'cannot_change' }])
})
