/** The alarms: conditions of the state that somebody has to know of. Pure functions. */

import type { QuotaPeriod } from '../../db/quota.ts'
import type { Settings } from '../../env.ts'
import { type FailureKind, failureKinds, failuresLast } from '../../http/failures.ts'
import { operatorLimits } from '../../limits.ts'
import { strangersLimit } from '../../mail/mail.ts'
import { DAY, MINUTE } from '../../time.ts'
import { TOLD_BEFORE } from '../counting/token-ends.ts'
import { countDeliveries, type State } from '../state.ts'
import { MAX_COUNT } from '../state-rows.ts'
import {
  type Alarm,
  alarm,
  type Criteria,
  counted,
  countedUp,
  isOld,
  LIMITS,
  when,
} from './alarm.ts'
import { chainAlarms } from './chain-alarms.ts'

/** Bytes. D1 refuses to write beyond them. */
const MAX_DATABASE = 10e9
/** Percent of `MAX_DATABASE`, each with an alarm. */
const DATABASE_SHARES = [70, 90]

/** Returns the alarms, also those that are left as they are on purpose. */
export function findAllAlarms(
  state: State,
  settings: Settings,
  now: Date,
  limits = LIMITS,
): Alarm[] {
  const criteria = { settings, now, limits }
  return [
    ...chainAlarms(state, criteria),
    ...delayAlarms(state, criteria),
    ...failedDeliveryAlarms(state),
    ...codeAlarms(state),
    ...reviewAlarms(state, now),
    ...saleAlarms(state),
    ...queueAlarms(state, criteria),
    ...receiverAlarms(state, criteria),
    ...instanceAlarms(state, settings),
    ...failureAlarms(state, criteria),
    ...backupAlarms(state, criteria),
    ...tokenAlarms(state, now),
    ...testAlarms(state),
  ]
}

/** Whether somebody has acknowledged all members of an alarm. Findings are acknowledged by themselves. */
export const isAcknowledged = ({ acknowledgements }: State, { key, version }: Alarm): boolean =>
  version !== null && acknowledgements.some((row) => row.key === key && row.version >= version)

export const findAlarms: typeof findAllAlarms = (state, ...criteria) =>
  findAllAlarms(state, ...criteria).filter((found) => !isAcknowledged(state, found))

/** The time of the newest member of an alarm, as its version. */
const versionOf = (at: string | null): number | null => (at === null ? null : Date.parse(at))

/** Paid deliveries that have a wallet and have not ended, by their age: when they are due next says nothing. */
function* delayAlarms({ underWay, delays, runs }: State, { settings, now }: Criteria) {
  const limit = settings.DELIVERY_ALARM_MINUTES * MINUTE
  const chainName = (chainId: number | null) =>
    chainId === null ? 'a network that is not configured' : `chain ${chainId}`
  for (const { chainId, reasonCode, deliveries, queuedAt, lateAt } of delays)
    if (isOld(queuedAt, limit, now)) {
      const detail = `${countedUp(deliveries, 'item')} of ${chainName(chainId)} cannot be delivered: ${reasonCode}. The oldest waits since ${when(queuedAt)}.`
      yield alarm('deliveries_delayed', `${chainId}:${reasonCode}`, detail, versionOf(lateAt))
    }
  for (const [chainId, groups] of Map.groupBy(underWay, (group) => group.chainId)) {
    const [oldest = null] = groups.flatMap(({ queuedAt }) => queuedAt ?? []).sort()
    if (!isOld(oldest, limit, now)) continue
    const total = countDeliveries(groups, 'queued') + countDeliveries(groups, 'inFlight')
    // Those that wait for a reason have an alarm of their own.
    const delayed = delays.filter((delay) => delay.chainId === chainId)
    const isComplete = groups.every(({ queued }) => queued < MAX_COUNT)
    const deliveries = isComplete
      ? delayed.reduce((rest, delay) => rest - delay.deliveries, total)
      : total
    if (deliveries === 0) continue
    const problem = runs.find((run) => run.chainId === chainId)?.problem
    const detail = `${countedUp(deliveries, 'item')} of ${chainName(chainId)} under way. The oldest waits for its turn or its block since ${when(oldest)}${problem ? `: ${problem}` : ''}.`
    yield alarm('deliveries_delayed', String(chainId), detail)
  }
}

