/** The alarms: conditions of the state that somebody has to know of. A pure function. */
import { formatEther } from 'viem/utils'
import type { Period } from '../db/quota.ts'
import type { Settings } from '../env.ts'
import { strangersLimit } from '../mail/mail.ts'
import type { State } from './instance-state.ts'

const MINUTE = 60_000

/** Deliveries for which the balance of a signer should suffice. */
const ENOUGH_DELIVERIES = 100

/** The used share of a quota at which there is an alarm. */
const QUOTA_SHARE = 0.8

/** Milliseconds. */
const LIMITS = {
  node: 5 * MINUTE,
  head: 10 * MINUTE,
  item: 30 * MINUTE,
  message: 15 * MINUTE,
}

/** Each has an entry in docs/runbook.md. */
type AlarmName =
  | 'signer_low'
  | 'node_unavailable'
  | 'chain_stalled'
  | 'contract_paused'
  | 'no_relayer'
  | 'backlog'
  | 'deliveries_failed'
  | 'foreign_transaction'
  | 'webhooks_backlog'
  | 'cron_job_failed'
  | 'storage_unavailable'
  | 'quota_low'

/** `key`: name and subject. `detail`: a sentence without personal data. */
export type Alarm = { key: string; name: AlarmName; subject: string; detail: string }

/** Adds an alarm. The subject says which network, signer, queue or job, if there are several. */
type Raise = (name: AlarmName, subject: string, detail: string) => void

/** Returns the alarms of a state. */
export function findAlarms(state: State, settings: Settings, now: Date): Alarm[] {
  const alarms: Alarm[] = []
  const raise: Raise = (name, subject, detail) =>
    alarms.push({ key: subject ? `${name}:${subject}` : name, name, subject, detail })
  const isOld = (at: string | null, limit: number): at is string =>
    at !== null && now.getTime() - new Date(at).getTime() >= limit
  watchNetworks(state, settings.NETWORKS, isOld, raise)
  watchWork(state, isOld, raise)
  const { failed, foreign, webhooks, cron, storageProblem } = state
  if (failed > 0)
    raise('deliveries_failed', '', `${counted(failed, 'delivery', 'deliveries')} failed.`)
  for (const { chainId, signer, nonces } of foreign)
    raise(
      'foreign_transaction',
      `${chainId}:${signer}`,
      `Another program used ${counted(nonces, 'nonce')} of the signer ${signer} on chain ${chainId} within 24 hours.`,
    )
  if (isOld(webhooks.dueAt, LIMITS.message))
    raise(
      'webhooks_backlog',
      '',
      `${counted(webhooks.pending, 'webhook message')} pending, the oldest due since ${when(webhooks.dueAt)}.`,
    )
  for (const job of cron?.failedJobs ?? [])
    raise('cron_job_failed', job, `The job ${job} of the cron trigger failed.`)
  if (storageProblem) raise('storage_unavailable', '', 'R2 does not answer.')
  for (const { name, period, used } of state.quotas) {
    const per = period.length === 10 ? 'day' : 'hour'
    const { limit, who } = limitOf(settings, name, per)
    if (used >= limit * QUOTA_SHARE)
      raise(
        'quota_low',
        `${name}:${per}`,
        `${used} ${name} of this ${per} are used. From ${limit}, ${who} none.`,
      )
  }
  return alarms
}

/** The limit of a quota of the instance, and who is refused first. */
function limitOf(settings: Settings, name: string, per: Period): { limit: number; who: string } {
  const { MAX_PICTURES_PER_DAY, MAX_MAILS_PER_DAY, MAX_MAILS_PER_HOUR } = settings
  if (name === 'pictures') return { limit: MAX_PICTURES_PER_DAY, who: 'users can send' }
  const limit = strangersLimit(per === 'day' ? MAX_MAILS_PER_DAY : MAX_MAILS_PER_HOUR)
  return { limit, who: 'addresses that no user has get' }
}

type IsOld = (at: string | null, limit: number) => at is string

/** While no node answers, what was seen last counts as of then. */
function watchNetworks(
  { networks: checks, work }: State,
  networks: Settings['NETWORKS'],
  isOld: IsOld,
  raise: Raise,
): void {
  for (const { name, chainId, checkedAt, problem, headAt, ...seen } of checks) {
    const chain = String(chainId)
    if (problem && isOld(checkedAt, LIMITS.node))
      raise(
        'node_unavailable',
        chain,
        `No node of ${name} can be used since ${when(checkedAt)}: ${problem}.`,
      )
    const isStalled = headAt && Date.parse(checkedAt) - Date.parse(headAt) >= LIMITS.head
    const waits = work.some(
      ({ chainId: id, dueAt, unminedAt }) =>
        id === chainId && (isOld(dueAt, LIMITS.head) || isOld(unminedAt, LIMITS.head)),
    )
    if (isStalled && waits)
      raise(
        'chain_stalled',
        chain,
        `${name} has made no block since ${when(headAt)}, and items wait for one.`,
      )
    if (seen.isPaused || seen.isRetired)
      raise(
        'contract_paused',
        chain,
        `The Delivery contract of ${name} is ${seen.isRetired ? 'retired' : 'paused'}.`,
      )
    const relayers = seen.signers?.filter(({ allowance }) => allowance !== null)
    if (relayers?.length === 0)
      raise('no_relayer', chain, `No signer is a relayer of the Delivery contract of ${name}.`)
    const symbol = networks[name]?.nativeCurrency?.symbol ?? 'ETH'
    for (const { address, balance, deliveries } of relayers ?? [])
      if (deliveries < ENOUGH_DELIVERIES)
        raise(
          'signer_low',
          `${chain}:${address}`,
          `The signer ${address} has ${formatEther(BigInt(balance))} ${symbol} on ${name}: enough for ${counted(deliveries, 'delivery', 'deliveries')}.`,
        )
  }
}

/** An item that waits gets a later `dueAt`. An overdue one means that no run has processed it. */
function watchWork({ work, queues }: State, isOld: IsOld, raise: Raise): void {
  for (const [chainId, ofChain] of Map.groupBy(work, ({ chainId }) => chainId)) {
    const late = ofChain
      .flatMap(({ dueAt, unminedAt }) => [dueAt, unminedAt])
      .filter((at) => isOld(at, LIMITS.item))
      .sort()
    const items = ofChain.reduce((sum, { queued, inFlight }) => sum + queued + inFlight, 0)
    if (late[0])
      raise(
        'backlog',
        String(chainId),
        `${counted(items, 'item')} of chain ${chainId} under way, the oldest without progress since ${when(late[0])}.`,
      )
  }
  for (const [queue, { messages, oldestAt }] of Object.entries(queues))
    if (isOld(oldestAt, LIMITS.message))
      raise(
        'backlog',
        queue,
        `${counted(messages, 'message')} in the queue of ${queue}, the oldest since ${when(oldestAt)}.`,
      )
}

const counted = (count: number, one: string, many = `${one}s`) =>
  `${count} ${count === 1 ? one : many}`

/** To the minute. */
const when = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`
