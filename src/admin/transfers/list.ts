/** Lists of transfers, as pages for operators show them. */
import { type SQL, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import { type Action, findObstacles, type Obstacle } from '../../delivery/actions/actions.ts'
import { type Filter, isOnPageSql, matches } from '../../delivery/actions/transfers.ts'
import type { Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { MAX_COUNT } from '../../monitoring/state-rows.ts'
import { type ListedTransfer, selectTransfers } from '../components/transfers.tsx'

/** Transfers on a page of the list. */
const PAGE_SIZE = 50

export type TransferReadCtx = Pick<Ctx, 'db' | 'caller'> & { settings: Pick<Settings, 'NETWORKS'> }

/** SQL of the first obstacle that is there; null if there is none. */
export const firstReason = (obstacles: readonly Obstacle[]): SQL =>
  sql`CASE ${sql.join(
    obstacles.map(({ when, reason }) => sql`WHEN ${when} THEN ${reason}`),
    sql` `,
  )} END`

/** How a transfer is after an action. `obstacle`: why the action is not possible; null if it is. */
export type ActionOutcome = Pick<
  ListedTransfer,
  'id' | 'status' | 'requestedAction' | 'reasonCode' | 'reasonDetail'
> & { obstacle: string | null }

/** Selects transfers as they are now, with what stops an action on them. */
const selectOutcomes = (db: Database, obstacles: readonly Obstacle[], ids: readonly number[]) =>
  raw<ActionOutcome>(db)`SELECT id, state AS status, requestedAction, reasonCode, reasonDetail,
      ${firstReason(obstacles)} AS obstacle
    FROM deliveries x WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`

/** The filter as URLs have it. `chain` is the id of a chain. */
export type ListQuery = Pick<Filter, 'code' | 'source'> & {
  state?: Filter['status']
  chain?: number | undefined
}

export const toFilter = ({ state, code, source, chain }: ListQuery): Filter => ({
  status: state,
  code,
  source,
  chainId: chain,
})

/** Whether a state or a reason leaves few transfers, which indexes find. */
const isFew = ({ code, state }: ListQuery) =>
  code !== undefined || (state !== undefined && state !== 'transferred')

/** Leaves out the chain where no index would find it, so that all transfers would be read. */
export const toFindable = ({ chain, ...query }: ListQuery): ListQuery =>
  isFew(query) ? { ...query, chain } : query

type Input = {
  query: ListQuery
  cursor: number | undefined
  /** What was done before, and to which transfers. */
  done: { action: Action['action'] | 'retry-all' | undefined; ids: readonly number[] }
}

/**
 * Returns the administrator, a page of transfers by id, and how those are that were changed before.
 * `total` is counted up to `MAX_COUNT`; undefined among transfers in any state, which may be many.
 */
export async function readTransferList(ctx: TransferReadCtx, { query, cursor, done }: Input) {
  const { db, settings } = ctx
  const filter = toFilter(query)
  const action = done.action === 'retry-all' ? undefined : done.action
  const obstacles = findObstacles(settings.NETWORKS, sql`x.id`)[action ?? 'retry']
  const matching = sql`SELECT 1 FROM deliveries d WHERE ${matches(filter)} LIMIT ${MAX_COUNT}`
  const { account, rows, counts, outcomes } = await readAsUser(ctx, {
    rows: selectTransfers(db, isOnPageSql({ ...filter, cursor, limit: PAGE_SIZE + 1 })),
    counts: isFew(query)
      ? raw<{ total: number }>(db)`SELECT count(*) AS total FROM (${matching})`
      : undefined,
    outcomes: selectOutcomes(db, obstacles, done.ids),
  })
  const transfers = rows.slice(0, PAGE_SIZE)
  const next = rows.length > PAGE_SIZE ? transfers.at(-1)?.id : undefined
  return { account, transfers, next, total: counts[0]?.total, outcomes }
}
