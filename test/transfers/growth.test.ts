/** What the transfers of years past cost those of today: nothing. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { settingsOf } from '../../src/env.ts'
import { runCron } from '../../src/maintenance/cron.ts'
import { advance } from '../../src/transfers/advance.ts'
import { filters, pageOf } from '../../src/transfers/operator.ts'
import { beginAwaiting } from '../../src/transfers/wallet-linked.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { measured } from '../support/measured.ts'
import { paidItems } from '../support/transfers/items.ts'
import { networksOf } from '../support/transfers/looks.ts'
import { aRecordingQueue } from '../support/transfers/queue.ts'

const MANY = 3000
/** What the reading of one more row by chance may come to. */
const FEW = 300

/** Transfers that came to their end long ago. */
async function aPast(chain: Chain) {
  const sale = { standard: 'erc1155' as const }
  const items = await paidItems(
    chain,
    Array.from({ length: MANY }, () => sale),
  )
  const ids = JSON.stringify(items.map(({ id }) => id))
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO transactions (chainId, signer, nonce, attempt, hash, transferId, generation,
         kind, raw, gas, maxFeePerGas, maxPriorityFeePerGas, createdAt)
       SELECT ?2, ?3, key, 0, 'past ' || key, value, 1, 'transfer', '', '1', '1', '1', '2026'
       FROM json_each(?1)`,
    ).bind(ids, chain.chainId, chain.signer),
    env.DB.prepare(
      `UPDATE transfers SET status = 'transferred', dueAt = NULL
       WHERE id IN (SELECT value FROM json_each(?1))`,
    ).bind(ids),
  ])
  // As if the chain had seen them.
  await chain.rpc('anvil_setNonce', chain.signer, `0x${MANY.toString(16)}`)
}

it('reads a bounded number of rows, however many transfers there have been', async () => {
  const chain = await aChain({ erc1155: 100 })
  await aPast(chain)
  const { database, trips } = measured(env.DB)
  const db = connect(database)
  const sale = { standard: 'erc1155' as const }
  const items = await paidItems(chain, [sale, { ...sale, recipient: null }])
  const NETWORKS = networksOf([chain])
  const settings = settingsOf({ ...env, NETWORKS } as never)
  const ids = items.map(({ id }) => id)

  expect(await advance({ db, settings }, ids, new Date())).toHaveLength(1)
  await chain.mine()
  expect(await advance({ db, settings }, ids, new Date(Date.now() + 5000))).toEqual([])
  for (const status of filters.filter((status) => status !== 'transferred'))
    await db.batch([pageOf(db, { status, cursor: 0, limit: 50 })])
  await db.batch(beginAwaiting(db, 1, chain.seller, new Date()))
  await runCron({ ...env, DB: database, TRANSFERS: aRecordingQueue().queue }, new Date())

  const dear = trips.filter(({ rowsRead }) => rowsRead > FEW)
  expect(dear).toEqual([])
  expect(trips.length).toBeGreaterThan(12)
})
