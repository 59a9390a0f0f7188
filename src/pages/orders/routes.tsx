/** The pages with what the signed-in user has bought, sold and got. */
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { idText } from '../../http/inputs.ts'
import { readHistory, readHistoryEntry } from '../../orders/history.ts'
import { page } from '../page.tsx'
import { isOnItsWay } from './progress.tsx'
import { Collection, OrderPage, Orders } from './views.tsx'

/** Seconds between two loads without scripts, while something is on its way. */
const REFRESH = 10

const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const OrdersQuery = z.object({
  /** What the user has sold. */
  side: z.literal('sold').optional().catch(undefined),
  /** Where the page begins: the cursor of a link. */
  before: digits.optional().catch(undefined),
  notice: z.literal('wallet-linked').optional().catch(undefined),
  /** Transfers that linking has started. */
  transfers: digits.optional().catch(undefined),
})

export const orderPageRoutes = new Endpoints()
  .get(
    '/orders',
    { access: 'session', reads: 'nearest', input: { query: OrdersQuery } },
    async (c, { query }) => {
      const { side = 'bought', before, notice, transfers } = query
      const { account, ...history } = await readHistory(c.var, { side, before: before ?? null })
      return page(c, {
        title: 'Orders',
        account,
        scripts: ['orders.js'],
        refresh: history.entries.some(isOnItsWay) ? REFRESH : undefined,
        children: (
          <Orders
            {...history}
            side={side}
            isFirstPage={before === undefined}
            transfers={notice && (transfers ?? 0)}
          />
        ),
      })
    },
  )
  .get(
    '/collection',
    { access: 'session', reads: 'nearest', input: { query: OrdersQuery } },
    async (c, { query: { before = null } }) => {
      const { account, ...list } = await readHistory(c.var, { side: 'collected', before })
      const children = <Collection {...list} isFirstPage={before === null} />
      return page(c, { title: 'Collection', account, children })
    },
  )
  .get(
    '/orders/:id',
    { access: 'session', reads: 'nearest', input: { param: z.object({ id: idText }) } },
    async (c, { param }) => {
      const { account, entry, billing } = await readHistoryEntry(c.var, param.id)
      return page(c, {
        title: 'Order',
        account,
        scripts: ['orders.js', 'wallet-action.js'],
        refresh: isOnItsWay(entry) ? REFRESH : undefined,
        children: (
          <OrderPage
            entry={entry}
            billing={billing}
            side={entry.order.buyerId === account.id ? 'bought' : 'sold'}
          />
        ),
      })
    },
  )
