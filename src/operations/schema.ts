/** What `GET /health` answers. */
import * as z from 'zod'
import {
  address,
  bool,
  count,
  digits,
  docs,
  id,
  orNull,
  positive,
  text,
  time,
} from '../http/fields.ts'

const problem = orNull(text(docs('What is wrong; null if it answers.')))

const Signer = z
  .object({
    address: address(docs('Address of the signer.')),
    balance: digits(docs('Its balance, wei.')),
    deliveries: count(docs('Items that the balance pays for at the present price of gas.')),
    capacity: orNull(count(docs('Pieces that its limit holds; null if it is no relayer.'))),
    available: orNull(count(docs('Pieces that it may deliver now; null if it is no relayer.'))),
  })
  .meta({ id: 'HealthSigner', description: docs('A signer of transactions.') })

const NetworkHealth = z
  .object({
    name: text(docs('Name of the network, as in `contractNetwork` of an NFT.')),
    chainId: positive(docs('Id of the chain.')),
    checkedAt: time(docs('When a node last answered. Each is asked once a minute.')),
    problem: orNull(text(docs('Why no node can be used since then; null if one answered.'))),
    headNumber: orNull(count(docs('Number of the newest block.'))),
    headSeconds: orNull(z.int().describe(docs('Age of the newest block, seconds.'))),
    isPaused: orNull(bool(docs('Whether the Delivery contract is paused.'))),
    isRetired: orNull(bool(docs('Whether the Delivery contract is retired.'))),
    gasPrice: orNull(digits(docs('Price of a unit of gas, wei.'))),
    signers: z.array(Signer).describe(docs('The signers.')),
  })
  .meta({
    id: 'HealthNetwork',
    description: docs('A network. Values are null before the first answer.'),
  })

const QueueHealth = z
  .object({
    name: text(docs('`deliveries`, `webhooks` or `master_webhooks`.')),
    problem,
    messages: count(docs('Messages that wait.')),
    oldestMessageSeconds: orNull(z.int().describe(docs('Age of the oldest of them, seconds.'))),
  })
  .meta({ id: 'HealthQueue', description: docs('A queue.') })

const LastingAlarm = z
  .object({
    name: text(docs('Name of the alarm.')),
    subject: text(docs('The network, signer, queue or job; empty if there is only one.')),
    detail: text(docs('What is wrong, as a sentence.')),
    raisedAt: time(docs('When it began.')),
    runbookUrl: z.url().describe(docs('What to do.')),
  })
  .meta({ id: 'Alarm', description: docs('Something that somebody has to look at.') })

const Components = z
  .object({
    d1: z
      .object({ problem, bytes: count(docs('Its size, bytes. D1 has room for 10 GB.')) })
      .describe(docs('The database.')),
    r2: z.object({ problem }).describe(docs('The storage of pictures.')),
    queues: z.array(QueueHealth).describe(docs('The queues.')),
    networks: z.array(NetworkHealth).describe(docs('The networks.')),
    deliveries: z
      .object({
        awaitingWallet: count(docs('Items whose buyer has no wallet.')),
        queued: count(docs('Items that wait for a transaction.')),
        inFlight: count(docs('Items whose transaction is not final.')),
        failed: count(docs('Items that failed, and are neither cancelled nor written off.')),
      })
      .describe(
        docs(
          'Numbers of order items that are not delivered. 1,000 of a chain or a reason stand for more, too.',
        ),
      ),
    oldestUndelivered: orNull(
      z
        .object({
          id: id(docs('Id of the order item.')),
          createdAt: time(docs('Time of the order.')),
          seconds: z.int().describe(docs('Its age, seconds.')),
        })
        .describe(docs('The oldest item that is queued or in flight; null if there is none.')),
    ),
    webhooks: z
      .object({
        pending: count(docs('Endpoints with something to send.')),
        oldestDueSeconds: orNull(
          z
            .int()
            .describe(
              'For how long the first of them is due, while no run sends to it, seconds; null if none.',
            ),
        ),
        disabled: count(docs('Endpoints that are disabled.')),
      })
      .describe(docs('Webhooks.')),
    cron: z
      .object({
        lastRunAt: orNull(time(docs('When the last run ended; null before the first.'))),
        failedJobs: z.array(z.string()).describe(docs('Names of the jobs that failed in it.')),
      })
      .describe(docs('The cron trigger, which runs once a minute.')),
    alarms: z.array(LastingAlarm).describe(docs('The alarms that last, the oldest first.')),
  })
  .meta({ id: 'HealthComponents', description: docs('The parts of the instance.') })

export const Health = z
  .object({
    status: z.literal('ok').describe(docs('The instance can serve.')),
    components: Components.optional().describe('The parts of the instance, for a master token.'),
  })
  .meta({ id: 'Health', description: docs('The instance can serve.') })
export type Health = z.infer<typeof Health>
