/** Conflicts of staged lines with each other and with what is stored. */

import { type SQL, sql } from 'drizzle-orm'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { isGuest } from '../db/schema/users.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { Problem } from './line.ts'
import { matchedUsers as users, value, withLines } from './sql.ts'

/** Problems of one kind that are reported. */
const MAX_PROBLEMS = 10_000

const messages = {
  duplicate_id: 'an earlier line has this id',
  user_not_found: 'there is no such user: add a record of it',
  nft_not_found: 'there is no such NFT: add a record of it',
  network_not_found: 'is not configured: add it to NETWORKS, or set status to "draft"',
  identity_taken: 'belongs to another user: use the id of that one',
  username_taken: 'belongs to another user',
  token_taken: 'another NFT is this token: use its id',
  cannot_change: 'cannot change',
  amount_too_small: 'more pieces are sold or reserved',
} as const satisfies Partial<Record<ErrorCode, string>>

type Code = keyof typeof messages

export const problemCodes = Object.keys(messages) as Code[]

/** Selects a problem for each line of `from` that meets the condition. */
const lines = (code: Code, field: string, from: string, condition: string) =>
  `SELECT r.line, '${field}' AS path, '${code}' AS code FROM ${from} WHERE ${condition}`

/** All but the first of the lines that have the same `key`. */
const repeated = (code: Code, field: string, key: string, condition: string, from = 'r') =>
  lines(
    code,
    field,
    `(SELECT r.line, row_number() OVER (PARTITION BY ${key} ORDER BY r.line) AS place FROM ${from}
      WHERE ${condition}) r`,
    'place > 1',
  )

const isUser = `r.type = 'user' AND r.record IS NOT NULL`
/** Users who have signed in keep their names and identities, whatever a record says. */
const isUsed = `${isUser} AND p.lastAccessAt IS NULL`

const nfts = 'r LEFT JOIN nfts n ON n.externalId = r.externalId'
const isNft = `r.type = 'nft' AND r.record IS NOT NULL`
const token = ['contract', 'tokenId', 'network'].map(value).join()

const listings = `r LEFT JOIN listings l ON l.externalId = r.externalId
  LEFT JOIN nfts n ON n.id = l.nftId LEFT JOIN users s ON s.id = l.sellerId`
const isListing = `r.type = 'listing' AND r.record IS NOT NULL`

/** `stored`: the user whom the record names already. */
const noUser = (from: string, type: string, field: string, stored: string) =>
  lines(
    'user_not_found',
    field,
    from,
    `${type} AND NOT EXISTS (SELECT 1 FROM r x WHERE x.type = 'user' AND x.externalId = ${value(field)})
      AND NOT EXISTS (SELECT 1 FROM users
        WHERE externalId = ${value(field)} AND (removedAt IS NULL OR id = ${stored}))`,
  )
const changed = (from: string, condition: string, fields: Record<string, string>) =>
  Object.entries(fields).map(([field, column]) =>
    lines('cannot_change', field, from, `${condition} AND ${column} IS NOT ${value(field)}`),
  )

/** The pieces that an import may not take from the stock: those that live reservations hold. */
const held = `iif(${value('amount')} < n.amount AND n.amountType IS NOT 'unlimited',
  coalesce((SELECT sum(quantity) FROM heldPieces WHERE nftId = n.id AND expiresAt > r.now), 0), 0)`

