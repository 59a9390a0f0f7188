import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { limitText } from '../http/ids.ts'
import { cachedAnswer, MAX_AGE } from './cached.ts'
import { Creators, readCreators } from './creators.ts'
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
      summary: 'Count the NFTs',
      answer: z.object({ stats: Stats }).meta({ id: 'StatsAnswer', description: 'The numbers.' }),
    }),
    async (c) => c.json({ stats: await cachedAnswer(c, 'stats', () => readStats(c.var)) }),
  )
  .get(
    '/api/public/creators',
    publicEndpoint({
      ...shared,
      operationId: 'listCreators',
      summary: 'List recent creators',
      answer: Creators,
    }),
    validate('query', z.object({ limit: limitText(20).describe('Number of creators.') })),
    async (c) => {
      const input = c.req.valid('query')
      const read = () => readCreators(c.var, input)
      return c.json(await cachedAnswer(c, `creators ${input.limit}`, read))
    },
  )