function* failedDeliveryAlarms({ failed, failedAt, retried }: State) {
  const parts = [
    failed > 0 && `${countedUp(failed, 'delivery', 'deliveries')} failed.`,
    retried > 0 &&
      `${countedUp(retried, 'delivery', 'deliveries')} that failed ${retried === 1 ? 'is' : 'are'} tried again.`,
  ]
  const detail = parts.filter(Boolean).join(' ')
  if (failed + retried > 0) yield alarm('deliveries_failed', '', detail, versionOf(failedAt))
}

/** Buyers who have paid for a code and got the token alone. */
function* codeAlarms({ owedCodes: { orderItems, nfts, first, last } }: State) {
  if (orderItems === 0) return
  const detail = `${countedUp(orderItems, 'delivered item')} of ${counted(nfts, 'NFT')} lack codes, the first since ${when(first ?? '')}.`
  yield alarm('codes_missing', '', detail, versionOf(last))
}

/** What people list waits for an operator. */
function* reviewAlarms({ review: { proposals, oldest } }: State, now: Date) {
  if (!isOld(oldest, operatorLimits.review.max, now)) return
  const detail = `${countedUp(proposals, 'proposal')} to review, the oldest since ${when(oldest)}.`
  yield alarm('review_waiting', '', detail)
}

/** Listings that stop within an hour, from which on it is not each by itself. */
const MANY_STOPPED = 20

function* saleAlarms({ stoppedSales }: State) {
  const total = stoppedSales.reduce((sum, { listings }) => sum + listings, 0)
  if (total < MANY_STOPPED) return
  const codes = stoppedSales.map(({ obstacle, listings }) => `${obstacle} (${listings})`)
  const detail = `${countedUp(total, 'listing')} stopped within an hour: ${codes.join(', ')}.`
  yield alarm('sales_stopped', '', detail)
}

/** What waits for a consumer of a queue, and jobs of the cron trigger. */
function* queueAlarms({ queues, webhooks, cron }: State, { now, limits }: Criteria) {
  for (const [queue, { messages, oldestAt }] of Object.entries(queues))
    if (isOld(oldestAt, limits.message, now)) {
      const detail = `${counted(messages, 'message')} in the queue of ${queue}, the oldest since ${when(oldestAt)}.`
      yield alarm('backlog', queue, detail)
    }
  if (isOld(webhooks.dueAt, limits.message, now)) {
    const detail = `${countedUp(webhooks.pending, 'webhook')} with something to send, one due since ${when(webhooks.dueAt)}.`
    yield alarm('webhooks_backlog', '', detail)
  }
  for (const job of cron?.failedJobs ?? [])
    yield alarm('cron_job_failed', job, `The job ${job} of the cron trigger failed.`)
}

/** Endpoints of administrators, each by itself: one that is left as it is hides no other. */
function* receiverAlarms({ failingEndpoints }: State, { now, limits }: Criteria) {
  for (const { id, url, failingSince, disabledAt } of failingEndpoints) {
    const since = disabledAt ?? failingSince
    if (!disabledAt && !isOld(failingSince, limits.receiver, now)) continue
    const problem = disabledAt ? 'was disabled at' : 'has accepted nothing since'
    const detail = `The webhook of an administrator to ${new URL(url).host} ${problem} ${when(since ?? '')}.`
    yield alarm('webhook_failing', id, detail, versionOf(since))
  }
}

/** Failures of each kind, each soon after the one before (`failuresLast`), from which on they are an alarm. */
const FAILURES = {
  mails: { name: 'mails_refused', least: 3, what: 'Cloudflare did not take', one: 'mail' },
  pictures: {
    name: 'pictures_failed',
    least: 3,
    what: 'Cloudflare did not convert',
    one: 'picture',
  },
  requests: { name: 'requests_failed', least: 10, what: 'The Worker failed at', one: 'request' },
} as const satisfies Record<FailureKind, unknown>

