import * as z from 'zod'
import { allowCaching } from '../http/cache-control.ts'
import { Endpoints } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { limitText } from '../http/inputs.ts'
import { readCreators } from './creators.ts'
import { readNamed, readPage } from './page.ts'
import { PublicQuery, References } from './query.ts'
import { readStats } from './stats.ts'

/** Seconds for which caches may keep a response. */
export const MAX_AGE = 60

export const marketplaceRoutes = new Endpoints()
  .get('/api/public/stats', { id: 'getStats', access: 'public', reads: 'nearest' }, async (c) => {
    const stats = await readStats(c.var)
    allowCaching(c, MAX_AGE)
    return c.json({ stats })
  })
  .get(
    '/api/public/creators',
    {
      id: 'listCreators',
      access: 'public',
      reads: 'nearest',
      input: { query: z.object({ limit: limitText(20).describe(docs('Number of creators.')) }) },
    },
    async (c, { query }) => {
      const creators = await readCreators(c.var, query)
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
      { id: `list${id}`, access: 'public', reads: 'nearest', input: { query: PublicQuery } },
      async (c, { query }) => {
        const page = await readPage(c.var, list, query)
        allowCaching(c, MAX_AGE)
        return c.json(page)
      },
    )
    .get(
      `/api/public/${list}/:ids`,
      { id: `get${id}`, access: 'public', reads: 'nearest', input: { param: References } },
      async (c, { param }) => {
        const found = await readNamed(c.var, list, param.ids)
        allowCaching(c, MAX_AGE)
        return c.json(found)
      },
    )
