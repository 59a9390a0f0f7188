/** Reads pages of the public lists, and what a call names. */
import { batch } from '../db/batch.ts'
import { cutPage } from '../db/candidates.ts'
import { type Issue, requireNone } from '../http/errors.ts'
import { selectListings, toListings } from './listings.ts'
import { selectNfts, toNfts } from './nfts.ts'
import { type Given, type ListCtx, type PublicQuery, type Reference, toCursor } from './query.ts'

/** What the public API lists, and the error for one that does not exist. */
const notFound = { listings: 'listing_not_found', nfts: 'nft_not_found' } as const
type Resource = keyof typeof notFound

/** Returns the list whose index is likely to leave the fewest candidates. */
function chooseList({ updatedSince, q, sellerId, creatorId }: PublicQuery) {
  if (updatedSince !== undefined) return 'changed'
  if (q !== undefined) return 'title'
  if (sellerId !== undefined) return 'seller'
  return creatorId === undefined ? 'all' : 'creator'
}

type ListName = ReturnType<typeof chooseList> | 'named'

/** A candidate, and what it stands for, if that matches. */
type Found = Pick<ReturnType<typeof toNfts>[number], 'candidate'> & { element?: unknown }

async function find(
  ctx: ListCtx,
  resource: Resource,
  name: ListName,
  given: Given,
): Promise<Found[]> {
  const { db, settings } = ctx
  if (resource === 'nfts') return toNfts(settings, await batch(db, selectNfts(ctx, name, given)))
  const { listings } = await batch(db, { listings: selectListings(ctx, name, given) })
  return toListings(settings, listings)
}

/**
 * Returns a page, and where the next one begins; null on the last page. A page may have fewer
 * elements than `limit`, or none, before the last one.
 */
export async function readPage(ctx: ListCtx, resource: Resource, query: PublicQuery) {
  const { limit, cursor, updatedSince, ...filters } = query
  const key = updatedSince ?? query.q ?? ''
  const isOfChanges = updatedSince !== undefined
  const given = { ...filters, isOfChanges, key, ...cursor, limit: limit + 1 }
  const { page, last } = cutPage(await find(ctx, resource, chooseList(query), given), limit)
  return {
    [resource]: page.map(({ element }) => element),
    nextCursor: last ? toCursor(last) : null,
  }
}

/**
 * Returns what is named, in the given order, each once. Throws an error with an issue for each that
 * does not exist or may not be seen.
 */
export async function readNamed(ctx: ListCtx, resource: Resource, named: readonly Reference[]) {
  const given = { references: JSON.stringify(named), isNamed: true, limit: named.length }
  const rows = await find(ctx, resource, 'named', given)
  const found = new Set(rows.map(({ candidate }) => candidate.id))
  const issues = named.flatMap((reference, i): Issue[] => {
    const name = typeof reference === 'number' ? reference : `externalId:${reference}`
    const message = `${name} does not exist`
    return found.has(i) ? [] : [{ path: `ids[${i}]`, code: notFound[resource], message }]
  })
  requireNone(issues)
  const distinct = new Map(rows.map(({ candidate, element }) => [candidate.shown, element]))
  return { [resource]: [...distinct.values()] }
}
