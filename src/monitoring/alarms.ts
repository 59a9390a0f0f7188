/** The alarms: conditions of the state that somebody has to know of. Pure functions. */
import { formatEther, formatGwei, parseGwei } from 'viem/utils'
import type { Period } from '../db/quota.ts'
import type { NodeState } from '../db/schema/operations.ts'
import type { Settings } from '../env.ts'
import { firstFees } from '../ethereum/fees.ts'
import { operatorLimits } from '../http/limits.ts'
import { strangersLimit } from '../mail/mail.ts'
import { DAY, MINUTE, SECOND } from '../time.ts'
import { countItems, MAX_COUNT, type State } from './state.ts'
import { TOLD_BEFORE } from './token-ends.ts'

/** Deliveries for which the balance of a signer should suffice. */
const ENOUGH_DELIVERIES = 100

/** Bytes. D1 refuses to write beyond them. */
const MAX_DATABASE = 10e9

/** Percent of `MAX_DATABASE`, each with an alarm. */
const DATABASE_SHARES = [70, 90]

/** Milliseconds for which something lasts before it is an alarm. */
const LIMITS = {
  node: 5 * MINUTE,
  head: 10 * MINUTE,
  second: 10 * MINUTE,
  message: 15 * MINUTE,
  /** A node may be restarted. Less than the time between two checks. */
  misconfigured: 50 * SECOND,
}

/** When the page for operators shows it: as soon as a cron run has found it, or a little later. */
export const EARLY_LIMITS: typeof LIMITS = {
  ...LIMITS,
  node: 0,
  head: 2 * MINUTE,
  message: 2 * MINUTE,
  misconfigured: 0,
}

/** The worst first. `critical`: nothing is delivered, money is at stake, or orders are refused. */
export const severities = ['critical', 'warning', 'notice'] as const
export type Severity = (typeof severities)[number]

/** The severity of each alarm. Each alarm has an entry in docs/runbook.md. */
export const severityOf = {
  signer_low: 'warning',
  node_unavailable: 'critical',
  node_misconfigured: 'warning',
  fees_above_cap: 'warning',
  chain_stalled: 'critical',
  contract_paused: 'critical',
  no_relayer: 'critical',
  relayer_removed: 'warning',
  relayer_limit_low: 'warning',
  signer_paused: 'warning',
  contract_not_linked: 'critical',
  run_failed: 'critical',
  second_node_silent: 'notice',
  deliveries_delayed: 'warning',
  backlog: 'warning',
  deliveries_failed: 'warning',
  foreign_transaction: 'critical',
  contract_changed: 'critical',
  unrequested_cancellation: 'critical',
  signer_has_code: 'critical',
  webhooks_backlog: 'warning',
  cron_job_failed: 'critical',
  storage_unavailable: 'warning',
  quota_low: 'notice',
  database_size: 'warning',
  token_ends: 'warning',
} as const satisfies Record<string, Severity>
type AlarmName = keyof typeof severityOf

/**
 * `key`: name and subject. `detail`: a sentence without personal data. `version`: the newest finding of
 * an alarm that lasts until it is acknowledged.
 */
export type Alarm = { key: string; name: AlarmName; subject: string; detail: string } & {
  version: number | null
}

/** What decides whether something is an alarm. */
type Criteria = { settings: Settings; now: Date; limits: typeof LIMITS }

/** Returns the alarms of a state. */
export function findAlarms(
  state: State,
  settings: Settings,
  now: Date,
  limits: typeof LIMITS = LIMITS,
): Alarm[] {
  const criteria = { settings, now, limits }
  return [
    ...networkAlarms(state, criteria),
    ...nodeAlarms(state, criteria),
    ...findingAlarms(state),
    ...runAlarms(state, criteria),
    ...signerAlarms(state),
    ...delayAlarms(state, criteria),
    ...failureAlarms(state),
    ...queueAlarms(state, criteria),
    ...instanceAlarms(state, settings),
    ...tokenAlarms(state, now),
  ]
}

/** The subject says which network, signer, queue or job, if there are several. */
const alarm = (
  name: AlarmName,
  subject: string | number,
  detail: string,
  version: number | null = null,
): Alarm => ({
  key: subject ? `${name}:${subject}` : name,
  name,
  subject: String(subject),
  detail,
  version,
})

const isOld = (at: string | null, limit: number, now: Date): at is string =>
  at !== null && now.getTime() - new Date(at).getTime() >= limit

