import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { limitText } from '../http/ids.ts'
import { cached, MAX_AGE } from './cached.ts'
import { CreatorsAnswer, readCreators } from './creators.ts'
import { readStats, Stats } from './stats.ts'

const tag = 'Marketplace'
const description = `The response may be up to ${MAX_AGE} seconds old.`
const headers = {
  'Cache-Control': 'For how long caches may keep the response.',
  Age: 'Seconds since the response was made. Absent if it is new.',
}

const Limit = z.object({ limit: limitText(20).describe('Number of creators.') })

export const marketplaceRoutes = new Hono<App>()
  .get(
    '/api/public/stats',
    publicEndpoint({
      tag,
      operationId: 'getStats',
      summary: 'Count the NFTs',
      description,
      answer: () =>
        z.object({ stats: Stats() }).meta({ id: 'StatsAnswer', description: 'The numbers.' }),
      headers,
    }),
    async (c) => {
      const stats = await cached(c, 'stats', () => readStats(c.var.db))
      return c.json({ stats })
    },
  )
  .get(
    '/api/public/creators',
    publicEndpoint({
      tag,
      operationId: 'listCreators',
      summary: 'List recent creators',
      description,
      answer: CreatorsAnswer,
      headers,
    }),
    validate('query', Limit),
    async (c) => {
      const { db, settings } = c.var
      const { limit } = c.req.valid('query')
      return c.json(
        await cached(c, `creators ${limit}`, () => readCreators(db, settings.PUBLIC_URL, limit)),
      )
    },
  )
