/** Functions that insert or change one row each. A test passes only the fields that it depends on. */
import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { tokenNamespace } from '../../src/auth/sources.ts'
import { API_TOKEN_LIFETIME, newToken, signToken } from '../../src/auth/tokens.ts'
import { batch } from '../../src/db/batch.ts'
import { connect } from '../../src/db/client.ts'
import { listings, nfts, type SubjectKind } from '../../src/db/schema/catalogue.ts'
import { contentFiles } from '../../src/db/schema/content.ts'
import { transactions } from '../../src/db/schema/delivery.ts'
import { ADMINISTRATOR, addresses, tokens, users } from '../../src/db/schema/users.ts'
import { webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { setWords, wordsOf } from '../../src/db/words.ts'
import { readSettings } from '../../src/env.ts'
import { eventName } from '../../src/events/event.ts'
import { hashIdentity, SESSION_NAME } from '../../src/identity/namespace.ts'
import { insertEvents } from './events.ts'

export const db = connect(env.DB)

/** Changes a row. */
export const setRow = <Table extends SQLiteTable & { id: SQLiteColumn }>(
  table: Table,
  id: number | string | undefined,
  values: Partial<Table['$inferInsert']>,
) =>
  db
    .update(table)
    .set(values as never)
    .where(eq(table.id, id ?? 0))

/** Runs a statement that returns no rows. */
export const execute = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run()

/** Returns a row, or undefined if there is none. */
export async function findRow<Table extends SQLiteTable & { id: SQLiteColumn }>(
  table: Table,
  id: number | string | undefined,
): Promise<Table['$inferSelect'] | undefined> {
  const [row] = await db
    .select()
    .from(table as SQLiteTable)
    .where(eq(table.id, id ?? 0))
  return row
}

const NOW = '2026-01-01T00:00:00.000Z'
const timestamps = { createdAt: NOW, updatedAt: NOW }

let addressCount = 0
/** Returns a different wallet address for each call. */
const uniqueAddress = () => `0xaa${(++addressCount).toString(16).padStart(38, '0')}` as const

async function first<T>(rows: Promise<T[]>): Promise<T> {
  const [row] = await rows
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

/** A user who signed up with the wallet, or without one with the e-mail address, and was approved. */
export async function aUser(values: Partial<typeof users.$inferInsert> = {}) {
  const { ethereumPublicAddr = uniqueAddress(), email = '' } = values
  const identityHash = ethereumPublicAddr
    ? hashIdentity('wallet', ethereumPublicAddr)
    : hashIdentity('email', email || crypto.randomUUID())
  const user = await first(
    db
      .insert(users)
      .values({
        ...{ provider: 'wallet', identityHash, approved: true },
        ...timestamps,
        ...values,
        ethereumPublicAddr,
      })
      .returning(),
  )
  await storeWords('user', user.id, user.name, user.username)
  return user
}

async function storeWords(kind: SubjectKind, id: number, ...texts: (string | null)[]) {
  const words = wordsOf(...texts)
  if (words.length > 0) await batch(db, { words: setWords(db, kind, id, words) })
}

export const anAdministrator = () => aUser({ roleId: ADMINISTRATOR })

export const issuer = {
  url: readSettings(env).PUBLIC_URL,
  keys: readSettings(env).JWT_KEYS.keys,
}

let tokenCount = 0

/** Stores a live token of the user and returns its JWT. By default, API tokens get different names. */
export async function aToken(
  user: { id: number },
  role: 'user' | 'master' = 'user',
  kind: 'api' | 'session' = 'api',
  name = kind === 'session' ? SESSION_NAME : `test ${++tokenCount}`,
  scope: 'read' | 'write' | 'metrics' | 'orders' = 'write',
) {
  const record = newToken(issuer, { userId: user.id, role, scope }, API_TOKEN_LIFETIME, new Date())
  const namespace = tokenNamespace({ ...record, name })
  await db.insert(tokens).values({ ...record, kind, name, namespace })
  return signToken(issuer, record)
}

/** Stores a live read-only API token of the user and returns its JWT. */
export const aReadOnlyToken = (user: { id: number }) =>
  aToken(user, 'user', 'api', undefined, 'read')

/** Stores a session of the user and returns its JWT. */
export const aSession = (user: { id: number }) => aToken(user, 'user', 'session')

/** Returns the token for metrics of a new administrator. */
export const aMetricsToken = async () =>
  aToken(await anAdministrator(), 'master', 'api', undefined, 'metrics')

/** Returns the master token of a new administrator, with a name of its own by default. */
export const aMasterToken = async (name?: string) =>
  aToken(await anAdministrator(), 'master', 'api', name)

/** Returns a token for the orders of one shop: by default of a new administrator, with a new name. */
export const aShopToken = async (name?: string, administrator?: { id: number }) =>
  aToken(administrator ?? (await anAdministrator()), 'master', 'api', name, 'orders')

export const anAddress = (
  owner: { id: number },
  values: Partial<typeof addresses.$inferInsert> = {},
) =>
  first(
    db
      .insert(addresses)
      .values({ kind: 'billing', userId: owner.id, ...timestamps, ...values })
      .returning(),
  )

type AmountType = 'unique' | 'limited' | 'unlimited'

export const anNft = async (
  creator: { id: number; ethereumPublicAddr: string },
  {
    amountType = 'limited',
    ...values
  }: Partial<typeof nfts.$inferInsert> & { amountType?: AmountType } = {},
) => {
  const nft = await first(
    db
      .insert(nfts)
      .values({
        externalId: crypto.randomUUID(),
        amount: 10,
        availableAmount: values.amount ?? 10,
        creatorId: creator.id,
        creatorPublicAddr: creator.ethereumPublicAddr,
        contractAddr: uniqueAddress(),
        contractName: 'Collectible',
        contractNetwork: 'localhost',
        payload: { amountType },
        price: 1000,
        priceEths: '0.005',
        priceCurrency: 'EUR',
        title: 'A picture',
        tokenId: '1',
        status: 'released',
        releaseAt: NOW,
        changedAt: NOW,
        ...timestamps,
        ...values,
      })
      .returning(),
  )
  await storeWords('nft', nft.id, nft.title)
  return nft
}

export const aListing = (
  nft: { id: number; creatorId: number },
  values: Partial<typeof listings.$inferInsert> = {},
) =>
  first(
    db
      .insert(listings)
      .values({
        externalId: crypto.randomUUID(),
        nftId: nft.id,
        sellerId: nft.creatorId,
        active: true,
        type: 'regular',
        priceCents: 1000,
        priceCurrency: 'EUR',
        priceEths: '0.005',
        priceWei: '5000000000000000',
        ...timestamps,
        ...values,
      })
      .returning(),
  )

/** As if every listing had been tried, and could be delivered. */
export const sellUntried = () => db.update(listings).set({ untriedUntil: null })

let transactionCount = 0

/** A transaction of a relayer that is final. */
export const aTransaction = (values: Partial<typeof transactions.$inferInsert> = {}) =>
  first(
    db
      .insert(transactions)
      .values({
        chainId: 31337,
        contract: uniqueAddress(),
        signer: uniqueAddress(),
        nonce: 0,
        items: [],
        hash: `0x${(++transactionCount).toString(16).padStart(64, '0')}`,
        replaced: [],
        gas: '1',
        maxFeePerGas: '1',
        maxPriorityFeePerGas: '1',
        deadline: 0,
        signedAtBlock: 0,
        signedAt: NOW,
        block: 1,
        blockHash: '0x1',
        isOpen: false,
        ...timestamps,
        ...values,
      })
      .returning(),
  )

/** A verified endpoint that gets the events of orders from now on. */
export const aWebhook = (
  owner: { id: number },
  values: Partial<typeof webhookEndpoints.$inferInsert> = {},
) =>
  first(
    db
      .insert(webhookEndpoints)
      .values({
        id: crypto.randomUUID(),
        userId: owner.id,
        role: 'user',
        url: 'https://shop.example.com/hook',
        events: ['order.created', 'order.delivered'],
        secretId: '0'.repeat(32),
        position: lastEvent,
        logFrom: lastEvent,
        verifiedAt: NOW,
        ...timestamps,
        ...values,
      })
      .returning(),
  )

const lastEvent = sql`coalesce((SELECT max(id) FROM events), 0)`

/** A message about an order that the owner has sold, which was delivered. `id` is its `webhook-id`. */
export async function aWebhookMessage(
  endpoint: { id: string; userId: number },
  values: Partial<typeof webhookMessages.$inferInsert> = {},
) {
  const { id: endpointId, userId } = endpoint
  const [insert, makeDue] = insertEvents(db, { orderId: 1, sellerId: userId })
  const [, , [row]] = await db.batch([
    insert,
    makeDue,
    db
      .insert(webhookMessages)
      .values({ eventId: lastEvent, endpointId, state: 'delivered', tries: 1, ...values })
      .returning(),
    db
      .update(webhookEndpoints)
      .set({ position: lastEvent, dueAt: null })
      .where(eq(webhookEndpoints.id, endpointId)),
  ])
  if (!row) throw new Error('the statement returned no row')
  return { ...row, id: eventName(row.eventId) }
}

/** The bytes of every file of the content of NFTs, and their hash. */
export const CONTENT = 'la la la'
export const CONTENT_SHA256 = 'd488288a90852227c137cc78556c8f55fe20c052d61df3b4987643b42def93c3'

/** A file of the content of an NFT, whose bytes are stored. */
export async function aContentFile(
  nft: { id: number },
  values: Partial<typeof contentFiles.$inferInsert> = {},
) {
  const file = await first(
    db
      .insert(contentFiles)
      .values({
        key: crypto.randomUUID(),
        nftId: nft.id,
        name: 'track.mp3',
        place: 0,
        type: 'audio/mpeg',
        bytes: CONTENT.length,
        sha256: CONTENT_SHA256,
        state: 'stored',
        changedAt: NOW,
        ...values,
      })
      .returning(),
  )
  if (file.state === 'stored') await env.CONTENT.put(file.key, CONTENT)
  return file
}
