/** Reads pages of the public lists, and what a call names. */
import { batch } from '../db/batch.ts'
import { type Issue, requireNone } from '../http/errors.ts'
import { catalogueLimits } from '../http/limits.ts'
import type { Given, ListCtx } from './candidates.ts'
import { prepareListings } from './listings.ts'
import { prepareNfts } from './nfts.ts'
import { type Position, type PublicQuery, type Reference, toCursor } from './query.ts'

type ListName = ReturnType<typeof chooseList> | 'named'

/** What the public API lists, and the error for one that does not exist. */
const resources = {
  listings: {
    notFound: 'listing_not_found',
    find: async (ctx: ListCtx, name: ListName, given: Given) => {
      const { statement, finish } = prepareListings(ctx, name, given)
      const { listings } = await batch(ctx.db, { listings: statement })
      return finish(listings)
    },
  },
  nfts: {
    notFound: 'nft_not_found',
    find: async (ctx: ListCtx, name: ListName, given: Given) => {
      const { statements, finish } = prepareNfts(ctx, name, given)
      const candidates = finish(await batch(ctx.db, statements))
      return candidates.map(({ element, ...one }) => ({ ...one, element: element?.nft }))
    },
  },
} as const
type Resource = keyof typeof resources

/** Returns the list whose index is likely to leave the fewest candidates. */
function chooseList({ updatedSince, q, sellerId, creatorId }: PublicQuery) {
  if (updatedSince !== undefined) return 'changed'
  if (q !== undefined) return 'title'
  if (sellerId !== undefined) return 'seller'
  return creatorId === undefined ? 'all' : 'creator'
}

/** `element`: what the candidate stands for; undefined if that does not match. */
type Candidate<Element> = Omit<Position, 'target'> & {
  target: number | null
  number: number
  element: Element | undefined
}

/** Returns the elements of a page, and where the next one begins; null on the last page. */
export function toPage<Element>(candidates: readonly Candidate<Element>[], limit: number) {
  const matches = candidates.filter(({ element }) => element !== undefined)
  const page = matches.slice(0, limit)
  const isFull = matches.length > limit
  const last = isFull
    ? page.at(-1)
    : candidates.find(({ number }) => number === catalogueLimits.candidates.max)
  return {
    elements: page.flatMap(({ element }) => element ?? []),
    nextCursor: last ? toCursor({ key: last.key, id: last.id, target: last.target ?? 0 }) : null,
  }
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
  const candidates = await resources[resource].find(ctx, chooseList(query), given)
  const { elements, nextCursor } = toPage<unknown>(candidates, limit)
  return { [resource]: elements, nextCursor }
}

/**
 * Returns what is named, in the given order, each once. Throws an error with an issue for each that
 * does not exist or may not be seen.
 */
export async function readNamed(ctx: ListCtx, resource: Resource, named: readonly Reference[]) {
  const { notFound, find } = resources[resource]
  const given = { references: JSON.stringify(named), isNamed: true, limit: named.length }
  const candidates = await find(ctx, 'named', given)
  const found = new Set(candidates.map(({ id }) => id))
  const issues = named.flatMap((reference, i): Issue[] => {
    const name = typeof reference === 'number' ? reference : `externalId:${reference}`
    const message = `${name} does not exist`
    return found.has(i) ? [] : [{ path: `ids[${i}]`, code: notFound, message }]
  })
  requireNone(issues)
  const distinct = new Map<number | null, unknown>()
  for (const { shown, element } of candidates) distinct.set(shown, element)
  return { [resource]: [...distinct.values()] }
}
