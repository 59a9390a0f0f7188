/** Reads pages of the public lists, and what a call names. */
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { type Issue, requireNone } from '../http/errors.ts'
import { type Driver, WINDOW } from './candidates.ts'
import { lists, type Row, toElement } from './for-sale.ts'
import { type PublicQuery, type Reference, toCursor } from './query.ts'

export type ListCtx = Pick<Ctx, 'db' | 'now'> & {
  settings: Pick<Settings, 'PUBLIC_URL' | 'COVERS_URL' | 'NETWORKS'>
}

/** Returns the input of a statement. */
export const inputOf = ({ now, settings }: ListCtx, given: object = {}): string => {
  const chainIds = Object.entries(settings.NETWORKS).map(([name, { chainId }]) => [name, chainId])
  return JSON.stringify({
    ...given,
    chainIds: Object.fromEntries(chainIds),
    now: now.toISOString(),
  })
}

/** The index that is likely to leave the fewest candidates. */
function chooseDriver({ updatedSince, q, sellerId, creatorId }: PublicQuery): Driver {
  if (updatedSince !== undefined) return 'changed'
  if (q !== undefined) return 'title'
  if (sellerId !== undefined) return 'seller'
  return creatorId === undefined ? 'all' : 'creator'
}

type ListInput = Pick<PublicQuery, 'limit' | 'cursor' | 'q'> & Record<string, unknown>

/** The statement of a page. `start`: where the first one begins. */
export function selectPage(
  ctx: ListCtx,
  select: (typeof lists)['nfts']['statements'][Driver],
  start: { key: string; id: number },
  { limit, cursor, ...filters }: ListInput,
) {
  const titleEnd = filters.q === undefined ? undefined : `${filters.q}\u{10FFFF}`
  const input = inputOf(ctx, { ...filters, ...start, target: 0, ...cursor, titleEnd })
  return select(ctx.db, { input, references: '[]', count: limit + 1 })
}

/** Returns the elements of a page, and where the next one begins; null on the last page. */
export function toPage(rows: Row[], limit: number) {
  const matches = rows.filter(({ isMatch }) => isMatch)
  const page = matches.slice(0, limit)
  const last = matches.length > limit ? page.at(-1) : rows.find(({ number }) => number === WINDOW)
  const nextCursor = last && toCursor({ key: last.key, id: last.id, target: last.target ?? 0 })
  return { page, nextCursor: nextCursor ?? null }
}

/**
 * Returns a page, and where the next one begins; null on the last page. A page may have fewer
 * elements than `limit`, or none, before the last one.
 */
export async function readPage(ctx: ListCtx, list: keyof typeof lists, query: PublicQuery) {
  const select = lists[list].statements[chooseDriver(query)]
  const start = { key: query.updatedSince ?? query.q ?? '', id: 0 }
  const [rows] = await ctx.db.batch([selectPage(ctx, select, start, query)])
  const { page, nextCursor } = toPage(rows, query.limit)
  return { [list]: page.map((row) => toElement(ctx.settings, row)), nextCursor }
}

/**
 * Returns what is named, in the given order, each once. Throws an error with an issue for each that
 * does not exist or may not be seen.
 */
export async function readNamed(
  ctx: ListCtx,
  list: keyof typeof lists,
  named: readonly Reference[],
) {
  const { statements, notFound } = lists[list]
  const values = { input: inputOf(ctx), references: JSON.stringify(named), count: named.length }
  const [rows] = await ctx.db.batch([statements.named(ctx.db, values)])
  const found = new Set(rows.map(({ id }) => id))
  const issues = named.flatMap((reference, i): Issue[] => {
    const name = typeof reference === 'number' ? reference : `externalId:${reference}`
    const message = `${name} does not exist`
    return found.has(i) ? [] : [{ path: `ids[${i}]`, code: notFound, message }]
  })
  requireNone(issues)
  const distinct = new Map(rows.map((row) => [row.target, row]))
  return { [list]: [...distinct.values()].map((row) => toElement(ctx.settings, row)) }
}