/** What the nodes of a network say. While none answers, what was seen last counts as of then. */
function* networkAlarms({ networks, underWay }: State, { settings, now, limits }: Criteria) {
  for (const { name, chainId, checkedAt, problem, headAt, ...seen } of networks) {
    if (problem && isOld(checkedAt, limits.node, now)) {
      const detail = `No node of ${name} can be used since ${when(checkedAt)}: ${problem}.`
      yield alarm('node_unavailable', chainId, detail)
    }
    const isStalled = headAt && Date.parse(checkedAt) - Date.parse(headAt) >= limits.head
    const waits = underWay.some(
      ({ chainId: id, dueAt, unminedAt }) =>
        id === chainId && (isOld(dueAt, limits.head, now) || isOld(unminedAt, limits.head, now)),
    )
    if (isStalled && waits && !problem) {
      const detail = `${name} has made no block since ${when(headAt)}, and items wait for one.`
      yield alarm('chain_stalled', chainId, detail)
    }
    if (seen.isPaused || seen.isRetired) {
      const detail = `The Delivery contract of ${name} is ${seen.isRetired ? 'retired' : 'paused'}.`
      yield alarm('contract_paused', chainId, detail)
    }
    const relayers = seen.signers?.filter(({ limit }) => limit !== null)
    if (relayers?.length === 0) {
      const detail = `No signer is a relayer of the Delivery contract of ${name}.`
      yield alarm('no_relayer', chainId, detail)
    }
    const network = settings.NETWORKS[name]
    const gasPrice = BigInt(seen.gasPrice ?? 0)
    const cap = parseGwei(String(network?.maxFeePerGasGwei ?? 0))
    if (network && !firstFees({ baseFee: gasPrice, tip: 0n }, cap)) {
      const detail = `A unit of gas of ${name} costs ${formatGwei(gasPrice)} gwei, more than 70 % of maxFeePerGasGwei. Nothing is sent.`
      yield alarm('fees_above_cap', chainId, detail)
    }
    const symbol = network?.nativeCurrency?.symbol ?? 'ETH'
    for (const { address, balance, deliveries } of relayers ?? [])
      if (deliveries < ENOUGH_DELIVERIES) {
        const detail = `The signer ${address} has ${formatEther(BigInt(balance))} ${symbol} on ${name}: enough for ${counted(deliveries, 'delivery', 'deliveries')}.`
        yield alarm('signer_low', `${chainId}:${address}`, detail)
      }
  }
}

type Relayer = NodeState['relayers'][string]

const hasForeignCode = ({ hasCode, isActive }: Relayer) => hasCode && isActive
const isRemoved = ({ wasRelayer, capacity }: Relayer) => wasRelayer && capacity === 0

/** What single nodes say, of themselves and of the accounts of relayers. */
function* nodeAlarms({ networks }: State, { now, limits }: Criteria) {
  for (const { name, chainId, checkedAt, nodes, signers } of networks) {
    for (const [index, { problem, problemSince }] of nodes.entries())
      if (isOld(problemSince, limits.misconfigured, now)) {
        const detail = `The node ${index} of ${name} cannot do what deliveries need since ${when(problemSince)}: ${problem}.`
        yield alarm('node_misconfigured', `${chainId}:${index}`, detail)
      }
    const told = nodes.flatMap(({ state }, node) =>
      state?.seenAt === checkedAt
        ? Object.entries(state.relayers).map(([address, known]) => ({ node, address, ...known }))
        : [],
    )
    for (const [address, relayers] of Map.groupBy(told, (relayer) => relayer.address)) {
      const relayer = `The relayer ${address} of ${name}`
      const withCode = relayers.filter(hasForeignCode).map(({ node }) => node)
      if (withCode.length > 0) {
        const detail = `${relayer} has code at its account: somebody else has its key${saidBy(withCode, nodes)}.`
        yield alarm('signer_has_code', `${chainId}:${address}`, detail)
      }
      const removed = relayers.filter(isRemoved).map(({ node }) => node)
      if (removed.length > 0 && signers?.some((signer) => signer.address === address)) {
        const detail = `${relayer} is a signer, but was removed from the Delivery contract${saidBy(removed, nodes)}.`
        yield alarm('relayer_removed', `${chainId}:${address}`, detail)
      }
    }
  }
}

/** Which of several nodes say something: a lie is told by one. */
const saidBy = (sayers: readonly number[], nodes: readonly unknown[]): string =>
  nodes.length > 1 && sayers.length > 0 ? ` (node ${sayers.join(', ')})` : ''

/** What lasts until an operator has acknowledged it. */
function* findingAlarms({ networks, findings }: State) {
  for (const [key, found] of Map.groupBy(findings, (finding) => finding.key)) {
    const network = networks.find(({ chainId }) => chainId === found[0]?.chainId)
    // Of a chain that is not configured any more.
    if (!network) continue
    const others = ['contract_changed', 'unrequested_cancellation'] as const
    const name = others.find((other) => key.startsWith(other)) ?? 'foreign_transaction'
    const details = found.map(({ detail, nodes }) => `${detail}${saidBy(nodes, network.nodes)}`)
    yield alarm(name, key.slice(name.length + 1), details.join(' '), found.at(-1)?.id)
  }
}

