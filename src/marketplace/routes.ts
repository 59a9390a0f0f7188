import { Hono } from 'hono'
import * as z from 'zod'
import { allowCaching } from '../http/cache-control.ts'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { docs, orNull, text } from '../http/fields.ts'
import { limitText } from '../http/ids.ts'
import { describeOperations } from '../http/openapi.ts'
import { Creators, readCreators } from './creators.ts'
import { lists, publicSchemas } from './for-sale.ts'
import { readNamed, readPage } from './page.ts'
import { PublicQuery, References } from './query.ts'
import { readStats, Stats } from './stats.ts'

/** Seconds for which caches may keep a response. */
const MAX_AGE = 60

export const marketplaceRoutes = new Hono<App>()
  .get('/api/public/stats', publicEndpoint('getStats'), async (c) => {
    const stats = await readStats(c.var)
    allowCaching(c, MAX_AGE)
    return c.json({ stats })
  })
  .get(
    '/api/public/creators',
    publicEndpoint('listCreators'),
    validate('query', z.object({ limit: limitText(20).describe(docs('Number of creators.')) })),
    async (c) => {
      const creators = await readCreators(c.var, c.req.valid('query'))
      allowCaching(c, MAX_AGE)
      return c.json(creators)
    },
  )

const names = [
  ['listings', 'Listings', 'listings'],
  ['nfts', 'Nfts', 'NFTs'],
] as const

for (const [list, id] of names)
  marketplaceRoutes
    .get(
      `/api/public/${list}`,
      publicEndpoint(`list${id}`),
      validate('query', PublicQuery),
      async (c) => {
        const page = await readPage(c.var, list, c.req.valid('query'))
        allowCaching(c, MAX_AGE)
        return c.json(page)
      },
    )
    .get(
      `/api/public/${list}/:ids`,
      publicEndpoint(`get${id}`),
      validate('param', References),
      async (c) => {
        const found = await readNamed(c.var, list, c.req.valid('param').ids)
        allowCaching(c, MAX_AGE)
        return c.json(found)
      },
    )

/* @__PURE__ */ describeOperations('Marketplace', () => {
  const shared = {
    description: `The response may be up to ${MAX_AGE} seconds old.`,
    headers: {
      'Cache-Control': 'For how long caches may keep the response.',
      Age: 'Seconds since a cache got the response. Absent if it is new.',
    },
  }
  const released = `Shows NFTs that are released, and their listings. ${shared.description}`
  const pages =
    `${released} A page may be shorter than \`limit\` before the last one: go on until ` +
    '`nextCursor` is null. To follow changes, send as `updatedSince` the time of your last call less ' +
    '5 minutes. Single sales, reservations and the end of a listing do not change `updatedAt`; what ' +
    'is withdrawn is absent.'
  const schemas = publicSchemas()
  const ofLists = names.flatMap(([list, id, name]) => {
    const elements = z.object({ [list]: z.array(schemas[list]).describe('What was found.') })
    const page = elements.extend({
      nextCursor: orNull(text('The next `cursor`; null on the last page.')),
    })
    return [
      [
        `list${id}`,
        {
          ...shared,
          summary: `List ${name}`,
          description: pages,
          answer: page.meta({ id: `Public${id}Page`, description: 'A page.' }),
        },
      ],
      [
        `get${id}`,
        {
          ...shared,
          summary: `Get ${name}`,
          description: released,
          answer: elements.meta({ id: `Public${id}`, description: 'In the order of the path.' }),
          errors: [lists[list].notFound],
        },
      ],
    ]
  })
  return {
    getStats: {
      ...shared,
      summary: 'Count the NFTs',
      answer: z.object({ stats: Stats }).meta({ id: 'StatsAnswer', description: 'The numbers.' }),
    },
    listCreators: { ...shared, summary: 'List recent creators', answer: Creators },
    ...Object.fromEntries(ofLists),
  }
})
