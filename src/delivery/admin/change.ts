/** What operators do to deliveries. Each change and its record in the audit log are one trip. */

import { writeAs } from '../../auth/access.ts'
import { recordAction, recordItems } from '../../auth/audit.ts'
import type { Database, Statement } from '../../db/client.ts'
import type { Guard } from '../../db/guard.ts'
import type { Network } from '../../env.ts'
import type { Caller } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { type WakeUp, wake } from '../wake.ts'
import {
  cancel,
  type Filter,
  idsToCancel,
  idsToRetry,
  isMissing,
  type Objection,
  objectionsToCancel,
  objectionsToRetry,
  retryStatements,
  type View,
  viewOf,
} from './operator.ts'

/** Who acts, and on what. */
export type Operator = {
  db: Database
  queue: Queue<WakeUp>
  caller: Caller
  networks: Record<string, Network>
  now: Date
  /** Conditions beside a live token that stop the caller. */
  guards?: readonly Guard[]
}

/** Throws `unauthenticated`, `not_found`, and `conflict` if the item cannot be retried. */
export function retryTransfer(operator: Operator, id: number): Promise<View> {
  const { db, caller, networks, now } = operator
  const [retry, ...others] = retryStatements(db, { id }, networks, now)
  const record = recordAction({ db, caller, now }, { action: 'transfer.retry', subject: id })
  return change(operator, id, objectionsToRetry(id, networks), [retry, record, ...others])
}

/** Throws `unauthenticated`, `not_found`, and `conflict` if the item cannot be cancelled. */
export function cancelTransfer(operator: Operator, id: number): Promise<View> {
  const { db, caller, networks, now } = operator
  const record = recordAction({ db, caller, now }, { action: 'transfer.cancel', subject: id })
  const statements = [cancel(db, { id }, networks, now), record]
  return change(operator, id, objectionsToCancel(id, networks), statements)
}

/** Retries the first items that match. Returns how many. Throws `unauthenticated`. */
export async function retryTransfers(operator: Operator, filter: Filter): Promise<number> {
  const { db, caller, networks, now, guards = [] } = operator
  const action = { action: 'transfer.retry', details: filter }
  const [, changed] = await writeAs(db, caller, guards, [
    recordItems({ db, caller, now }, { ...action, ids: idsToRetry(filter, networks, now) }),
    ...retryStatements(db, filter, networks, now),
  ])
  await wakeChanged(operator, changed)
  return changed.length
}

/** Cancels the first items that match. Returns how many. Throws `unauthenticated`. */
export async function cancelTransfers(operator: Operator, filter: Filter): Promise<number> {
  const { db, caller, networks, now, guards = [] } = operator
  const action = { action: 'transfer.cancel', details: filter }
  const [, changed] = await writeAs(db, caller, guards, [
    recordItems({ db, caller, now }, { ...action, ids: idsToCancel(filter, networks) }),
    cancel(db, filter, networks, now),
  ])
  await wakeChanged(operator, changed)
  return changed.length
}

const wakeChanged = ({ queue }: Operator, rows: readonly { chainId: number | null }[]) =>
  wake(
    queue,
    rows.flatMap(({ chainId }) => chainId ?? []),
  )

/** Checks, changes and reads one item. */
async function change(
  operator: Operator,
  id: number,
  objections: readonly Objection[],
  statements: readonly Statement[],
): Promise<View> {
  const { db, caller, guards = [] } = operator
  const unknown = () => new ApiError('not_found', 'there is no transfer with this id')
  const conflict = ({ when, reason }: Objection): Guard => ({
    when,
    error: () => new ApiError('conflict', reason),
  })
  const allGuards = [
    ...guards,
    { when: isMissing(id), error: unknown },
    ...objections.map(conflict),
  ]
  const results = await writeAs(db, caller, allGuards, [...statements, viewOf(db, id)] as const)
  const view = results.at(-1)?.[0]
  if (!view) throw unknown()
  await wakeChanged(operator, [view])
  return view
}
