/** Somebody watches the instance. */
import { transferSigner } from '../../catalogue/demo.ts'
import { LOCAL_CHAIN_ID } from '../../chain/collectibles.ts'
import type { Teller } from './teller.ts'

/** What the cron run would see differs from run to run, so this is what it has seen. */
const seen = (at: string) => {
  const signers = [
    {
      address: transferSigner.address,
      balance: '250000000000000000',
      deliveries: 833,
      allowance: 9_992,
    },
  ]
  return [
    `INSERT OR REPLACE INTO networkChecks VALUES (${LOCAL_CHAIN_ID}, '${at}', NULL, 4711, '${at}',
      '1000000000', 0, 0, '${JSON.stringify(signers)}')`,
    `INSERT OR REPLACE INTO cronRuns VALUES (1, '${at}', '${at}', '[]')`,
    // It fails at a time that differs.
    "UPDATE deliveries SET state = 'failed', dueAt = NULL, version = version + 1 WHERE state = 'queued'",
    'DELETE FROM alarms',
    `INSERT INTO alarms VALUES ('deliveries_failed', 'deliveries_failed', '1 delivery failed.',
      '${at}', '${at}')`,
  ]
}

export async function operationsChapter({ show, tokens, world, now }: Teller): Promise<void> {
  for (const statement of seen(now().toISOString())) await world.sql(statement)
  await show(200, 'getHealth', 'serves', 'The instance can serve')
  const master = { token: tokens.shop }
  await show(200, 'getHealth', 'parts', 'The parts of the instance', master)
  const { metrics: token } = tokens
  await show(200, 'getMetrics', 'metrics', 'The metrics', { token })
  await show(403, 'listOrders', 'forbidden', 'The token is for metrics only', { token })
}
