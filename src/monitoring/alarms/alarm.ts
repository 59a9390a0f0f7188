/** What an alarm is: its name and severity, after which time something is one, and the words for it. */
import type { Settings } from '../../env.ts'
import { HOUR, MINUTE, SECOND } from '../../time.ts'
import { MAX_COUNT } from '../state-rows.ts'

/** Milliseconds for which something lasts before it is an alarm. */
export const LIMITS = {
  node: 5 * MINUTE,
  head: 10 * MINUTE,
  second: 10 * MINUTE,
  message: 15 * MINUTE,
  /** An endpoint of an administrator, which gets every alarm. */
  receiver: HOUR,
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
  node_behind: 'warning',
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
  nodes_disagree: 'warning',
  deliveries_delayed: 'warning',
  backlog: 'warning',
  deliveries_failed: 'warning',
  codes_missing: 'warning',
  review_waiting: 'notice',
  sales_stopped: 'warning',
  foreign_transaction: 'critical',
  contract_changed: 'critical',
  unrequested_cancellation: 'critical',
  failed_by_one_node: 'warning',
  signer_has_code: 'critical',
  webhooks_backlog: 'warning',
  webhook_failing: 'warning',
  cron_job_failed: 'critical',
  storage_unavailable: 'warning',
  requests_failed: 'warning',
  mails_refused: 'warning',
  pictures_failed: 'warning',
  backups_stopped: 'warning',
  quota_low: 'notice',
  database_size: 'warning',
  token_ends: 'warning',
  test: 'notice',
} as const satisfies Record<string, Severity>
type AlarmName = keyof typeof severityOf

/**
 * `key`: name and subject. `detail`: a sentence without personal data. `version`: of an alarm that can be
 * acknowledged, the id of its newest finding, or the time of its newest member in milliseconds since 1970.
 */
export type Alarm = { key: string; name: AlarmName; subject: string; detail: string } & {
  version: number | null
}

/** What decides whether something is an alarm. */
export type Criteria = { settings: Settings; now: Date; limits: typeof LIMITS }

/** The subject says which network, signer, queue or job, if there are several. */
export const alarm = (
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

export const isOld = (at: string | null, limit: number, now: Date): at is string =>
  at !== null && now.getTime() - new Date(at).getTime() >= limit

/** Names a number that is counted up to `MAX_COUNT`. */
export const countedUp = (count: number, one: string, many = `${one}s`) =>
  count < MAX_COUNT ? counted(count, one, many) : `${MAX_COUNT} or more ${many}`

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count} ${count === 1 ? one : many}`

/** Names a time to the minute. */
export const when = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`
