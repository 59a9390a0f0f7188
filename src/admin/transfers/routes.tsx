/** The pages for operators. Only administrators see them. */
import type { Context } from 'hono'
import * as z from 'zod'
import { deliveryStates } from '../../db/schema/delivery.ts'
import { changeTransfer, changeTransfers } from '../../delivery/admin/actions.ts'
import { ReasonCode, TransferId } from '../../delivery/admin/schema.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText, inputText, tokenNameText } from '../../http/inputs.ts'
import { AlarmKey, acknowledgeAlarm } from '../../monitoring/acknowledge.ts'
import { checkbox } from '../../pages/components/form.ts'
import { page } from '../../pages/page.tsx'
import { readNftDetails, readOrderDetails, readUserDetails } from '../details/read.ts'
import { NftPage, OrderPage, UserPage } from '../details/views.tsx'
import { listPath, liveScripts } from '../layout.tsx'
import { readOverview } from '../overview/read.ts'
import { OverviewPage } from '../overview/views.tsx'
import { onlyItemIn, search } from '../search/search.ts'
import { Results } from '../search/views.tsx'
import { readTransferHistory } from './history.ts'
import { readTransferList, toFilter, toFindable } from './list.ts'
import { TransfersPage } from './list-page.tsx'
import { TransferPage } from './transfer-page.tsx'

const text = inputText(255).trim().min(1)

const OverviewQuery = z.object({ range: z.enum(['hours', 'days']).catch('hours') })

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

const styles = ['operations.css']

/** Seconds between two loads of the overview without scripts. */
const REFRESH = 30

/** Routes of the pages for operators. */
export const operationRoutes = new Endpoints()
  .get(
    '/operations',
    { access: 'administrator', reads: 'nearest', input: { query: OverviewQuery } },
    async (c, { query: { range } }) => {
      const { account, ...overview } = await readOverview(c.var)
      return page(c, {
        title: 'Operations',
        account,
        styles,
        scripts: [...liveScripts, 'plots.js'],
        refresh: REFRESH,
        children: <OverviewPage {...overview} range={range} />,
      })
    },
  )
  .get(
    '/operations/transfers',
    { access: 'administrator', reads: 'nearest', input: { query: ListQuery } },
    async (c, { query: { cursor, done, ids, changed, ...given } }) => {
      const filter = toFindable(given)
      const { account, ...list } = await readTransferList(c.var, {
        query: filter,
        cursor,
        done: { action: done, ids: ids.split(',').map(Number) },
      })
      const isFirstPage = cursor === undefined
      return page(c, {
        title: 'Transfers',
        account,
        styles,
        scripts: [...liveScripts, 'select.js'],
        children: <TransfersPage {...list} query={filter} {...{ done, changed, isFirstPage }} />,
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
  .post(
    '/operations/alarms/:key/acknowledge',
    {
      access: 'administrator',
      reads: 'primary',
      input: { param: AlarmKey, form: z.object({ version: idText }) },
    },
    async (c, { param, form }) => {
      await acknowledgeAlarm(c.var, { ...param, ...form })
      return c.redirect('/operations', 303)
    },
  )
  .get(
    '/operations/orders/:id',
    { access: 'administrator', reads: 'nearest', input: { param: z.object({ id: idText }) } },
    async (c, { param }) => {
      const found = await readOrderDetails(c.var, param)
      const { id, account } = found
      return page(c, { title: `Order ${id}`, account, styles, children: <OrderPage {...found} /> })
    },
  )
  .get(
    '/operations/users/:id',
    { access: 'administrator', reads: 'nearest', input: { param: z.object({ id: idText }) } },
    async (c, { param }) => {
      const found = await readUserDetails(c.var, param)
      const { id, account } = found
      return page(c, { title: `User ${id}`, account, styles, children: <UserPage {...found} /> })
    },
  )
  .get(
    '/operations/nfts/:id',
    { access: 'administrator', reads: 'nearest', input: { param: z.object({ id: idText }) } },
    async (c, { param }) => {
      const found = await readNftDetails(c.var, param)
      const { id, account } = found
      return page(c, { title: `NFT ${id}`, account, styles, children: <NftPage {...found} /> })
    },
  )
  .get(
    '/operations/search',
    { access: 'administrator', reads: 'nearest', input: { query: z.object({ q: text }) } },
    async (c, { query: { q } }) => {
      const found = await search(c.var, { text: q })
      const only = onlyItemIn(found)
      if (only) return c.redirect(`/operations/transfers/${only.id}`, 303)
      const { account, ...results } = found
      return page(c, {
        title: 'Search',
        account,
        styles,
        children: <Results {...results} q={q} />,
      })
    },
  )
  .get(
    '/operations/transfers/:id',
    {
      access: 'administrator',
      reads: 'nearest',
      input: {
        param: TransferId,
        query: z.object({ done: z.enum(actions).optional().catch(undefined) }),
      },
    },
    async (c, { param: { id }, query }) => {
      const { account, ...history } = await readTransferHistory(c.var, { id })
      return page(c, {
        title: `Transfer ${id}`,
        account,
        styles,
        scripts: liveScripts,
        children: <TransferPage {...history} id={id} done={query.done} />,
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
