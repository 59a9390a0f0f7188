/** What `GET /health` tells a master token. */

import { runbookUrl } from './notify.ts'
import type { State } from './state.ts'

/** Whole seconds since a time; null without one. */
export const secondsSince = <T extends string | null>(at: T, now: Date) =>
  (at === null ? null : Math.floor((now.getTime() - Date.parse(at)) / 1000)) as number | (T & null)

/** Adds a number of each group. */
export const countWork = (work: State['work'], of: 'queued' | 'inFlight'): number =>
  work.reduce((sum, group) => sum + group[of], 0)

/** Returns the parts of the instance, for a master token. */
export function describeHealth(state: State, publicUrl: string, now: Date) {
  const [oldest] = state.work.toSorted((a, b) => a.firstId - b.firstId)
  const { awaitingWallet, failed, work, webhooks, cron } = state
  return {
    d1: { problem: null, bytes: state.databaseBytes },
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
      signers: (seen.signers ?? []).map(({ address, balance, deliveries, limit }) => ({
        address,
        balance,
        deliveries,
        capacity: limit?.capacity ?? null,
        available: limit?.available ?? null,
      })),
    })),
    deliveries: {
      awaitingWallet,
      queued: countWork(work, 'queued'),
      inFlight: countWork(work, 'inFlight'),
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
    alarms: state.alarms.map(({ key, name, subject, detail, version, raisedAt }) => ({
      key,
      name,
      subject,
      detail,
      version,
      raisedAt,
      runbookUrl: runbookUrl(publicUrl, name),
    })),
  }
}
