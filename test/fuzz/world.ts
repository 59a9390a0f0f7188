/** What the fuzzed requests find: users, tokens of every kind, and something to buy. */
import { env } from 'cloudflare:workers'
import { getTableColumns, getTableName, is, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'
import { DRAWN } from '../../src/avatars/url.ts'
import * as schema from '../../src/db/schema.ts'
import { addressKinds } from '../../src/db/schema.ts'
import {
  aListing,
  anAddress,
  anAdministrator,
  anNft,
  aToken,
  aUser,
  db,
} from '../support/makers.ts'
import type { Known } from './schemas.ts'

/** Fields that must fit each other often do when each is often the first. */
const mostlyFirst = (ids: readonly number[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(ids[0]) }, fc.constantFrom(...ids))

/** Makes the world, and says what is in it and who may ask. */
export async function aWorld() {
  const [seller, buyer, stranger, admin] = await Promise.all([
    aUser(),
    aUser(),
    aUser({ ethereumPublicAddr: '', email: 'stranger@example.com' }),
    anAdministrator(),
  ])
  for (const user of [seller, buyer, admin, seller, buyer, admin])
    for (const kind of addressKinds) await anAddress(user, { kind })
  const goods = await Promise.all(
    (['unlimited', 'unlimited', 'limited'] as const).map(async (amountType) => {
      const nft = await anNft(seller, { amountType, amount: 40 })
      return { nft, listing: await aListing(nft) }
    }),
  )
  const users = [seller, buyer, stranger, admin].map(({ id }) => id)
  /** Ids begin at 1: the addresses above, and what the requests themselves make. */
  const made = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 30 }))
  const known: Known = {
    user_id: fc.constantFrom('me', ...users.map(String)),
    userId: fc.constantFrom(...users),
    buyerUserId: fc.constantFrom(...users),
    nftId: mostlyFirst(goods.map(({ nft }) => nft.id)),
    listingId: mostlyFirst(goods.map(({ listing }) => listing.id)),
    quantity: fc.integer({ min: 1, max: 3 }),
    id: made.map(String),
    order_ids: fc.array(made, { minLength: 1, maxLength: 5 }).map((ids) => ids.join()),
    chainId: fc.constant(31337),
    picture: fc.constant(`${DRAWN}.jpg`),
    address: fc.constantFrom(seller.ethereumPublicAddr, stranger.ethereumPublicAddr),
    'idempotency-key': fc.constantFrom('a', 'b', 'c', 'a'.repeat(255)),
    'x-d1-bookmark': fc.constant('00000001-00000002-00000003-00000000000000000000000000000004'),
  }
  const tokens = await Promise.all([
    aToken(seller),
    aToken(buyer),
    aToken(stranger),
    aToken(admin, 'master'),
  ])
  const [master = ''] = tokens.slice(-1)
  const trusted = fc.constantFrom<Record<string, string>>(
    ...tokens.map((token) => ({
      authorization: `Bearer ${token}`,
      'sec-fetch-site': 'same-origin',
    })),
    { authorization: master },
    { cookie: `token=${master}`, 'sec-fetch-site': 'same-origin' },
  )
  const others = fc.constantFrom<Record<string, string>>(
    { cookie: `token=${master}`, 'sec-fetch-site': 'cross-site' },
    { authorization: `Bearer ${master.slice(0, -2)}` },
    { authorization: 'Basic YTpi' },
    { cookie: 'token=; token==; =token' },
    { 'sec-fetch-site': 'same-origin' },
    {},
  )
  const callers = fc.oneof({ weight: 9, arbitrary: trusted }, { weight: 1, arbitrary: others })
  return { known, callers }
}

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))

/** For each table how many rows it has, its latest times, and its stocks. */
const facts = tables.map((table) => {
  const columns = Object.values(getTableColumns(table))
  // A token's last use is noted after an answer, whatever it was.
  const latest = columns
    .filter(({ name }) => /At$/.test(name) && name !== 'lastUsedAt')
    .map((column) => sql`max(${column})`)
  const totals = columns
    .filter(({ name }) => ['availableAmount', 'isDefault', 'nfts'].includes(name))
    .map((column) => sql`total(${column})`)
  const all = sql.join([sql`count(*)`, ...latest, ...totals], sql`, `)
  return sql`(SELECT concat_ws(' ', ${getTableName(table)}, ${all}) FROM ${table})`
})
const state = sql`SELECT concat_ws(char(10), ${sql.join(facts, sql`, `)}) AS text`

/** What is in the database and the bucket, in a few words: differs after almost any write. */
export async function fingerprint(): Promise<string> {
  const [row] = await db.all<{ text: string }>(state)
  const { objects } = await env.AVATARS.list()
  // A picture that is drawn is kept when it is first looked at.
  const given = objects.map(({ key }) => key).filter((key) => !key.includes(DRAWN))
  return [row?.text, ...given].join('\n')
}
