/** The pages with what the signed-in user has bought, sold and got. */
import * as z from 'zod'
import { openCodes } from '../../content/cipher.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText } from '../../http/inputs.ts'
import { log } from '../../log.ts'
import { orderNumber } from '../../orders/number.ts'
import { readHistory, readHistoryEntry } from '../../orders/reading/history.ts'
import type { Texts } from '../../texts/en.ts'
import { page, shown } from '../page.tsx'
import { isOnItsWay } from './progress.tsx'
import { Collection, OrderList, OrderPage } from './views.tsx'

/** Seconds between two loads without scripts, while something is on its way. */
const REFRESH = 10

const OrdersQuery = z.object({
  /** What the user has sold. */
  side: z.literal('sold').optional().catch(undefined),
  /** Where the page begins: the cursor of a link. */
  before: cursorText.optional().catch(undefined),
  notice: z.literal('wallet-linked').optional().catch(undefined),
  /** Transfers that linking has started. */
  transfers: idText.catch(0),
})

const OrderId = z.object({ id: idText })

const ofList = shown.session({ query: OrdersQuery })
const ofOrder = shown.session({ param: OrderId })

export const orderPageRoutes = new Endpoints({ isTranslated: true })
  .get('/orders', ofList, async (c, { query }) => {
    const { side = 'bought', before = null, notice, transfers } = query
    const { account, ...history } = await readHistory(c.var, { side, before })
    const view = <OrderList {...history} side={side} transfers={notice && transfers} />
    const refresh = history.entries.some(isOnItsWay) ? REFRESH : undefined
    const title = ({ orders }: Texts) => orders.title
    return page(c, { title, account, scripts: ['orders.js'], refresh }, view)
  })
  .get('/collection', ofList, async (c, { query: { before = null } }) => {
    const { account, ...list } = await readHistory(c.var, { side: 'collected', before })
    const view = <Collection {...list} />
    return page(c, { title: ({ collection }) => collection.title, account }, view)
  })
  .get('/orders/:id', ofOrder, async (c, { param }) => {
    const { account, sealedCodes, ...found } = await readHistoryEntry(c.var, param.id)
    const { entry } = found
    const side = entry.order.buyerId === account.id ? 'bought' : 'sold'
    const codes = await openCodes(c.var.settings, entry.orderItem.nftId, sealedCodes).catch(
      (error) => {
        // A key is missing. The rest of the order is shown.
        log.error('codes_unreadable', { orderId: entry.order.id, error })
        return []
      },
    )
    const view = <OrderPage {...found} codes={codes} side={side} />
    const scripts = ['orders.js', 'wallet-action.js', 'copy.js']
    const refresh = isOnItsWay(entry) ? REFRESH : undefined
    const title = ({ orders }: Texts) => orders.order(orderNumber(entry.order)).join('')
    return page(c, { title, account, scripts, refresh }, view)
  })
