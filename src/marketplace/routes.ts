import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { docs, orNull, text } from '../http/fields.ts'
import { limitText } from '../http/ids.ts'
import { allowCaching, cachedAnswer, MAX_AGE } from './cached.ts'
import { Creators, readCreators } from './creators.ts'
import { lists } from './for-sale.ts'
import { readNamed, readPage } from './page.ts'
import { PublicQuery, References } from './query.ts'
import { readStats, Stats } from './stats.ts'

/** What the OpenAPI document says about every endpoint here. */
const shared = {
  tag: 'Marketplace',
  description: `The response may be up to ${MAX_AGE} seconds old.`,
  headers: {
    'Cache-Control': 'For how long caches may keep the response.',
    Age: 'Seconds since the response was made. Absent if it is new.',
  },
}

export const marketplaceRoutes = new Hono<App>()
  .get(
    '/api/public/stats',
    publicEndpoint({
      ...shared,
      operationId: 'getStats',
      summary: docs('Count the NFTs'),
      answer: z.object({ stats: Stats }).meta({ id: 'StatsAnswer', description: 'The numbers.' }),
    }),
    async (c) => c.json({ stats: await cachedAnswer(c, 'stats', () => readStats(c.var)) }),
  )
  .get(
    '/api/public/creators',
    publicEndpoint({
      ...shared,
      operationId: 'listCreators',
      summary: docs('List recent creators'),
      answer: Creators,
    }),
    validate('query', z.object({ limit: limitText(20).describe(docs('Number of creators.')) })),
    async (c) => {
      const input = c.req.valid('query')
      const read = () => readCreators(c.var, input)
      return c.json(await cachedAnswer(c, `creators ${input.limit}`, read))
    },
  )

const released = 'Shows NFTs that are released, and their listings.'
const pages =
  `${released} A page may be shorter than \`limit\` before the last one: go on until ` +
  '`nextCursor` is null. To follow changes, send as `updatedSince` the time of your last call less ' +
  '5 minutes. Single sales, reservations and the end of a listing do not change `updatedAt`; what ' +
  'is withdrawn is absent.'

for (const [list, id, name] of [
  ['listings', 'Listings', 'listings'],
  ['nfts', 'Nfts', 'NFTs'],
] as const) {
  const { schema, notFound } = lists[list]
  const elements = z.object({ [list]: z.array(schema).describe(docs('What was found.')) })
  const info = { tag: shared.tag, headers: { 'Cache-Control': shared.headers['Cache-Control'] } }
  marketplaceRoutes
    .get(
      `/api/public/${list}`,
      publicEndpoint({
        ...info,
        operationId: `list${id}`,
        summary: docs(`List ${name}`),
        description: pages,
        answer: elements
          .extend({ nextCursor: orNull(text(docs('The next `cursor`; null on the last page.'))) })
          .meta({ id: `Public${id}Page`, description: docs('A page.') }),
      }),
      validate('query', PublicQuery),
      async (c) => {
        const page = await readPage(c.var, list, c.req.valid('query'))
        allowCaching(c)
        return c.json(page)
      },
    )
    .get(
      `/api/public/${list}/:ids`,
      publicEndpoint({
        ...info,
        operationId: `get${id}`,
        summary: docs(`Get ${name}`),
        description: released,
        answer: elements.meta({
          id: `Public${id}`,
          description: docs('In the order of the path.'),
        }),
        errors: [notFound],
      }),
      validate('param', References),
      async (c) => {
        const found = await readNamed(c.var, list, c.req.valid('param').ids)
        allowCaching(c)
        return c.json(found)
      },
    )
}
