import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { anyone, valid } from '../http/door.ts'
import { cached } from './cached.ts'
import { RecentCreators, recentCreators } from './creators.ts'
import { readStats, Stats } from './stats.ts'

const tag = 'Marketplace'
const description = 'Up to a minute old.'

const Limit = z.object({
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a number from 1 to 100')
    .transform(Number)
    .default(20)
    .describe('How many creators.'),
})

export const marketplace = new Hono<App>()
  .get(
    '/api/public/stats',
    anyone({
      tag,
      summary: 'Count the NFTs',
      description,
      answer: () => z.object({ stats: Stats() }),
    }),
    async (c) => {
      const stats = await cached(c, '/api/public/stats', () => readStats(c.var.db))
      return c.json({ stats })
    },
  )
  .get(
    '/api/public/creators',
    anyone({ tag, summary: 'List recent creators', description, answer: RecentCreators }),
    valid('query', Limit),
    async (c) => {
      const { db, settings } = c.var
      const { limit } = c.req.valid('query')
      return c.json(
        await cached(c, `/api/public/creators?limit=${limit}`, () =>
          recentCreators(db, settings.PUBLIC_URL, limit),
        ),
      )
    },
  )
