/** The state as gauges, in the text format of Prometheus (0.0.4). */
import { oldestOf, secondsSince, sumOf } from './health.ts'
import type { State } from './state.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Value = number | string | boolean | null
type Samples = [labels: Record<string, string | number>, value: Value][]

export function metricsOf(state: State, now: Date): string {
  const lines: string[] = []
  /** Adds a gauge. A value of null is unknown, and has no line. */
  const gauge = (name: string, help: string, samples: Samples) => {
    const known = samples.filter(([, value]) => value !== null)
    if (known.length === 0) return
    lines.push(`# HELP marketplace_${name} ${help}`, `# TYPE marketplace_${name} gauge`)
    for (const [labels, value] of known)
      lines.push(
        `marketplace_${name}${labelText(labels)} ${typeof value === 'boolean' ? +value : value}`,
      )
  }
  const since = (at: string | null) => secondsSince(at, now)
  const { work, failed, awaitingWallet, webhooks, cron, alarms } = state

  gauge('deliveries', 'Order items that are not delivered, without the cancelled ones.', [
    [{ state: 'awaiting_wallet' }, awaitingWallet],
    [{ state: 'queued' }, sumOf(work, 'queued')],
    [{ state: 'in_flight' }, sumOf(work, 'inFlight')],
    [{ state: 'failed' }, failed],
  ])
  gauge('oldest_undelivered_seconds', 'Age of the oldest item that is queued or in flight.', [
    [{}, since(oldestOf(state)?.firstAt ?? null) ?? 0],
  ])

  const queues = Object.entries(state.queues).filter(([, { problem }]) => problem === null)
  const ofQueue = (of: (queue: State['queues']['webhooks']) => Value): Samples =>
    queues.map(([queue, metrics]) => [{ queue }, of(metrics)])
  gauge(
    'queue_backlog_messages',
    'Messages that wait.',
    ofQueue(({ messages }) => messages),
  )
  gauge(
    'queue_backlog_bytes',
    'Their size.',
    ofQueue(({ bytes }) => bytes),
  )
  gauge(
    'queue_oldest_message_seconds',
    'Age of the oldest message that waits.',
    ofQueue(({ oldestAt }) => since(oldestAt) ?? 0),
  )

  type Check = State['networks'][number]
  const ofNetwork = (of: (check: Check) => Value): Samples =>
    state.networks.map((check) => [{ chain_id: check.chainId, network: check.name }, of(check)])
  gauge(
    'network_up',
    'Whether a node can be used.',
    ofNetwork(({ problem }) => !problem),
  )
  gauge(
    'network_last_check_timestamp_seconds',
    'When a node last answered.',
    ofNetwork(({ checkedAt }) => Date.parse(checkedAt) / 1000),
  )
  gauge(
    'network_head_block',
    'Number of the newest block.',
    ofNetwork((check) => check.headNumber),
  )
  gauge(
    'network_head_age_seconds',
    'Age of the newest block.',
    ofNetwork(({ headAt }) => since(headAt)),
  )
  gauge(
    'network_gas_price_wei',
    'Price of a unit of gas.',
    ofNetwork((check) => check.gasPrice),
  )
  gauge(
    'contract_paused',
    'Whether the Delivery contract is paused or retired.',
    ofNetwork(({ isPaused, isRetired }) => (isPaused === null ? null : isPaused || isRetired)),
  )

  const ofSigner = (of: (signer: NonNullable<Check['signers']>[number]) => Value): Samples =>
    state.networks.flatMap(({ chainId, signers }) =>
      (signers ?? []).map((signer): Samples[number] => [
        { chain_id: chainId, signer: signer.address },
        of(signer),
      ]),
    )
  gauge(
    'signer_balance_wei',
    'Balance of a signer.',
    ofSigner(({ balance }) => balance),
  )
  gauge(
    'signer_deliveries_left',
    'Items that the balance of a signer pays for.',
    ofSigner(({ deliveries }) => deliveries),
  )
  gauge(
    'signer_allowance_items',
    'Items that a relayer may still deliver today.',
    ofSigner(({ allowance }) => allowance),
  )

  gauge('webhook_pending_messages', 'Webhook messages not delivered yet.', [[{}, webhooks.pending]])
  gauge('webhook_oldest_due_seconds', 'For how long the first of them is due.', [
    [{}, since(webhooks.dueAt) ?? 0],
  ])
  gauge('webhook_disabled_endpoints', 'Disabled webhook endpoints.', [[{}, webhooks.disabled]])
  gauge('cron_last_run_timestamp_seconds', 'When the last cron run ended.', [
    [{}, cron?.finishedAt ? Date.parse(cron.finishedAt) / 1000 : null],
  ])
  gauge('cron_failed_jobs', 'Jobs that failed in the last cron run.', [
    [{}, cron ? cron.failedJobs.length : null],
  ])
  gauge('storage_up', 'Whether R2 answers.', [[{}, state.storageProblem === null]])
  gauge(
    'alarm',
    'An alarm that lasts.',
    alarms.map(({ name, subject }) => [{ name, subject }, 1]),
  )
  return `${lines.join('\n')}\n`
}

function labelText(labels: Record<string, string | number>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length > 0 ? `{${pairs}}` : ''
}

const escaped = (value: string) =>
  value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
