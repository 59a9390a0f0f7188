/** Calls of the public lists. */
import type { z } from 'zod'
import type { PublicListing, PublicNft } from '../../src/marketplace/schema.ts'
import { answerOf, call } from '../support/api.ts'

export type Element = { id: number; updatedAt: string }
export type Answer = {
  listings?: z.infer<typeof PublicListing>[]
  nfts?: z.infer<typeof PublicNft>[]
  nextCursor?: string | null
  code?: string
  issues?: { path: string; code: string; message: string }[]
}
export type Resource = 'listings' | 'nfts'

export type Filter = Record<string, string | number | boolean | undefined>

/** Asks for `path` below the resource: a query, or ids. */
export async function get(resource: Resource, path: string) {
  const response = await call('GET', `/api/public/${resource}${path}`)
  return { response, ...(await answerOf<Answer>(response)) }
}

export const queryOf = (filter: Filter): string => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return `?${new URLSearchParams(given.map(([name, value]) => [name, `${value}`]))}`
}

/** Lists until the last page, and returns the pages. */
export async function pagesOf(resource: Resource, filter: Filter): Promise<Element[][]> {
  const pages: Element[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await get(resource, queryOf({ ...filter, cursor }))
    const page = answer[resource]
    if (!page) throw new Error(JSON.stringify(answer))
    pages.push(page)
    cursor = answer.nextCursor ?? null
  }
  return pages
}

/** The listing or the NFT with this id; undefined if it is not shown. */
export const listing = async ({ id }: { id: number }) =>
  (await get('listings', `/${id}`)).listings?.[0]
export const nft = async ({ id }: { id: number }) => (await get('nfts', `/${id}`)).nfts?.[0]
