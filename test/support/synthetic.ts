/**
 * A catalogue of any size, as SQL statements that generate the rows inside the database: a million
 * rows take a minute or so. The same sizes and ids give the same rows.
 */
import type { ReasonCode } from '../../src/db/schema/delivery.ts'

export type Size = { users: number; nfts: number; orders: number }

/** The last ids of an empty database. */
export const NO_IDS = {
  users: 0,
  addresses: 0,
  nfts: 0,
  listings: 0,
  orders: 0,
  orderItems: 0,
  transactions: 0,
}

/** The highest id of each table. New ids follow it. */
export type LastIds = typeof NO_IDS

/** Returns the last ids of a database. */
export async function lastIds(d1: D1Database): Promise<LastIds> {
  const columns = Object.keys(NO_IDS).map(
    (table) => `(SELECT coalesce(max(id), 0) FROM ${table}) AS ${table}`,
  )
  const last = await d1.prepare(`SELECT ${columns.join(', ')}`).first<LastIds>()
  if (!last) throw new Error('the database returned no ids')
  return last
}

/** Rows per statement. D1 stops statements that take longer than 30 seconds. */
const CHUNK_SIZE = 50_000

/** Every third NFT is unique. Unique NFTs have no orders. */
const AMOUNT_TYPE = `CASE k % 3 WHEN 0 THEN 'unique' WHEN 1 THEN 'limited' ELSE 'unlimited' END`
const LIMITED_AMOUNT = 1_000_000

/** Of the NFTs and of the Delivery contract. There is no code at this address. */
const CONTRACT = `'0x000000000000000000000000000000000000dEaD'`

const CHAIN_ID = 31337

/** Every fiftieth item failed before it had a transaction. The others share one. */
const ITEMS_PER_TRANSACTION = 50
const isFailed = (k: string) => `(${k}) % ${ITEMS_PER_TRANSACTION} = ${ITEMS_PER_TRANSACTION - 1}`
const reasonCode: ReasonCode = 'transfer_failed'

/** SQL of the time k minutes after the start of 2025. */
const timeAt = (k: string) =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', '2025-01-01', '+' || (${k}) || ' minutes')`

/**
 * Returns the statements, to be run in this order. Orders need at least two NFTs and one user.
 */
