/** Settings → Selling: what a user sells, and whether it may be delivered. */
import * as z from 'zod'
import { fulfilments } from '../../db/schema/catalogue.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { cursorText, inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { readSelling, retrySold } from '../../orders/selling.ts'
import { page } from '../page.tsx'
import { SellingSettings } from './views.tsx'

const PATH = '/settings/selling'

const Query = z.object({ before: cursorText.optional().catch(undefined) })
const text = inputText(100)
const Sold = z.object({ network: text, contract: text, fulfilment: z.enum(fulfilments) })

export const sellingRoutes = new Endpoints()
  .get(
    PATH,
    { access: 'session', reads: 'nearest', checks: [signInRateLimit], input: { query: Query } },
    async (c, { query: { before = null } }) => {
      const { account, ...selling } = await readSelling(c.var, { before })
      const children = <SellingSettings {...selling} isFirstPage={before === null} />
      const scripts = ['wallet-action.js', 'copy.js']
      return page(c, { title: 'Selling', section: 'selling', account, scripts, children })
    },
  )
  .post(
    `${PATH}/retry`,
    { access: 'session', reads: 'primary', checks: [signInRateLimit], input: { form: Sold } },
    async (c, { form }) => {
      const ctx = { ...c.var, queue: c.env.DELIVERIES }
      const isRetried = await retrySold(ctx, form)
      return c.redirect(isRetried ? `${PATH}?notice=sold-retried` : PATH, 303)
    },
  )
