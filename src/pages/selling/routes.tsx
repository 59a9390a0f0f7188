/** Settings → Selling: what a user sells, and whether it may be delivered. */
import { Hono } from 'hono'
import * as z from 'zod'
import { fulfilments } from '../../db/schema/catalogue.ts'
import type { App } from '../../http/context.ts'
import { requireSession, validate } from '../../http/endpoint.ts'
import { cursorText } from '../../http/ids.ts'
import { inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { readSelling, retrySold } from '../../orders/selling.ts'
import { page } from '../page.tsx'
import { SellingSettings } from './views.tsx'

const SellingQuery = z.object({ before: cursorText.optional().catch(undefined) })

const Sold = z.object({
  network: inputText(100),
  contract: inputText(100),
  fulfilment: z.enum(fulfilments),
})

export const sellingRoutes = new Hono<App>()
  .get(
    '/settings/selling',
    requireSession(),
    signInRateLimit,
    validate('query', SellingQuery),
    async (c) => {
      const { before = null } = c.req.valid('query')
      const { account, ...selling } = await readSelling(c.var, { before })
      return page(c, {
        title: 'Selling',
        account,
        scripts: ['wallet-action.js', 'copy.js'],
        children: <SellingSettings {...selling} isFirstPage={before === null} />,
      })
    },
  )
  .post(
    '/settings/selling/retry',
    requireSession(),
    signInRateLimit,
    validate('form', Sold),
    async (c) => {
      const isRetried = await retrySold({ ...c.var, queue: c.env.DELIVERIES }, c.req.valid('form'))
      return c.redirect(`/settings/selling${isRetried ? '?notice=sold-retried' : ''}`, 303)
    },
  )
