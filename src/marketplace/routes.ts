import { Hono } from 'hono'
import * as z from 'zod'
import { allowCaching } from '../http/cache-control.ts'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { limitText } from '../http/inputs.ts'
import { readCreators } from './creators.ts'
import { readNamed, readPage } from './page.ts'
import { PublicQuery, References } from './query.ts'
import { readStats } from './stats.ts'

/** Seconds for which caches may keep a response. */
export const MAX_AGE = 60

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
  ['listings', 'Listings'],
  ['nfts', 'Nfts'],
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
