/** The alarms: conditions of the state that somebody has to know of. A pure function. */
import { formatEther, formatGwei, parseGwei } from 'viem/utils'
import type { Period } from '../db/quota.ts'
import type { NodeState } from '../db/schema/operations.ts'
import type { Settings } from '../env.ts'
import { firstFees } from '../ethereum/fees.ts'
import { strangersLimit } from '../mail/mail.ts'
import { DAY, MINUTE } from '../time.ts'
import { MAX_COUNT, type State } from './state.ts'
import { TOLD_BEFORE } from './token-ends.ts'

/** Deliveries for which the balance of a signer should suffice. */
const ENOUGH_DELIVERIES = 100

/** The used share of a quota, or of the limit of a relayer, at which there is an alarm. */
const HIGH_SHARE = 0.8

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
  misconfigured: 50_000,
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

/** Adds an alarm. The subject says which network, signer, queue or job, if there are several. */
type Raise = (name: AlarmName, subject: string, detail: string, version?: number | null) => void

/** Returns the alarms of a state. */
export function findAlarms(
  state: State,
  settings: Settings,
  now: Date,
  limits: typeof LIMITS = LIMITS,
): Alarm[] {
  const alarms: Alarm[] = []
  const raise: Raise = (name, subject, detail, version = null) =>
    alarms.push({ key: subject ? `${name}:${subject}` : name, name, subject, detail, version })
  const isOld = (at: string | null, limit: number): at is string =>
    at !== null && now.getTime() - new Date(at).getTime() >= limit
  watchNetworks(state, settings.NETWORKS, limits, isOld, raise)
  watchNodes(state, limits, isOld, raise)
  watchFindings(state, raise)
  watchRuns(state, isOld, raise)
  watchSigners(state, raise)
  watchItems(state, settings.DELIVERY_ALARM_MINUTES * MINUTE, isOld, raise)
  const { failed, retried, webhooks, cron } = state
  for (const [queue, { messages, oldestAt }] of Object.entries(state.queues))
    if (isOld(oldestAt, limits.message)) {
      const detail = `${counted(messages, 'message')} in the queue of ${queue}, the oldest since ${when(oldestAt)}.`
      raise('backlog', queue, detail)
    }
  const parts = [
    failed > 0 && `${countedUp(failed, 'delivery', 'deliveries')} failed.`,
    retried > 0 &&
      `${countedUp(retried, 'delivery', 'deliveries')} that failed ${retried === 1 ? 'is' : 'are'} tried again.`,
  ]
  if (failed + retried > 0) raise('deliveries_failed', '', parts.filter(Boolean).join(' '))
  if (isOld(webhooks.dueAt, limits.message)) {
    const detail = `${countedUp(webhooks.pending, 'webhook')} with something to send, one due since ${when(webhooks.dueAt)}.`
    raise('webhooks_backlog', '', detail)
  }
  for (const job of cron?.failedJobs ?? [])
    raise('cron_job_failed', job, `The job ${job} of the cron trigger failed.`)
  watchInstance(state, settings, raise)
  watchTokens(state, now, raise)
  return alarms
}

/** The names of user tokens are nobody's business but their owners'. */
function watchTokens({ endingTokens }: State, now: Date, raise: Raise): void {
  for (const { id, userId, role, name, expiresAt } of endingTokens)
    for (const days of TOLD_BEFORE)
      if (Date.parse(expiresAt) - now.getTime() <= days * DAY) {
        const detail = `The ${role} token ${role === 'master' ? `“${name}” ` : ''}of user ${userId} ends at ${when(expiresAt)}. What uses it is refused from then on.`
        raise('token_ends', `${id}:${days}`, detail)
      }
}

