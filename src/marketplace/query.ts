/** What the public NFTs and listings are asked for, and what their lists have in common. */

import { type SQL, sql } from 'drizzle-orm'
import { base64url } from 'jose'
import * as z from 'zod'
import { candidateColumns } from '../db/candidates.ts'
import { amountTypes, nfts } from '../db/schema/catalogue.ts'
import { isUnlimitedSql } from '../db/stock.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { flagText, idText, inputText, instant, limitText, without } from '../http/inputs.ts'
import { catalogueLimits } from '../limits.ts'

/**
 * The last candidate of a page. `key`: what the list is sorted by before `id` and `target`. `list`: the
 * name of the list, because the candidates of another one are in another order.
 */
const Position = z.object({ key: z.string(), id: z.int(), target: z.int(), list: z.string() })
export type Position = z.infer<typeof Position>

export const toCursor = (
  { key, id, target }: Pick<Position, 'key' | 'id'> & { target: number | null },
  list: string,
) => base64url.encode(JSON.stringify({ key, id, target: target ?? 0, list }))

const notCursor = 'must be the `nextCursor` of an earlier page'
const Cursor = inputText(2000)
  .regex(/^eyJrZXki[\w-]+$/, { error: notCursor, abort: true })
  .transform((text, context) => {
    try {
      return Position.parse(JSON.parse(new TextDecoder().decode(base64url.decode(text))))
    } catch {
      context.addIssue(notCursor)
      return z.NEVER
    }
  })

export const PublicQuery = z.object({
  limit: limitText(20).describe('Elements per page.'),
  cursor: Cursor.optional().describe('The `nextCursor` of the previous page.'),
  sellerId: idText.optional().describe('Selects what this user sells.'),
  creatorId: idText.optional().describe('Selects what this user has created.'),
  active: flagText
    .optional()
    .describe('Selects by whether a listing is active, has not ended, and is no auction.'),
  amountType: z
    .enum(amountTypes)
    .optional()
    .describe('Selects by whether the number of pieces is limited.'),
  updatedSince: instant
    .optional()
    .describe('Selects by `updatedAt`: this time or later, the oldest first.'),
  q: inputText(1000)
    .check(without(/\p{Cc}/u))
    .regex(/^.{1,255}$/su, 'must be 1 to 255 characters')
    .meta({ pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]{1,255}$' })
    .optional()
    .describe('Selects by the beginning of the title, without the case of ASCII letters.'),
})
export type PublicQuery = z.infer<typeof PublicQuery>

/** The id, or the external id as a text. */
const Reference = z.string().transform((text, context) => {
  const [, number, encoded] = /^\s*(?:([1-9]\d{0,14})\s*|externalId:(.+))$/s.exec(text) ?? []
  try {
    if (number) return Number(number)
    if (encoded) return decodeURIComponent(encoded)
  } catch {}
  context.addIssue('must be a number, or `externalId:` and an id')
  return z.NEVER
})
export type Reference = z.infer<typeof Reference>

export const References = z.object({
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(Reference).max(catalogueLimits.named.max))
    .meta({
      description:
        'Each is a number, or `externalId:` and the id that the operator gave it. In that id, ' +
        'percent-encode `%` and `,` twice. What is given twice counts once.',
      param: { style: 'simple', explode: false },
    }),
})

export type ListCtx = Pick<Ctx, 'db' | 'now'> & {
  settings: Pick<Settings, 'PUBLIC_URL' | 'COVERS_URL' | 'NETWORKS'>
}

/** What a list is asked for. A filter that is not used is absent. */
export type Given = Partial<Position> &
  Omit<PublicQuery, 'limit' | 'cursor' | 'updatedSince'> & {
    /** The largest number of candidates to return. */
    limit: number
    /** JSON: numbers, and external ids as texts. */
    references?: string
    /** Whether the call names what it wants: then it may be unlisted. */
    isNamed?: boolean
    /** Whether the list is of changes: then it tells what was withdrawn. */
    isOfChanges?: boolean
    /** Whether to leave out what is sold out. */
    inStock?: boolean | undefined
    username?: string | undefined
    /** The words of the title, as `searchedWords` returns them. */
    words?: string | undefined
    nftId?: number
  }

