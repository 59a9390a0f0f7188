/** What `GET /health` tells a master token. */
import type { Health } from './openapi.ts'
import { runbookUrlOf } from './raise.ts'
import type { State } from './state.ts'

/** Whole seconds since a time; null without one. */
export const secondsSince = <T extends string | null>(at: T, now: Date) =>
  (at === null ? null : Math.floor((now.getTime() - Date.parse(at)) / 1000)) as number | (T & null)

/** Adds a number of each group. */
export const sumOf = (work: State['work'], of: 'queued' | 'inFlight'): number =>
  work.reduce((sum, group) => sum + group[of], 0)

/** The oldest item that is queued or in flight. */
export const oldestOf = ({ work }: State) => work.toSorted((a, b) => a.firstId - b.firstId)[0]

export function componentsOf(
  state: State,
  publicUrl: string,
  now: Date,
): NonNullable<Health['components']> {
  const oldest = oldestOf(state)
  const { awaitingWallet, failed, work, webhooks, cron } = state
  return {
    d1: { problem: null },
    r2: { problem: state.storageProblem },
    queues: Object.entries(state.queues).map(([name, { problem, messages, oldestAt }]) => ({
      name,
      problem,
      messages,
      oldestMessageSeconds: secondsSince(oldestAt, now),
    })),
    networks: state.networks.map(({ name, chainId, checkedAt, problem, headAt, ...seen }) => ({
      name,
      chainId,
      checkedAt,
      problem,
      headNumber: seen.headNumber,
      headSeconds: secondsSince(headAt, now),
      isPaused: seen.isPaused,
      isRetired: seen.isRetired,
      gasPrice: seen.gasPrice,
      signers: seen.signers ?? [],
    })),
    deliveries: {
      awaitingWallet,
      queued: sumOf(work, 'queued'),
      inFlight: sumOf(work, 'inFlight'),
      failed,
    },
    oldestUndelivered: oldest
      ? {
          id: oldest.firstId,
          createdAt: oldest.firstAt,
          seconds: secondsSince(oldest.firstAt, now),
        }
      : null,
    webhooks: {
      pending: webhooks.pending,
      oldestDueSeconds: secondsSince(webhooks.dueAt, now),
      disabled: webhooks.disabled,
    },
    cron: { lastRunAt: cron?.finishedAt ?? null, failedJobs: cron?.failedJobs ?? [] },
    alarms: state.alarms.map(({ name, subject, detail, raisedAt }) => ({
      name,
      subject,
      detail,
      raisedAt,
      runbookUrl: runbookUrlOf(publicUrl, name),
    })),
  }
}
