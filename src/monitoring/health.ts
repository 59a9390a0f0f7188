/** What `GET /health` answers: whether the instance can serve, and to a master token its state. */
import * as z from 'zod'
import * as f from '../http/fields.ts'
import { SECOND } from '../time.ts'
import { runbookUrl } from './alarms/notify.ts'
import { countDeliveries, type State } from './state.ts'

const seconds = (description: string) => z.int().describe(description)
const problem = f.orNull(f.text('What is wrong; null if it answers.'))

const Signer = f.model('HealthSigner', 'A signer of transactions.', () => ({
  address: f.address('Address of the signer.'),
  balance: f.digits('Its balance, wei.'),
  deliveries: f.count('Items that the balance pays for at the present price of gas.'),
  capacity: f.orNull(f.count('Pieces that its limit holds; null if it is no relayer.')),
  available: f.orNull(f.count('Pieces that it may deliver now; null if it is no relayer.')),
}))

const Network = f.model(
  'HealthNetwork',
  'A network. Values are null before the first answer.',
  () => ({
    name: f.text('Name of the network, as in `contractNetwork` of an NFT.'),
    chainId: f.positive('Id of the chain.'),
    checkedAt: f.time('When a node last answered. Each is asked once a minute.'),
    problem: f.orNull(f.text('Why no node can be used since then; null if one answered.')),
    headNumber: f.orNull(f.count('Number of the newest block.')),
    headSeconds: f.orNull(seconds('Age of the newest block, seconds.')),
    isPaused: f.orNull(f.bool('Whether the Delivery contract is paused.')),
    isRetired: f.orNull(f.bool('Whether the Delivery contract is retired.')),
    gasPrice: f.orNull(f.digits('Price of a unit of gas, wei.')),
    signers: z.array(Signer).describe('The signers.'),
  }),
)

const QueueHealth = f.model('HealthQueue', 'A queue.', () => ({
  name: f.text('`deliveries`, `webhooks` or `master_webhooks`.'),
  problem,
  messages: f.count('Messages that wait.'),
  oldestMessageSeconds: f.orNull(seconds('Age of the oldest of them, seconds.')),
}))

const LastingAlarm = f.model('Alarm', 'Something that somebody has to look at.', () => ({
  key: f.text('Name and subject, as `POST /api/admin/alarms/<key>/acknowledge` takes them.'),
  name: f.text('Name of the alarm.'),
  subject: f.text('The network, signer, queue or job; empty if there is only one.'),
  detail: f.text('What is wrong, as a sentence.'),
  version: f.orNull(
    f.count('What an acknowledgement is about; null for an alarm that nobody can acknowledge.'),
  ),
  raisedAt: f.time('When it began.'),
  runbookUrl: z.url().describe('What to do.'),
}))

const Components = f.model('HealthComponents', 'The parts of the instance.', () => ({
  d1: f.object('The database.', {
    problem,
    bytes: f.count('Its size, bytes. D1 has room for 10 GB.'),
  }),
  r2: f.object('The storage of pictures.', { problem }),
  queues: z.array(QueueHealth).describe('The queues.'),
  networks: z.array(Network).describe('The networks.'),
  deliveries: f.object(
    'Numbers of order items that are not delivered. 1,000 of a chain or a reason stand for more, too.',
    {
      awaitingWallet: f.count('Items whose buyer has no wallet.'),
      queued: f.count('Items that wait for a transaction.'),
      inFlight: f.count('Items whose transaction is not final.'),
      failed: f.count('Items that failed, and are neither cancelled nor written off.'),
    },
  ),
  oldestUndelivered: f.orNull(
    f.object('The oldest item that is queued or in flight; null if there is none.', {
      id: f.id('Id of the order item.'),
      createdAt: f.time('Time of the order.'),
      seconds: seconds('Its age, seconds.'),
    }),
  ),
  webhooks: f.object('Webhooks.', {
    pending: f.count('Endpoints with something to send.'),
    oldestDueSeconds: f.orNull(
      seconds(
        'For how long the first of them is due, while no run sends to it, seconds; null if none.',
      ),
    ),
    disabled: f.count('Endpoints that are disabled.'),
  }),
  cron: f.object('The cron trigger, which runs once a minute.', {
    lastRunAt: f.orNull(f.time('When the last run ended; null before the first.')),
    failedJobs: z.array(z.string()).describe('Names of the jobs that failed in it.'),
  }),
  alarms: z.array(LastingAlarm).describe('The alarms that last, the oldest first.'),
}))

export const Health = f.model('Health', 'The instance can serve.', () => ({
  status: z.literal('ok').describe('The instance can serve.'),
  components: Components.optional().describe('The parts of the instance, for a master token.'),
}))

/** Returns the whole seconds since a time; null without one. */
export function secondsSince(at: string, now: Date): number
export function secondsSince(at: string | null, now: Date): number | null
export function secondsSince(at: string | null, now: Date): number | null {
  return at === null ? null : Math.floor((now.getTime() - Date.parse(at)) / SECOND)
}

export function describeHealth(state: State, publicUrl: string, now: Date) {
  const [oldest = null] = state.underWay.toSorted((a, b) => a.firstId - b.firstId)
  const { underWay, webhooks, cron } = state
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
      awaitingWallet: state.awaitingWallet,
      queued: countDeliveries(underWay, 'queued'),
      inFlight: countDeliveries(underWay, 'inFlight'),
      failed: state.failed,
    },
    oldestUndelivered: oldest && {
      id: oldest.firstId,
      createdAt: oldest.firstAt,
      seconds: secondsSince(oldest.firstAt, now),
    },
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