/** What the instance has used up of its storage and its quotas. */
function watchInstance(
  { storageProblem, databaseBytes, quotas }: State,
  settings: Settings,
  raise: Raise,
): void {
  if (storageProblem) raise('storage_unavailable', '', 'R2 does not answer.')
  const percent = Math.floor((databaseBytes / MAX_DATABASE) * 100)
  for (const share of DATABASE_SHARES)
    if (percent >= share) {
      const detail = `The database has ${percent} % of the 10 GB that D1 allows. When it is full, no order can be placed.`
      raise('database_size', `${share}`, detail)
    }
  for (const { name, period, used } of quotas) {
    const per = period.length === 10 ? 'day' : 'hour'
    const { limit, who } = limitOf(settings, name, per)
    if (used >= limit * HIGH_SHARE) {
      const detail = `${used} ${name} of this ${per} are used. From ${limit}, ${who} none.`
      raise('quota_low', `${name}:${per}`, detail)
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

type IsOld = (at: string | null, limit: number) => at is string

/** While no node answers, what was seen last counts as of then. */
function watchNetworks(
  { networks: checks, work }: State,
  networks: Settings['NETWORKS'],
  limits: typeof LIMITS,
  isOld: IsOld,
  raise: Raise,
): void {
  for (const { name, chainId, checkedAt, problem, headAt, ...seen } of checks) {
    const chain = String(chainId)
    if (problem && isOld(checkedAt, limits.node)) {
      const detail = `No node of ${name} can be used since ${when(checkedAt)}: ${problem}.`
      raise('node_unavailable', chain, detail)
    }
    const isStalled = headAt && Date.parse(checkedAt) - Date.parse(headAt) >= limits.head
    const waits = work.some(
      ({ chainId: id, dueAt, unminedAt }) =>
        id === chainId && (isOld(dueAt, limits.head) || isOld(unminedAt, limits.head)),
    )
    if (isStalled && waits && !problem) {
      const detail = `${name} has made no block since ${when(headAt)}, and items wait for one.`
      raise('chain_stalled', chain, detail)
    }
    if (seen.isPaused || seen.isRetired) {
      const detail = `The Delivery contract of ${name} is ${seen.isRetired ? 'retired' : 'paused'}.`
      raise('contract_paused', chain, detail)
    }
    const relayers = seen.signers?.filter(({ limit }) => limit !== null)
    if (relayers?.length === 0)
      raise('no_relayer', chain, `No signer is a relayer of the Delivery contract of ${name}.`)
    const network = networks[name]
    const gasPrice = BigInt(seen.gasPrice ?? 0)
    const cap = parseGwei(String(network?.maxFeePerGasGwei ?? 0))
    if (network && !firstFees({ baseFee: gasPrice, tip: 0n }, cap)) {
      const detail = `A unit of gas of ${name} costs ${formatGwei(gasPrice)} gwei, more than 70 % of maxFeePerGasGwei. Nothing is sent.`
      raise('fees_above_cap', chain, detail)
    }
    const symbol = network?.nativeCurrency?.symbol ?? 'ETH'
    for (const { address, balance, deliveries } of relayers ?? [])
      if (deliveries < ENOUGH_DELIVERIES) {
        const detail = `The signer ${address} has ${formatEther(BigInt(balance))} ${symbol} on ${name}: enough for ${counted(deliveries, 'delivery', 'deliveries')}.`
        raise('signer_low', `${chain}:${address}`, detail)
      }
  }
}

/** What the last runs found. What they found of a chain that is not configured any more is old. */
function watchRuns({ networks, runs }: State, isOld: IsOld, raise: Raise): void {
  for (const { name, chainId } of networks) {
    const run = runs.find((row) => row.chainId === chainId)
    if (run?.failedSince) {
      const detail = `The runs of ${name} fail since ${when(run.failedSince)}: ${run.problem ?? 'they stop without an error'}.`
      raise('run_failed', String(chainId), detail)
    }
    if (run?.problem === 'contract_not_linked') {
      const detail = `The Delivery contract of ${name} does not know the keys of the contracts before it.`
      raise('contract_not_linked', String(chainId), detail)
    }
    const since = run?.unconfirmedSince ?? null
    if (isOld(since, LIMITS.second)) {
      const detail = `No second node of ${name} confirms deliveries since ${when(since)}. One node is believed.`
      raise('second_node_silent', String(chainId), detail)
    }
  }
}

/** What single nodes say, of themselves and of the accounts of relayers. */
function watchNodes({ networks }: State, limits: typeof LIMITS, isOld: IsOld, raise: Raise): void {
  for (const { name, chainId, checkedAt, nodes, signers } of networks) {
    for (const [index, { problem, problemSince }] of nodes.entries())
      if (isOld(problemSince, limits.misconfigured)) {
        const detail = `The node ${index} of ${name} cannot do what deliveries need since ${when(problemSince)}: ${problem}.`
        raise('node_misconfigured', `${chainId}:${index}`, detail)
      }
    const told = nodes.flatMap(({ state }, node) =>
      state?.seenAt === checkedAt
        ? Object.entries(state.relayers).map(([address, known]) => ({ node, address, ...known }))
        : [],
    )
    for (const [address, relayers] of Map.groupBy(told, (relayer) => relayer.address)) {
      const report = (alarm: AlarmName, text: string, is: (relayer: Relayer) => boolean) => {
        const sayers = relayers.filter(is).map(({ node }) => node)
        const detail = `The relayer ${address} of ${name} ${text}${saidBy(sayers, nodes)}.`
        if (sayers.length > 0) raise(alarm, `${chainId}:${address}`, detail)
      }
      const isCoded = ({ hasCode, isActive }: Relayer) => hasCode && isActive
      report('signer_has_code', 'has code at its account: somebody else has its key', isCoded)
      if (!signers?.some((signer) => signer.address === address)) continue
      const isRemoved = ({ wasRelayer, capacity }: Relayer) => wasRelayer && capacity === 0
      report(
        'relayer_removed',
        'is a signer, but was removed from the Delivery contract',
        isRemoved,
      )
    }
  }
}

type Relayer = NodeState['relayers'][string]

/** Which of several nodes say something: a lie is told by one. */
const saidBy = (sayers: readonly number[], nodes: readonly unknown[]): string =>
  nodes.length > 1 && sayers.length > 0 ? ` (node ${sayers.join(', ')})` : ''

/** What lasts until an operator has acknowledged it. */
function watchFindings({ networks, findings }: State, raise: Raise): void {
  for (const [key, found] of Map.groupBy(findings, (finding) => finding.key)) {
    const network = networks.find(({ chainId }) => chainId === found[0]?.chainId)
    // Of a chain that is not configured any more.
    if (!network) continue
    const others = ['contract_changed', 'unrequested_cancellation'] as const
    const name = others.find((other) => key.startsWith(other)) ?? 'foreign_transaction'
    const details = found.map(({ detail, nodes }) => `${detail}${saidBy(nodes, network.nodes)}`)
    raise(name, key.slice(name.length + 1), details.join(' '), found.at(-1)?.id)
  }
}

function watchSigners({ networks, paused }: State, raise: Raise): void {
  for (const { chainId, address, reverts, pausedUntil } of paused) {
    const detail = `${counted(reverts, 'transaction')} of the signer ${address} on chain ${chainId} reverted in a row. It pauses until ${when(pausedUntil)}.`
    raise('signer_paused', `${chainId}:${address}`, detail)
  }
  for (const { name, chainId, signers } of networks)
    for (const { address, limit } of signers ?? []) {
      const used = limit ? limit.capacity - limit.available : 0
      if (limit && used >= limit.capacity * HIGH_SHARE) {
        const detail = `The signer ${address} has used ${used} of ${counted(limit.capacity, 'piece')} of its limit on ${name}. ${limit.perDay} flow back in a day.`
        raise('relayer_limit_low', `${chainId}:${address}`, detail)
      }
    }
}

/** Paid items that have a wallet and have not ended, by their age: when they are due next says nothing. */
function watchItems(
  { work, delays, runs }: State,
  limit: number,
  isOld: IsOld,
  raise: Raise,
): void {
  const chainName = (chainId: number | null) =>
    chainId === null ? 'a network that is not configured' : `chain ${chainId}`
  for (const { chainId, reasonCode, items, queuedAt } of delays)
    if (isOld(queuedAt, limit)) {
      const detail = `${countedUp(items, 'item')} of ${chainName(chainId)} cannot be delivered: ${reasonCode}. The oldest waits since ${when(queuedAt)}.`
      raise('deliveries_delayed', `${chainId}:${reasonCode}`, detail)
    }
  for (const [chainId, groups] of Map.groupBy(work, (group) => group.chainId)) {
    const [oldest = null] = groups.flatMap(({ queuedAt }) => queuedAt ?? []).sort()
    if (!isOld(oldest, limit)) continue
    // Those that wait for a reason have an alarm of their own.
    const delayed = delays.filter((delay) => delay.chainId === chainId)
    const items =
      groups.reduce((sum, { queued, inFlight }) => sum + queued + inFlight, 0) -
      (groups.some(({ queued }) => queued >= MAX_COUNT)
        ? 0
        : delayed.reduce((sum, delay) => sum + delay.items, 0))
    if (items === 0) continue
    const problem = runs.find((run) => run.chainId === chainId)?.problem
    const detail = `${countedUp(items, 'item')} of ${chainName(chainId)} under way. The oldest waits for its turn or its block since ${when(oldest)}${problem ? `: ${problem}` : ''}.`
    raise('deliveries_delayed', String(chainId), detail)
  }
}

/** Of what is counted up to `MAX_COUNT`. */
const countedUp = (count: number, one: string, many = `${one}s`) =>
  count < MAX_COUNT ? counted(count, one, many) : `${MAX_COUNT} or more ${many}`

const counted = (count: number, one: string, many = `${one}s`) =>
  `${count} ${count === 1 ? one : many}`

/** To the minute. */
const when = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`
