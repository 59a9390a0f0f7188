/** The state in the text format of Prometheus (0.0.4): gauges, and counters whose names end with `_total`. */
import { failureKinds } from '../http/failures.ts'
import { secondsSince } from './health.ts'
import { countDeliveries, type State } from './state.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A value of null is unknown, and has no line. */
type Value = number | string | boolean | null
type Samples = [labels: Record<string, string | number>, value: Value][]

type Check = State['networks'][number]
type Signer = NonNullable<Check['signers']>[number]
function gauges(state: State, now: Date): Record<string, [help: string, samples: Samples]> {
  const { underWay, failed, awaitingWallet, awaitingSince, unclaimed } = state
  const { webhooks, cron, alarms, findings } = state
  const age = (at: string | null) => secondsSince(at, now)
  const one = (value: Value): Samples => [[{}, value]]
  const perQueue = (read: (queue: State['queues']['webhooks']) => Value): Samples =>
    Object.entries(state.queues).map(([name, queue]) => [
      { queue: name },
      queue.problem === null ? read(queue) : null,
    ])
  const perNetwork = (read: (check: Check) => Value): Samples =>
    state.networks.map((check) => [{ chain_id: check.chainId, network: check.name }, read(check)])
  const perSigner = (read: (signer: Signer) => Value): Samples =>
    state.networks.flatMap(({ chainId, signers }) =>
      (signers ?? []).map((signer): Samples[number] => [
        { chain_id: chainId, signer: signer.address },
        read(signer),
      ]),
    )
  return {
    deliveries: [
      'Order items that are not delivered, nor cancelled or written off, counted up to 1000.',
      [
        [{ state: 'awaiting_wallet' }, awaitingWallet],
        [{ state: 'queued' }, countDeliveries(underWay, 'queued')],
        [{ state: 'in_flight' }, countDeliveries(underWay, 'inFlight')],
        [{ state: 'failed' }, failed],
      ],
    ],
    oldest_undelivered_seconds: [
      'Age of the oldest item of a chain that is queued or in flight.',
      [...Map.groupBy(underWay, ({ chainId }) => chainId)].map(([chainId, groups]) => [
        { chain_id: String(chainId) },
        Math.max(...groups.map(({ firstAt }) => secondsSince(firstAt, now))),
      ]),
    ],
    oldest_awaiting_wallet_seconds: [
      'For how long the first item has waited for a wallet of its buyer.',
      one(age(awaitingSince) ?? 0),
    ],
    unclaimed_deliveries: [
      'Items without a wallet of which order.unclaimed was told, counted up to 1000.',
      one(unclaimed),
    ],
    delivery_fee_wei: [
      'What an item of the newest 100 transactions of a chain has cost.',
      state.costs.map(({ chainId, itemFee }) => [{ chain_id: chainId }, itemFee]),
    ],
    delivery_gas: [
      'Gas that an item of the newest 100 transactions of a chain has used.',
      state.costs.map(({ chainId, itemGas }) => [{ chain_id: chainId }, itemGas]),
    ],
    queue_backlog_messages: ['Messages that wait.', perQueue(({ messages }) => messages)],
    queue_backlog_bytes: ['Their size.', perQueue(({ bytes }) => bytes)],
    queue_oldest_message_seconds: [
      'Age of the oldest message that waits.',
      perQueue(({ oldestAt }) => age(oldestAt) ?? 0),
    ],
    run_failed: [
      'Whether the last run of a chain has failed.',
      state.runs.map(({ chainId, failedSince }) => [{ chain_id: chainId }, failedSince !== null]),
    ],
    network_up: ['Whether a node can be used.', perNetwork(({ problem }) => !problem)],
    network_last_check_timestamp_seconds: [
      'When a node last answered.',
      perNetwork(({ checkedAt }) => Date.parse(checkedAt) / 1000),
    ],
    network_head_block: ['Number of the newest block.', perNetwork((check) => check.headNumber)],
    network_head_age_seconds: ['Age of the newest block.', perNetwork(({ headAt }) => age(headAt))],
    network_gas_price_wei: [
      'Price of a unit of gas, to be compared with the cap.',
      perNetwork((check) => check.gasPrice),
    ],
    node_usable: [
      'Whether a node can do what deliveries need, by its position in rpcUrls.',
      state.networks.flatMap(({ chainId, nodes }) =>
        nodes.map(({ problem }, node) => [{ chain_id: chainId, node }, problem === null]),
      ),
    ],
    findings_unacknowledged: [
      'Foreign transactions, changes of contracts and cancellations that nobody has acknowledged, up to 5 an alarm.',
      one(findings.length),
    ],
    contract_paused: [
      'Whether the Delivery contract is paused or retired.',
      perNetwork(({ isPaused, isRetired }) => (isPaused === null ? null : isPaused || isRetired)),
    ],
    signer_balance_wei: ['Balance of a signer.', perSigner(({ balance }) => balance)],
    signer_is_relayer: ['Whether a signer is a relayer.', perSigner(({ limit }) => limit !== null)],
    signer_deliveries_left: [
      'Items that the balance of a signer pays for.',
      perSigner(({ deliveries }) => deliveries),
    ],
    signer_limit_used_ratio: [
      'Used share of the limit of a relayer.',
      perSigner(({ limit }) => limit && 1 - limit.available / limit.capacity),
    ],
    webhook_pending_endpoints: ['Webhook endpoints with something to send.', one(webhooks.pending)],
    webhook_oldest_due_seconds: [
      'For how long the first of them is due, while no run sends to it.',
      one(age(webhooks.dueAt) ?? 0),
    ],
    webhook_disabled_endpoints: ['Disabled webhook endpoints.', one(webhooks.disabled)],
    token_ends_timestamp_seconds: [
      'When an API token ends that is used, within 30 days.',
      state.endingTokens.map(({ id, role, expiresAt }) => [
        { token: id, role },
        Date.parse(expiresAt) / 1000,
      ]),
    ],
    cron_last_run_timestamp_seconds: [
      'When the last cron run ended.',
      one(cron?.finishedAt ? Date.parse(cron.finishedAt) / 1000 : null),
    ],
    cron_failed_jobs: [
      'Jobs that failed in the last cron run.',
      one(cron ? cron.failedJobs.length : null),
    ],
    database_size_bytes: ['Size of D1, which has room for 10 GB.', one(state.databaseBytes)],
    storage_up: ['Whether R2 answers.', one(state.storageProblem === null)],
    failures_total: [
      'Mails that Cloudflare did not take, pictures that it did not convert, and requests that failed.',
      failureKinds.map((kind) => [
        { kind },
        state.failureCounts.find((row) => row.kind === kind)?.total ?? 0,
      ]),
    ],
    backup_timestamp_seconds: [
      'When the database was backed up last.',
      one(state.backup && Date.parse(state.backup.at) / 1000),
    ],
    alarm: ['An alarm that lasts.', alarms.map(({ name, subject }) => [{ name, subject }, 1])],
  }
}

/** Returns the lines of all metrics that have a known value. */
export function formatMetrics(state: State, now: Date): string {
  const lines = Object.entries(gauges(state, now)).flatMap(([name, [help, samples]]) => {
    const known = samples.filter(([, value]) => value !== null)
    if (known.length === 0) return []
    return [
      `# HELP marketplace_${name} ${help}`,
      `# TYPE marketplace_${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`,
      ...known.map(
        ([labels, value]) =>
          `marketplace_${name}${formatLabels(labels)} ${typeof value === 'boolean' ? +value : value}`,
      ),
    ]
  })
  return `${lines.join('\n')}\n`
}

function formatLabels(labels: Record<string, string | number>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length > 0 ? `{${pairs}}` : ''
}

const escaped = (value: string) =>
  value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