function* failureAlarms({ failureCounts }: State, { now }: Criteria) {
  for (const kind of failureKinds) {
    const row = failureCounts.find((failure) => failure.kind === kind)
    const { name, least, what, one } = FAILURES[kind]
    if (!row || row.recent < least || isOld(row.lastAt, failuresLast[kind], now)) continue
    const detail = `${what} ${counted(row.recent, one)} since ${when(row.since)}, the last at ${when(row.lastAt)}.`
    yield alarm(name, '', detail)
  }
}

/** Milliseconds for which a database that is backed up regularly has no backup. */
const NO_BACKUP = 1.5 * DAY

/** One backup promises no other. After two, the next is due after as long, and half of it again. */
function* backupAlarms({ backup }: State, { now }: Criteria) {
  if (!backup?.previousAt) return
  const interval = Date.parse(backup.at) - Date.parse(backup.previousAt)
  if (!isOld(backup.at, Math.max(NO_BACKUP, 1.5 * interval), now)) return
  const detail = `The database was backed up at ${when(backup.previousAt)} and at ${when(backup.at)}, and not since.`
  yield alarm('backups_stopped', '', detail, versionOf(backup.at))
}

/** What the instance has used up of its storage and its quotas. */
function* instanceAlarms(state: State, settings: Settings) {
  if (state.storageProblem) yield alarm('storage_unavailable', '', 'R2 does not answer.')
  const percent = Math.floor((state.databaseBytes / MAX_DATABASE) * 100)
  for (const share of DATABASE_SHARES)
    if (percent >= share) {
      const detail = `The database has ${percent} % of the 10 GB that D1 allows. When it is full, no order can be placed.`
      yield alarm('database_size', share, detail)
    }
  for (const { name, period, used } of state.quotas) {
    const per = period.length === 10 ? 'day' : 'hour'
    const { limit, who } = limitOf(settings, name, per)
    if (used >= limit * operatorLimits.alarmShare.max) {
      const detail = `${used} ${name} of this ${per} are used. From ${limit}, ${who} none.`
      yield alarm('quota_low', `${name}:${per}`, detail)
    }
  }
  const { MAX_CONTENT_BYTES: most } = settings
  if (state.contentBytes >= most * operatorLimits.alarmShare.max) {
    const used = Math.floor((state.contentBytes / most) * 100)
    const detail = `The files of NFTs have ${used} % of the ${most} bytes of MAX_CONTENT_BYTES. When they have all, no catalogue with further files can be imported.`
    yield alarm('quota_low', 'content', detail)
  }
}

/** The limit of a quota of the instance, and who is refused first. */
function limitOf(
  settings: Settings,
  name: string,
  per: QuotaPeriod,
): { limit: number; who: string } {
  const { MAX_PICTURES_PER_DAY, MAX_MAILS_PER_DAY, MAX_MAILS_PER_HOUR } = settings
  if (name === 'pictures') return { limit: MAX_PICTURES_PER_DAY, who: 'users can send' }
  if (name === 'order-mails')
    return { limit: settings.MAX_ORDER_MAILS_PER_DAY || Infinity, who: 'buyers and sellers get' }
  const limit = strangersLimit(per === 'day' ? MAX_MAILS_PER_DAY : MAX_MAILS_PER_HOUR)
  return { limit, who: 'addresses that no user has get' }
}

/** The names of user tokens are nobody's business but their owners'. */
function* tokenAlarms({ endingTokens }: State, now: Date) {
  for (const { id, userId, role, name, expiresAt } of endingTokens)
    for (const days of TOLD_BEFORE)
      if (Date.parse(expiresAt) - now.getTime() <= days * DAY) {
        const detail = `The ${role} token ${role === 'master' ? `“${name}” ` : ''}of user ${userId} ends at ${when(expiresAt)}. What uses it is refused from then on.`
        yield alarm('token_ends', `${id}:${days}`, detail)
      }
}

/** What the setup has raised to try how alarms are told. It lasts until it is acknowledged. */
function* testAlarms({ findings }: State) {
  const test = findings.findLast(({ key }) => key === 'test')
  if (test) yield alarm('test', '', test.detail, test.id)
}
