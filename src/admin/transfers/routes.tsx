/** The pages of transfers: the list, one transfer, and what operators do to them. */
import type { Context } from 'hono'
import * as z from 'zod'
import { deliveryStates } from '../../db/schema/delivery.ts'
import { type Action, changeTransfer, changeTransfers } from '../../delivery/actions/actions.ts'
import { ReasonCodeField, TransferId } from '../../delivery/actions/schema.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText, inputText, tokenNameText } from '../../http/inputs.ts'
import { idAfterNumber, orderNumber } from '../../orders/number.ts'
import { checkbox } from '../../pages/components/forms.tsx'
import { sent, shown } from '../../pages/page.tsx'
import { adminPage, listPath, liveScripts, REFRESH } from '../components/layout.tsx'
import { readTransferHistory } from './history.ts'
import { readTransferList, toFilter, toFindable } from './list.ts'
import { TransfersPage } from './list-page.tsx'
import { TransferPage } from './transfer-page.tsx'

const actions = ['retry', 'cancel', 'write_off'] as const satisfies Action['action'][]
const listAction = z.enum([...actions, 'retry-all'])

const listFilter = {
  state: z.enum(deliveryStates).optional(),
  code: ReasonCodeField.optional(),
  source: tokenNameText.optional(),
  chain: idText.optional(),
}

/** A filter that is empty or not known selects all. */
const ListQuery = z.object({
  state: listFilter.state.catch(undefined),
  code: listFilter.code.catch(undefined),
  source: listFilter.source.catch(undefined),
  chain: listFilter.chain.catch(undefined),
  cursor: cursorText.optional().catch(undefined),
  /** What was done before, to these transfers, or to how many of all that match. */
  done: listAction.optional().catch(undefined),
  ids: inputText(2000).catch(''),
  changed: idText.catch(0),
})

/** More than what is selected changes only with a filter that the page offers that for. */
const ListForm = z
  .object({
    ...listFilter,
    action: listAction,
    id: z.union([idText, z.array(idText).max(100)]).default([]),
    returnPieces: checkbox,
  })
  .refine(({ action, state = '' }) => action !== 'retry-all' || /^(failed|queued)$/.test(state), {
    error: 'must be failed or queued',
    path: ['state'],
  })

const DoneQuery = z.object({ done: z.enum(actions).optional().catch(undefined) })

const ofOne = sent.administrator({ param: TransferId })
const listPage = shown.administrator({ query: ListQuery })
const transferPage = shown.administrator({ param: TransferId, query: DoneQuery })
const WriteOffForm = z.object({ returnPieces: checkbox })

export const transferRoutes = new Endpoints()
  .get('/operations/transfers', listPage, async (c, { query: asked }) => {
    const { cursor, done, ids, changed, ...given } = asked
    const query = toFindable(given)
    const before = { action: done, ids: ids.split(',').map(Number) }
    const { account, ...list } = await readTransferList(c.var, { query, cursor, done: before })
    const props = { ...list, query, done, changed }
    const scripts = [...liveScripts, 'select.js']
    return adminPage(c, { title: 'Transfers', account, scripts }, <TransfersPage {...props} />)
  })
  .post('/operations/transfers', sent.administrator({ form: ListForm }), async (c, { form }) => {
    const { action, id, returnPieces, ...query } = form
    const ids = [id].flat()
    const change =
      action === 'retry-all'
        ? { ...toFilter(query), action: 'retry' as const }
        : { ids, ...(action === 'write_off' ? { action, returnPieces } : { action }) }
    const changed = await changeTransfers(withQueue(c), change)
    return c.redirect(listPath({ ...query, done: action, ids: ids.join(), changed }), 303)
  })
  .get('/operations/transfers/:id', transferPage, async (c, { param, query: { done } }) => {
    const { account, ...history } = await readTransferHistory(c.var, param)
    const { orderId, providerId } = history.transfer
    const order = { id: orderId, providerId }
    const title = `Transfer ${param.id}, order ${orderNumber(order)}${idAfterNumber(order)}`
    const view = <TransferPage {...history} done={done} />
    const refresh = done && REFRESH
    return adminPage(c, { title, account, scripts: liveScripts, refresh }, view)
  })
  .post('/operations/transfers/:id/retry', ofOne, (c, { param }) =>
    changeOne(c, { ...param, action: 'retry' }),
  )
  .post('/operations/transfers/:id/cancel', ofOne, (c, { param }) =>
    changeOne(c, { ...param, action: 'cancel' }),
  )
  .post(
    '/operations/transfers/:id/write-off',
    sent.administrator({ param: TransferId, form: WriteOffForm }),
    (c, { param, form }) => changeOne(c, { ...param, action: 'write_off', ...form }),
  )

async function changeOne(c: Context<AppWithCaller>, change: Action & { id: number }) {
  await changeTransfer(withQueue(c), change)
  return c.redirect(`/operations/transfers/${change.id}?done=${change.action}`, 303)
}

const withQueue = (c: Context<AppWithCaller>) => ({ ...c.var, queue: c.env.DELIVERIES })
