import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { cached, MAX_AGE } from './cached.ts'
import { CreatorsAnswer, readCreators } from './creators.ts'
import { readStats, Stats } from './stats.ts'

const tag = 'Marketplace'
const description = `The response may be up to ${MAX_AGE} seconds old.`

const Limit = z.object({
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a number from 1 to 100')
    .transform(Number)
    .default(20)
    .describe('Number of creators, 1 to 100.'),
})

export const marketplaceRoutes = new Hono<App>()
  .get(
    '/api/public/stats',
    publicEndpoint({
      tag,
      summary: 'Count the NFTs',
      description,
      answer: () => z.object({ stats: Stats().describe('Statistics of the marketplace.') }),
    }),
    async (c) => {
      const stats = await cached(c, 'stats', () => readStats(c.var.db))
      return c.json({ stats })
    },
  )
  .get(
    '/api/public/creators',
    publicEndpoint({ tag, summary: 'List recent creators', description, answer: CreatorsAnswer }),
    validate('query', Limit),
    async (c) => {
      const { db, settings } = c.var
      const { limit } = c.req.valid('query')
      return c.json(
        await cached(c, `creators ${limit}`, () => readCreators(db, settings.PUBLIC_URL, limit)),
      )
    },
  )
