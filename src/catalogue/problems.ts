/** Conflicts of staged lines with each other and with what is stored. */
import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { isGuestText } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { LineProblem } from './line.ts'
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
const isNft = `r.type = 'nft' AND r.record IS NOT NULL`
const isListing = `r.type = 'listing' AND r.record IS NOT NULL`

/** Problems of users, NFTs and listings that meet a condition. */
const user = (code: Code, field: string, condition: string) =>
  lines(code, field, users, `${isUser} AND ${condition}`)
const nft = (code: Code, field: string, condition: string) =>
  lines(code, field, nfts, `${isNft} AND ${condition}`)
const listing = (code: Code, field: string, condition: string) =>
  lines(code, field, listings, `${isListing} AND ${condition}`)

const nfts = 'r LEFT JOIN nfts n ON n.externalId = r.externalId'
const listings = `r LEFT JOIN listings l ON l.externalId = r.externalId
  LEFT JOIN nfts n ON n.id = l.nftId LEFT JOIN users s ON s.id = l.sellerId`

/** Users who have signed in keep their names and identities, whatever a record says. */
const isUnused = 'p.lastAccessAt IS NULL'
const token = ['contract', 'tokenId', 'network'].map(value).join()
const isOtherToken = `(n.id IS NULL OR n.contractAddr IS NOT ${value('contract')}
  OR n.tokenId IS NOT ${value('tokenId')} OR n.contractNetwork IS NOT ${value('network')})`

/** Whether nobody has seen or bought anything of the NFT `n`: then all of its record may change. */
const isUnseen = `(n.status = 'draft' AND NOT n.wasReleased AND n.amount = n.availableAmount
  AND (n.amountType IS NOT 'unlimited' OR NOT EXISTS (SELECT 1 FROM listings WHERE nftId = n.id)))`

/** `stored`: the user whom the record names already. */
const noUser = (field: string, stored: string) =>
  `NOT EXISTS (SELECT 1 FROM r x WHERE x.type = 'user' AND x.externalId = ${value(field)})
    AND NOT EXISTS (SELECT 1 FROM users
      WHERE externalId = ${value(field)} AND (removedAt IS NULL OR id = ${stored}))`

/** The pieces that live reservations hold. */
const reserved =
  'coalesce((SELECT sum(quantity) FROM heldPieces WHERE nftId = n.id AND expiresAt > r.now), 0)'

/** The pieces that an import may not take from the stock. */
const held = `iif(${value('amount')} < n.amount AND n.amountType IS NOT 'unlimited', ${reserved}, 0)`

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
    user(
      'identity_taken',
      field,
      `u.lastAccessAt IS NULL AND ${owner}.id IS NOT NULL
        AND (${owner}.id <> p.id OR u.id IS NULL AND (p.externalId <> '' OR p.removedAt <> ''))`,
    ),
  ),
  user(
    'username_taken',
    'username',
    `${isUnused} AND EXISTS (SELECT 1 FROM users WHERE username IS NOT NULL
      AND lower(username) = lower${value('username')} AND id IS NOT p.id)`,
  ),
  // A record need not have all identities of a user. `link` adds those that a guest does not have.
  ...Object.entries({
    email: 'p.email',
    ethereumPublicAddr: 'p.ethereumPublicAddr',
    walletChainId: `iif(p.ethereumPublicAddr = ${value('ethereumPublicAddr')}, p.walletChainId, NULL)`,
  }).map(([field, column]) =>
    user(
      'cannot_change',
      field,
      `${isUnused} AND ${column} <> ${value(field)} AND NOT (${column} = '' AND ${isGuestText('p')})`,
    ),
  ),
  user('cannot_change', 'id', `u.id > 0 AND (u.removedAt IS NOT NULL) <> ${value('removed')}`),

  nft('user_not_found', 'creator', noUser('creator', 'n.creatorId')),
  // A record that is stored already keeps a network that was removed from the configuration.
  nft(
    'network_not_found',
    'network',
    `r.derived <> '' AND ${value('status')} = 'released' AND n.status IS NOT 'released'`,
  ),
  repeated(
    'token_taken',
    'tokenId',
    `${token}, iif(${value('heldBySeller')}, ${value('creator')}, '')`,
    `${isNft} AND ${value('tokenId')} <> '' AND ${value('status')} <> 'withdrawn'`,
  ),
  // Several people may hold pieces of one token, and each lists them as another NFT.
  nft(
    'token_taken',
    'tokenId',
    `${isOtherToken} AND EXISTS (SELECT 1 FROM nfts x JOIN users c ON c.id = x.creatorId
      WHERE (x.contractAddr, x.tokenId, x.contractNetwork) = (${token}) AND x.id IS NOT n.id
        AND x.status <> 'withdrawn' AND x.heldBySeller = ${value('heldBySeller')}
        AND (NOT x.heldBySeller OR c.externalId = ${value('creator')}))`,
  ),
  ...Object.entries({
    network: 'n.contractNetwork',
    contract: 'n.contractAddr',
    tokenId: 'n.tokenId',
    amountType: 'n.amountType',
    heldBySeller: 'n.heldBySeller',
  }).map(([field, column]) =>
    nft(
      'cannot_change',
      field,
      `n.id IS NOT NULL AND ${column} IS NOT ${value(field)} AND NOT ${isUnseen}`,
    ),
  ),
  nft('cannot_change', 'id', 'n.deletedAt IS NOT NULL'),
  // Pieces that were sold without a code, or with one.
  nft(
    'cannot_change',
    'content.codes',
    `n.hasCodes IS NOT coalesce(${value('content.codes')}, 0)
      AND (n.amount > n.availableAmount OR ${reserved} > 0)`,
  ),
  nft('amount_too_small', 'amount', `n.availableAmount - n.amount + ${value('amount')} < ${held}`),

  listing(
    'nft_not_found',
    'nft',
    `NOT EXISTS (SELECT 1 FROM r x WHERE x.type = 'nft' AND x.externalId = ${value('nft')})
      AND NOT EXISTS (SELECT 1 FROM nfts WHERE externalId = ${value('nft')} AND deletedAt IS NULL)`,
  ),
  listing('user_not_found', 'seller', noUser('seller', 'l.sellerId')),
  ...Object.entries({ nft: 'n.externalId', seller: 's.externalId' }).map(([field, column]) =>
    listing('cannot_change', field, `l.id IS NOT NULL AND ${column} IS NOT ${value(field)}`),
  ),
]

type Staged = { importId: string; now: Date }

/** Whether a staged line has a problem. */
export const hasProblemsSql = ({ importId, now }: Staged): SQL =>
  sql`(${withLines(importId, now.toISOString())} SELECT ${sql.raw(checks.map((check) => `EXISTS (${check})`).join(' OR '))})`

/** Returns the problems of the staged lines, by line. */
export async function findLineProblems({ db, importId, now }: Staged & { db: Database }) {
  const problems = checks.map(
    (check) =>
      raw<Omit<LineProblem, 'message'> & { code: Code }>(db)`
      ${withLines(importId, now.toISOString())} ${sql.raw(check)} ORDER BY r.line LIMIT ${MAX_PROBLEMS}`,
  )
  const { rows } = await batch(db, { rows: problems })
  return rows
    .sort((a, b) => a.line - b.line)
    .map((row) => ({ ...row, message: messages[row.code] }))
}
