import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { App } from '../http/context.ts'
import { publicEndpoint, validate } from '../http/endpoint.ts'
import { limitText } from '../http/ids.ts'
import { cached } from './cached.ts'
import { readCreators } from './creators.ts'
import { readStats } from './stats.ts'

const Limit = z.object({ limit: limitText(20).check(z.describe('Number of creators.')) })

export const marketplaceRoutes = new Hono<App>()
  .get('/api/public/stats', publicEndpoint(), async (c) => {
    const stats = await cached(c, 'stats', () => readStats(c.var.db))
    return c.json({ stats })
  })
  .get('/api/public/creators', publicEndpoint(), validate('query', Limit), async (c) => {
    const { db, settings } = c.var
    const { limit } = c.req.valid('query')
    return c.json(
      await cached(c, `creators ${limit}`, () => readCreators(db, settings.PUBLIC_URL, limit)),
    )
  })
