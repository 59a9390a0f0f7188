/** Finds rows by any id, order number, e-mail address, wallet, hash or key, or words of titles and names. */
import { type SQL, sql } from 'drizzle-orm'
import { getAddress, isAddress } from 'viem/utils'
import { readAsUser } from '../../auth/session.ts'
import { MAX_CANDIDATES } from '../../db/candidates.ts'
import type { Database } from '../../db/client.ts'
import type { SubjectKind } from '../../db/schema/catalogue.ts'
import type { DeliveryState } from '../../db/schema/delivery.ts'
import { raw } from '../../db/statements.ts'
import { hasWordsSql, searchedWords, selectWithWord } from '../../db/words.ts'
import type { Ctx } from '../../http/context.ts'
import { toAsciiDomain, toLine } from '../../http/text.ts'
import { operatorLimits } from '../../limits.ts'
import { LIMIT } from '../components/layout.tsx'
import { selectFoundListings } from '../components/listings.tsx'
import { selectFoundNfts } from '../components/nfts.tsx'
import { selectPeople } from '../components/people.tsx'

/** Transfers of a transaction. */
const MAX_TRANSFERS = 256

/** Characters of a text of which only a beginning has to be equal. */
export const MIN_PREFIX = 2

/** What the text may be. A value that it cannot be is null, and finds nothing. */
type Terms = Record<
  'typed' | 'text' | 'end' | 'prefix' | 'id' | 'ids' | 'hash' | 'wallet',
  string | number | null
> & { words: string }

function parseTerms(typed: string): Terms {
  // Mails and spreadsheets put characters that are not seen into what is copied from them.
  const text = toLine(typed)
  const hex = toAsciiDomain(text).toLowerCase()
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
  const hash = /^0x[\da-f]{64}$/.test(hex) ? hex : null
  const wallet = isAddress(hex, { strict: false }) ? getAddress(hex) : null
  const isPrefix = text.length >= MIN_PREFIX && hash === null && wallet === null
  /** The last text that begins with it. */
  const end = isPrefix ? `${text}\u{10FFFF}` : text
  // The ranges of ids that begin with the digits of an id: itself first.
  const longer = Array.from({ length: isPrefix ? 16 - text.length : 1 }, (_, i) => 10 ** i)
  const ids = id === null ? [] : longer.map((power) => [id * power, (id + 1) * power - 1])
  const words = searchedWords(text)
  const prefix = isPrefix ? hex : null
  return { typed, text, end, prefix, id, ids: JSON.stringify(ids), hash, wallet, words }
}

/** The rows of a table whose ids begin so, the shortest first. */
const withIds = (table: 'orders' | 'users' | 'nfts' | 'listings', { ids }: Terms): SQL =>
  sql`SELECT t.id FROM json_each(${ids}) r
    CROSS JOIN ${sql.raw(table)} t ON t.id BETWEEN r.value ->> 0 AND r.value ->> 1 LIMIT ${LIMIT}`

export type FoundTransfer = {
  id: number
  orderId: number
  /** Order number of the shop. */
  providerId: string | null
  title: string
  state: DeliveryState
  /** What has the text: the newest orders of a user are found by the user. */
  by: 'order' | 'transfer' | 'number' | 'key' | 'transaction' | 'event' | 'buyer' | 'seller'
}

/** Conditions with `<> ''` let SQLite use the partial indexes of e-mail addresses and wallets. */
const userIds = ({ id, wallet, prefix }: Terms): SQL => sql`SELECT id FROM users WHERE id = ${id}
  UNION SELECT id FROM users WHERE email = ${prefix} AND email <> ''
  UNION SELECT id FROM users WHERE ethereumPublicAddr = ${wallet} AND ethereumPublicAddr <> ''`

const transactionIds = ({ hash }: Terms) => sql`SELECT id FROM transactions WHERE hash = ${hash}
  UNION SELECT id FROM (SELECT id, replaced FROM transactions newest WHERE ${hash} IS NOT NULL
    ORDER BY id DESC LIMIT ${operatorLimits.searched.max}) WHERE instr(replaced, ${hash})`

/** The newest with all words, among the first that have the rarest one. */
const withWords = (kind: SubjectKind, { words }: Terms): SQL => sql`SELECT id FROM (
    ${selectWithWord(kind, words)} LIMIT ${MAX_CANDIDATES}) found
  WHERE ${hasWordsSql(kind, sql`found.id`, words)} ORDER BY id DESC LIMIT ${LIMIT}`

/** Users also by the beginning of the id or the e-mail address, and by words of their names. */
const foundUserIds = (terms: Terms): SQL => sql`SELECT id FROM (${userIds(terms)})
  UNION SELECT id FROM (${withIds('users', terms)})
  UNION SELECT id FROM (${withWords('user', terms)})
  UNION SELECT id FROM (SELECT id FROM users WHERE email BETWEEN ${terms.prefix} AND lower(${terms.end})
    AND email <> '' ORDER BY email LIMIT ${LIMIT})`