export type Values = ReturnType<typeof valuesOf>

/** Returns the values of a statement. That of a filter that is not used is null. */
export function valuesOf({ now, settings }: ListCtx, given: Given) {
  const { isNamed = false, isOfChanges = false, inStock = false, active, q } = given
  const chainIds = Object.entries(settings.NETWORKS).map(([name, { chainId }]) => [name, chainId])
  return {
    limit: given.limit,
    now: now.toISOString(),
    /** JSON: the chain ids of the configured networks, by name. */
    chainIds: JSON.stringify(Object.fromEntries(chainIds)),
    references: given.references ?? '[]',
    key: given.key ?? '',
    id: given.id ?? 0,
    target: given.target ?? 0,
    isNamed: Number(isNamed),
    isOfChanges: Number(isOfChanges),
    amountType: given.amountType ?? null,
    inStock: inStock ? 1 : null,
    /** Whether orders are taken. */
    active: active === undefined ? null : Number(active),
    creatorId: given.creatorId ?? null,
    username: given.username ?? null,
    sellerId: given.sellerId ?? null,
    nftId: given.nftId ?? null,
    words: given.words ?? null,
    q: q ?? null,
    titleEnd: q === undefined ? null : `${q}\u{10FFFF}`,
  }
}

/** In the spelling of the indexes `nfts_released` and `nfts_creator`. */
export const isReleasedSql = sql`${nfts.status} = 'released' AND ${nfts.deletedAt} IS NULL`

/** Whether everybody who names an NFT may see it. */
export const isPublicSql = (now: string): SQL =>
  sql`${nfts.status} IN ('released', 'unlisted') AND ${nfts.deletedAt} IS NULL AND ${nfts.releaseAt} <= ${now}`

/** Whether an NFT that lists have shown is a draft now, or its release was postponed. */
const isWithdrawnSql = (now: string): SQL =>
  sql`(${nfts.status} IN ('draft', 'withdrawn') OR ${nfts.releaseAt} > ${now})
    AND ${nfts.wasReleased} AND ${nfts.deletedAt} IS NULL`

/** Whether the metadata of an NFT has an image. */
export const hasImageSql = sql`json_type(${nfts.payload}, '$.metadata.image') IS 'text'`

/** The id of the user who has the user name. The first condition is that of the index. */
export const idOfUsername = (username: string | null): SQL =>
  sql`(SELECT id FROM users WHERE username IS NOT NULL AND lower(username) = lower(${username}))`

/** Titles are compared, and sorted, without the case of ASCII letters. */
export const title = sql`${nfts.title} COLLATE NOCASE`

/** In the spelling of the index `nfts_price`. Prices in different currencies are not compared. */
export const priceKey = sql`${nfts.priceCurrency} || printf('%016d', ${nfts.price})`

/** Whether an NFT is as the filters say. */
export const matchesNftSql = (values: Values): SQL => sql`(
    ${isPublicSql(values.now)} AND (${values.isNamed} OR ${isReleasedSql}
      OR ${values.isOfChanges} AND ${nfts.wasReleased})
    OR ${isWithdrawnSql(values.now)} AND ${values.isOfChanges} AND ${values.active} IS NOT 1)
  AND (${values.amountType} IS NULL OR ${nfts.amountType} = ${values.amountType})
  AND (${values.inStock} IS NULL OR ${isUnlimitedSql('nfts')} OR ${nfts.availableAmount} > 0)
  AND (${values.creatorId} IS NULL OR ${nfts.creatorId} = ${values.creatorId})
  AND (${values.q} IS NULL OR ${title} BETWEEN ${values.q} AND ${values.titleEnd})`

/**
 * The columns of a candidate, which stands for the NFT or the listing with the id `shown`. The list is
 * sorted by `key`, `id` and `target`.
 */
export const positionColumns = (isMatch: SQL) =>
  candidateColumns(
    {
      key: sql<string>`candidates.key`.as('key'),
      id: sql<number>`candidates.id`.as('id'),
      target: sql<number | null>`candidates.target`.as('target'),
      shown: sql<number | null>`candidates.shown`.as('shown'),
    },
    isMatch,
  )
