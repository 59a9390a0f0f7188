/** The pages of transfers: the list, one transfer, and what operators do to them. */
import type { Context } from 'hono'
import * as z from 'zod'
import { deliveryStates } from '../../db/schema/delivery.ts'
import { changeTransfer, changeTransfers } from '../../delivery/admin/actions.ts'
import { ReasonCode, TransferId } from '../../delivery/admin/schema.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText, inputText, tokenNameText } from '../../http/inputs.ts'
import { checkbox } from '../../pages/components/form.ts'
import { adminPage, listPath, liveScripts } from '../layout.tsx'
import { readTransferHistory } from './history.ts'
import { readTransferList, toFilter, toFindable } from './list.ts'
import { TransfersPage } from './list-page.tsx'
import { TransferPage } from './transfer-page.tsx'

const actions = ['retry', 'cancel', 'write_off'] as const
const listAction = z.enum([...actions, 'retry-all'])

const listFilter = {
  state: z.enum(deliveryStates).optional(),
  code: ReasonCode.optional(),
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

export const transferRoutes = new Endpoints()
  .get(
    '/operations/transfers',
    { access: 'administrator', reads: 'nearest', input: { query: ListQuery } },
    async (c, { query: { cursor, done, ids, changed, ...given } }) => {
      const query = toFindable(given)
      const { account, ...list } = await readTransferList(c.var, {
        query,
        cursor,
        done: { action: done, ids: ids.split(',').map(Number) },
      })
      const props = { ...list, query, done, changed, isFirstPage: cursor === undefined }
      return adminPage(c, {
        title: 'Transfers',
        account,
        scripts: [...liveScripts, 'select.js'],
        children: <TransfersPage {...props} />,
      })
    },
  )
  .post(
    '/operations/transfers',
    { access: 'administrator', reads: 'primary', input: { form: ListForm } },
    async (c, { form: { action, id, returnPieces, ...query } }) => {
      const ids = [id].flat()
      const change =
        action === 'retry-all'
          ? { ...toFilter(query), action: 'retry' as const }
          : { ids, ...(action === 'write_off' ? { action, returnPieces } : { action }) }
      const changed = await changeTransfers(withQueue(c), change)
      return c.redirect(listPath({ ...query, done: action, ids: ids.join(), changed }), 303)
    },
  )
  .get(
    '/operations/transfers/:id',
    {
      access: 'administrator',
      reads: 'nearest',
      input: { param: TransferId, query: DoneQuery },
    },
    async (c, { param, query: { done } }) => {
      const { account, ...history } = await readTransferHistory(c.var, param)
      return adminPage(c, {
        title: `Transfer ${param.id}`,
        account,
        scripts: liveScripts,
        children: <TransferPage {...history} done={done} />,
      })
    },
  )
  .post(
    '/operations/transfers/:id/retry',
    { access: 'administrator', reads: 'primary', input: { param: TransferId } },
    async (c, { param: { id } }) => {
      await changeTransfer(withQueue(c), { id, action: 'retry' })
      return c.redirect(`/operations/transfers/${id}?done=retry`, 303)
    },
  )
  .post(
    '/operations/transfers/:id/cancel',
    { access: 'administrator', reads: 'primary', input: { param: TransferId } },
    async (c, { param: { id } }) => {
      await changeTransfer(withQueue(c), { id, action: 'cancel' })
      return c.redirect(`/operations/transfers/${id}?done=cancel`, 303)
    },
  )
  .post(
    '/operations/transfers/:id/write-off',
    {
      access: 'administrator',
      reads: 'primary',
      input: { param: TransferId, form: z.object({ returnPieces: checkbox }) },
    },
    async (c, { param: { id }, form: { returnPieces } }) => {
      await changeTransfer(withQueue(c), { id, action: 'write_off', returnPieces })
      return c.redirect(`/operations/transfers/${id}?done=write_off`, 303)
    },
  )

const withQueue = (c: Context<AppWithCaller>) => ({ ...c.var, queue: c.env.DELIVERIES })