const checks = [
  repeated('duplicate_id', 'id', 'r.type, r.externalId', 'r.externalId IS NOT NULL'),

  repeated('identity_taken', 'email', value('email'), `${isUser} AND ${value('email')} <> ''`),
  repeated(
    'identity_taken',
    'ethereumPublicAddr',
    `${value('ethereumPublicAddr')}, ${value('walletChainId')}`,
    `${isUser} AND ${value('ethereumPublicAddr')} <> ''`,
  ),
  repeated(
    'username_taken',
    'username',
    `lower${value('username')}`,
    `${isUser} AND ${value('username')} <> ''`,
  ),
  repeated('identity_taken', 'id', 'p.id', `${isUser} AND p.id IS NOT NULL`, users),
  ...Object.entries({ email: 'm', ethereumPublicAddr: 'w' }).map(([field, owner]) =>
    lines(
      'identity_taken',
      field,
      users,
      `${isUser} AND u.lastAccessAt IS NULL AND ${owner}.id IS NOT NULL
          AND (${owner}.id <> p.id OR u.id IS NULL AND (p.externalId <> '' OR p.removedAt <> ''))`,
    ),
  ),
  lines(
    'username_taken',
    'username',
    users,
    `${isUsed} AND EXISTS (SELECT 1 FROM users WHERE username IS NOT NULL
        AND lower(username) = lower${value('username')} AND id IS NOT p.id)`,
  ),
  // A record need not have all identities of a user. `link` adds those that a guest does not have.
  ...Object.entries({
    email: 'p.email',
    ethereumPublicAddr: 'p.ethereumPublicAddr',
    walletChainId: `iif(p.ethereumPublicAddr = ${value('ethereumPublicAddr')}, p.walletChainId, NULL)`,
  }).map(([field, column]) =>
    lines(
      'cannot_change',
      field,
      users,
      `${isUsed} AND ${column} <> ${value(field)} AND NOT (${column} = '' AND ${isGuest('p')})`,
    ),
  ),
  lines(
    'cannot_change',
    'id',
    users,
    `${isUser} AND u.id > 0
      AND (u.removedAt IS NOT NULL) <> ${value('removed')}`,
  ),

  noUser(nfts, isNft, 'creator', 'n.creatorId'),
  // A record that is stored already keeps a network that was removed from the configuration.
  lines(
    'network_not_found',
    'network',
    nfts,
    `${isNft} AND r.derived <> '' AND ${value('status')} = 'released' AND n.status IS NOT 'released'`,
  ),
  repeated('token_taken', 'tokenId', token, `${isNft} AND ${value('tokenId')} <> ''`),
  lines(
    'token_taken',
    'tokenId',
    nfts,
    `${isNft} AND n.id IS NULL AND EXISTS (SELECT 1 FROM nfts
        WHERE (contractAddr, tokenId, contractNetwork) = (${token}))`,
  ),
  ...changed(nfts, `${isNft} AND n.id IS NOT NULL`, {
    network: 'n.contractNetwork',
    contract: 'n.contractAddr',
    tokenId: 'n.tokenId',
    amountType: 'n.amountType',
  }),
  lines('cannot_change', 'id', nfts, `${isNft} AND n.deletedAt IS NOT NULL`),
  lines(
    'amount_too_small',
    'amount',
    nfts,
    `${isNft} AND n.availableAmount - n.amount + ${value('amount')} < ${held}`,
  ),

  lines(
    'nft_not_found',
    'nft',
    'r',
    `${isListing} AND NOT EXISTS (SELECT 1 FROM r x WHERE x.type = 'nft' AND x.externalId = ${value('nft')})
        AND NOT EXISTS (SELECT 1 FROM nfts WHERE externalId = ${value('nft')} AND deletedAt IS NULL)`,
  ),
  noUser(listings, isListing, 'seller', 'l.sellerId'),
  ...changed(listings, `${isListing} AND l.id IS NOT NULL`, {
    nft: 'n.externalId',
    seller: 's.externalId',
  }),
]

type Staged = { importId: string; now: Date }

/** Whether a staged line has a problem, as SQL. */
export const hasProblems = ({ importId, now }: Staged): SQL =>
  sql`(${withLines(importId, now.toISOString())} SELECT ${sql.raw(checks.map((check) => `EXISTS (${check})`).join(' OR '))})`

/** Returns the problems of the staged lines, by line. */
export async function findProblems({ db, importId, now }: Staged & { db: Database }) {
  const [first, ...others] = checks.map((check) =>
    raw<Omit<Problem, 'message'> & { code: Code }>(
      db,
      sql`${withLines(importId, now.toISOString())} ${sql.raw(check)} ORDER BY r.line LIMIT ${MAX_PROBLEMS}`,
    ),
  )
  if (!first) return []
  const rows = (await db.batch([first, ...others])).flat()
  return rows
    .sort((a, b) => a.line - b.line)
    .map((row) => ({ ...row, message: messages[row.code] }))
}