export function synthetic(size: Size, after: LastIds): string[] {
  // SQL of the index of the NFT and of the buyer of order k. The NFT is never a unique one.
  const sellable = Math.max(1, size.nfts - Math.ceil(size.nfts / 3))
  const nftOf = (k: string) => `((${k}) % ${sellable}) / 2 * 3 + 1 + ((${k}) % ${sellable}) % 2`
  const sellerOf = (k: string) =>
    `${after.users} + 1 + ${k} % ${Math.max(1, Math.ceil(size.users / 100))}`
  const buyerOf = (k: string) => `((${k}) * 7919) % ${Math.max(1, size.users)}`
  const soldCount = `CASE WHEN k % 3 = 1
    THEN ((${size.orders} - (k / 3 * 2) + ${sellable - 1}) / ${sellable}) ELSE 0 END`
  const price = `(100 + k % 900)`
  const firstItem = `${after.orderItems} + k * ${ITEMS_PER_TRANSACTION}`
  const eth = `printf('0.%03d', 1 + k % 900)`
  const wei = `printf('%d000000000000000', 1 + k % 900)`
  return [
    ...chunks(size.users, (rows) => [
      // SQL has no SHA-256. Nobody can sign in as these users, so any unique text will do.
      `INSERT INTO users (id, provider, email, ethereumPublicAddr, identityHash, name, createdAt,
         updatedAt)
       SELECT ${after.users} + 1 + k, 'wallet', 'user' || (${after.users} + 1 + k) || '@example.com',
         printf('0x9%039d', ${after.users} + 1 + k), printf('%064x', ${after.users} + 1 + k), 'User ' || (${after.users} + 1 + k),
         ${timeAt('k')}, ${timeAt('k')} FROM (${rows})`,
      `INSERT INTO words (kind, word, subjectId) SELECT 'user', iif(w, ${after.users} + 1 + k, 'user'),
         ${after.users} + 1 + k FROM (${rows}), (SELECT 0 AS w UNION ALL SELECT 1)`,
      `INSERT INTO addresses (id, kind, userId, name, street, postal, city, country, createdAt, updatedAt)
       SELECT ${after.addresses} + 1 + k * 2 + b, iif(b, 'delivery', 'billing'), ${after.users} + 1 + k,
         iif(b, 'User ' || k, NULL), 'Street ' || (k % 200), printf('%05d', k % 99999), 'Berlin', 'DE',
         ${timeAt('k')}, ${timeAt('k')} FROM (${rows}), (SELECT 0 AS b UNION ALL SELECT 1)`,
    ]),
    ...chunks(size.nfts, (rows) => [
      `INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, contractAddr, contractName,
         contractNetwork, payload, price, priceEths, priceCurrency, title, creatorId, tokenId, status,
         releaseAt, createdAt, updatedAt, changedAt)
       SELECT ${after.nfts} + 1 + k, 'nft-' || (${after.nfts} + 1 + k), amount, amount - ${soldCount}, printf('0x9%039d', creator),
         ${CONTRACT}, 'Synthetic', 'localhost',
         json_object('amountType', amountType, 'title', 'NFT ' || k), ${price}, ${eth}, 'EUR', 'NFT ' || k,
         creator, ${after.nfts} + k, 'released', ${timeAt('k')}, ${timeAt('k')}, ${timeAt('k')}, ${timeAt('k')}
       FROM (SELECT k, ${sellerOf('k')} AS creator,
         ${AMOUNT_TYPE} AS amountType, iif(k % 3 = 0, 1, ${LIMITED_AMOUNT}) AS amount FROM (${rows}))`,
      `INSERT INTO words (kind, word, subjectId)
       SELECT 'nft', iif(w, k, 'nft'), ${after.nfts} + 1 + k FROM (${rows}), (SELECT 0 AS w UNION ALL SELECT 1)`,
      `INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type, priceCurrency, sellerId,
         nftId, createdAt, updatedAt)
       SELECT ${after.listings} + 1 + k, 'listing-' || (${after.listings} + 1 + k), ${price}, ${eth}, ${wei}, 1, 'regular', 'EUR',
         ${sellerOf('k')}, ${after.nfts} + 1 + k,
         ${timeAt('k')}, ${timeAt('k')} FROM (${rows})`,
    ]),
    ...chunks(size.orders, (rows) => [
      `INSERT INTO orders (id, buyerId, billingAddressId, providerId, payprovWebhookToken,
         claimSecret, totalPriceCents, totalPriceCurrency, totalPriceEth, createdAt, namespace)
       SELECT ${after.orders} + 1 + i, ${after.users} + 1 + ${buyerOf('i')},
         ${after.addresses} + 1 + ${buyerOf('i')} * 2, 'synthetic-' || (${after.orders} + 1 + i),
         printf('00000000-0000-4000-8000-%012x', ${after.orders} + 1 + i),
         printf('%032x', ${after.orders} + 1 + i), ${price}, 'EUR', ${eth},
         ${timeAt('i')}, 'master:synthetic'
       FROM (SELECT k AS i, ${nftOf('k')} AS k FROM (${rows}))`,
      `INSERT INTO orderItems (id, orderId, nftId, listingId, sellerId, quantity, priceCents, priceEths,
         ethRecipient, priceCurrency)
       SELECT ${after.orderItems} + 1 + i, ${after.orders} + 1 + i, ${after.nfts} + 1 + k,
         ${after.listings} + 1 + k, ${sellerOf('k')}, 1, ${price}, ${eth},
         printf('0x9%039d', ${after.users} + 1 + ${buyerOf('i')}), 'EUR'
       FROM (SELECT k AS i, ${nftOf('k')} AS k FROM (${rows}))`,
    ]),
    ...chunks(Math.ceil(size.orders / ITEMS_PER_TRANSACTION), (rows) => [
      `INSERT INTO transactions (id, chainId, contract, signer, nonce, items, hash, replaced, gas,
         maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, block, blockHash,
         isOpen, createdAt, updatedAt)
       SELECT ${after.transactions} + 1 + k, ${CHAIN_ID}, ${CONTRACT}, ${CONTRACT},
         ${after.transactions} + k, (SELECT json_group_array(id) FROM orderItems
           WHERE id > ${firstItem} AND id < ${firstItem} + ${ITEMS_PER_TRANSACTION}),
         printf('0x%064x', ${after.transactions} + 1 + k), '[]', '3000000', '1000000000', '1000000000',
         unixepoch(${timeAt('k')}) + 3600, 0, ${timeAt('k')}, 0, printf('0x%064x', 0), 0,
         ${timeAt('k')}, ${timeAt('k')}
       FROM (${rows})`,
    ]),
    ...chunks(size.orders, (rows) => [
      `INSERT INTO deliveries (id, key, chainId, contract, state, transactionId, reasonCode,
         placer, createdAt, updatedAt)
       SELECT ${after.orderItems} + 1 + k, printf('0x%064x', ${after.orderItems} + 1 + k), ${CHAIN_ID},
         iif(${isFailed('k')}, NULL, ${CONTRACT}), iif(${isFailed('k')}, 'failed', 'transferred'),
         iif(${isFailed('k')}, NULL, ${after.transactions} + 1 + k / ${ITEMS_PER_TRANSACTION}),
         iif(${isFailed('k')}, '${reasonCode}', NULL),
         'master:synthetic', ${timeAt('k')}, ${timeAt('k')} FROM (${rows})`,
    ]),
  ]
}

/** Returns the statements of `build` for each chunk of k = 0 … count − 1. */
function chunks(count: number, build: (rows: string) => string[]): string[] {
  const statements: string[] = []
  for (let from = 0; from < count; from += CHUNK_SIZE) {
    const to = Math.min(count, from + CHUNK_SIZE) - 1
    statements.push(
      ...build(
        `WITH RECURSIVE n(k) AS (SELECT ${from} UNION ALL SELECT k + 1 FROM n WHERE k < ${to}) SELECT k FROM n`,
      ),
    )
  }
  return statements
}