/** What the last runs found. What they found of a chain that is not configured any more is old. */
function* runAlarms({ networks, runs }: State, { now }: Criteria) {
  for (const { name, chainId } of networks) {
    const run = runs.find((row) => row.chainId === chainId)
    if (run?.failedSince) {
      const detail = `The runs of ${name} fail since ${when(run.failedSince)}: ${run.problem ?? 'they stop without an error'}.`
      yield alarm('run_failed', chainId, detail)
    }
    if (run?.problem === 'contract_not_linked') {
      const detail = `The Delivery contract of ${name} does not know the keys of the contracts before it.`
      yield alarm('contract_not_linked', chainId, detail)
    }
    const since = run?.unconfirmedSince ?? null
    if (isOld(since, LIMITS.second, now)) {
      const detail = `No second node of ${name} confirms deliveries since ${when(since)}. One node is believed.`
      yield alarm('second_node_silent', chainId, detail)
    }
  }
}

function* signerAlarms({ networks, paused }: State) {
  for (const { chainId, address, reverts, pausedUntil } of paused) {
    const detail = `${counted(reverts, 'transaction')} of the signer ${address} on chain ${chainId} reverted in a row. It pauses until ${when(pausedUntil)}.`
    yield alarm('signer_paused', `${chainId}:${address}`, detail)
  }
  for (const { name, chainId, signers } of networks)
    for (const { address, limit } of signers ?? []) {
      const used = limit ? limit.capacity - limit.available : 0
      if (limit && used >= limit.capacity * operatorLimits.alarmShare.max) {
        const detail = `The signer ${address} has used ${used} of ${counted(limit.capacity, 'piece')} of its limit on ${name}. ${limit.perDay} flow back in a day.`
        yield alarm('relayer_limit_low', `${chainId}:${address}`, detail)
      }
    }
}

/** Paid items that have a wallet and have not ended, by their age: when they are due next says nothing. */
function* delayAlarms({ underWay, delays, runs }: State, { settings, now }: Criteria) {
  const limit = settings.DELIVERY_ALARM_MINUTES * MINUTE
  const chainName = (chainId: number | null) =>
    chainId === null ? 'a network that is not configured' : `chain ${chainId}`
  for (const { chainId, reasonCode, items, queuedAt } of delays)
    if (isOld(queuedAt, limit, now)) {
      const detail = `${countedUp(items, 'item')} of ${chainName(chainId)} cannot be delivered: ${reasonCode}. The oldest waits since ${when(queuedAt)}.`
      yield alarm('deliveries_delayed', `${chainId}:${reasonCode}`, detail)
    }
  for (const [chainId, groups] of Map.groupBy(underWay, (group) => group.chainId)) {
    const [oldest = null] = groups.flatMap(({ queuedAt }) => queuedAt ?? []).sort()
    if (!isOld(oldest, limit, now)) continue
    const total = countItems(groups, 'queued') + countItems(groups, 'inFlight')
    // Those that wait for a reason have an alarm of their own.
    const delayed = delays.filter((delay) => delay.chainId === chainId)
    const isComplete = groups.every(({ queued }) => queued < MAX_COUNT)
    const items = isComplete ? delayed.reduce((rest, delay) => rest - delay.items, total) : total
    if (items === 0) continue
    const problem = runs.find((run) => run.chainId === chainId)?.problem
    const detail = `${countedUp(items, 'item')} of ${chainName(chainId)} under way. The oldest waits for its turn or its block since ${when(oldest)}${problem ? `: ${problem}` : ''}.`
    yield alarm('deliveries_delayed', String(chainId), detail)
  }
}

function* failureAlarms({ failed, retried }: State) {
  const parts = [
    failed > 0 && `${countedUp(failed, 'delivery', 'deliveries')} failed.`,
    retried > 0 &&
      `${countedUp(retried, 'delivery', 'deliveries')} that failed ${retried === 1 ? 'is' : 'are'} tried again.`,
  ]
  if (failed + retried > 0) yield alarm('deliveries_failed', '', parts.filter(Boolean).join(' '))
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
}

/** The limit of a quota of the instance, and who is refused first. */
function limitOf(settings: Settings, name: string, per: Period): { limit: number; who: string } {
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

/** Names a number that is counted up to `MAX_COUNT`. */
const countedUp = (count: number, one: string, many = `${one}s`) =>
  count < MAX_COUNT ? counted(count, one, many) : `${MAX_COUNT} or more ${many}`

const counted = (count: number, one: string, many = `${one}s`) =>
  `${count} ${count === 1 ? one : many}`

/** Names a time to the minute. */
const when = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`