/** Those whose ids in the catalogue begin so. */
const withExternalIds = (table: 'nfts' | 'listings', { text, end }: Terms): SQL =>
  sql`SELECT id FROM ${sql.raw(table)} WHERE externalId BETWEEN ${text} AND ${end}
    ORDER BY externalId LIMIT ${LIMIT}`

/** Listings by the beginning of an id. */
const listingIds = (terms: Terms): SQL => sql`SELECT id FROM (${withIds('listings', terms)})
  UNION SELECT id FROM (${withExternalIds('listings', terms)})`

/** NFTs by the beginning of an id, and by words of the title. */
const nftIds = (terms: Terms): SQL => sql`SELECT id FROM (${withIds('nfts', terms)})
  UNION SELECT id FROM (${withExternalIds('nfts', terms)})
  UNION SELECT id FROM (${withWords('nft', terms)})`

/**
 * The orders of an id or a number, or the beginning of one; and of an event: `evt_` and its id. A number may have
 * characters that are not seen.
 */
const orderIds = (terms: Terms) => sql`SELECT id, 'order' AS "by" FROM (${withIds('orders', terms)})
  UNION ALL SELECT id, 'number' FROM (SELECT id FROM orders
    WHERE providerId BETWEEN ${terms.text} AND ${terms.end} ORDER BY providerId LIMIT ${LIMIT})
  UNION ALL SELECT id, 'number' FROM (SELECT id FROM orders
    WHERE providerId = ${terms.typed} AND ${terms.typed} <> ${terms.text} LIMIT ${LIMIT})
  UNION ALL SELECT orderId, 'event' FROM events
    WHERE ${terms.text} LIKE 'evt#_%' ESCAPE '#' AND id = CAST(substr(${terms.text}, 5) AS INTEGER)`

/** Where transfers are found. D1 limits a compound SELECT to five terms, so each is a statement. */
const transferIds = (terms: Terms): SQL[] => [
  sql`SELECT ${terms.id} AS id, 'transfer' AS "by"
    UNION ALL SELECT id, 'key' FROM (SELECT id, "key" FROM deliveries newest WHERE ${terms.hash} IS NOT NULL
      ORDER BY id DESC LIMIT ${operatorLimits.searched.max}) WHERE "key" = ${terms.hash}
    UNION ALL SELECT j.value, 'transaction' FROM (${transactionIds(terms)}) found
      JOIN transactions t ON t.id = found.id, json_each(t.items) j`,
  sql`SELECT i.id, found."by" FROM (${orderIds(terms)}) found JOIN orderItems i ON i.orderId = found.id`,
  sql`SELECT i.id, 'buyer' AS "by" FROM (${userIds(terms)}) found JOIN orders o ON o.buyerId = found.id
    JOIN orderItems i ON i.orderId = o.id ORDER BY o.id DESC LIMIT ${LIMIT}`,
  sql`SELECT i.id, 'seller' AS "by" FROM (${userIds(terms)}) found
    JOIN orderItems i ON i.sellerId = found.id ORDER BY i.orderId DESC LIMIT ${LIMIT}`,
]

const findTransfers = (db: Database, found: SQL) =>
  raw<FoundTransfer>(db)`SELECT d.id, i.orderId, o.providerId, n.title, d.state, found."by"
    FROM (${found}) found CROSS JOIN deliveries d ON d.id = found.id
      CROSS JOIN orderItems i ON i.id = d.id CROSS JOIN orders o ON o.id = i.orderId
      CROSS JOIN nfts n ON n.id = i.nftId LIMIT ${MAX_TRANSFERS}`

export type SearchResult = Awaited<ReturnType<typeof search>>

/** Finds everything that has this text. */
export async function search(ctx: Ctx, { text }: { text: string }) {
  const { db } = ctx
  const terms = parseTerms(text)
  const { transfers, ...others } = await readAsUser(ctx, {
    transactions: raw<{ hash: string; chainId: number; items: number; block: number | null }>(db)`
      SELECT hash, chainId, json_array_length(items) AS items, block
      FROM transactions WHERE id IN (${transactionIds(terms)})`,
    users: selectPeople(db, sql`u.id IN (${foundUserIds(terms)})`),
    nfts: selectFoundNfts(db, sql`n.id IN (${nftIds(terms)})`),
    listings: selectFoundListings(ctx, sql`l.id IN (${listingIds(terms)})`),
    transfers: transferIds(terms).map((found) => findTransfers(db, found)),
  })
  // What is found in several ways is shown once, with the first of them.
  const byId = new Map(transfers.toReversed().map((transfer) => [transfer.id, transfer]))
  return { ...others, transfers: [...byId.values()].sort((a, b) => b.id - a.id) }
}

/** Returns the only transfer that was found, if nothing else was; its transaction does not count. */
export function onlyTransferIn({
  transfers,
  users,
  nfts,
  listings,
}: SearchResult): FoundTransfer | undefined {
  return transfers.length + users.length + nfts.length + listings.length === 1
    ? transfers[0]
    : undefined
}
