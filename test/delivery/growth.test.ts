/** What runs cost in rows with thousands of earlier deliveries. What each costs by itself: costs.test.ts. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { run } from '../../src/delivery/run.ts'
import { readSettings } from '../../src/env.ts'
import { copies } from '../orders/shop.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { networksOf, rowOf } from '../support/delivery/engine.ts'
import { paidItems } from '../support/delivery/items.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { execute } from '../support/makers.ts'
import { measured } from '../support/measured.ts'

const erc1155 = { standard: 'erc1155' } as const

/** Transfers of the past, 50 in each of their transactions. */
async function transferredItems(chain: Chain, count: number) {
  const ids = (await paidItems(chain, copies(count, erc1155))).map(({ id }) => id)
  await execute(
    `INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced, gas,
       maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, block, blockHash,
       isOpen, createdAt, updatedAt)
     SELECT ?2, ?3, ?4, key / 50, json_group_array(value), printf('0x%064x', key), '[]', '1', '1', '1', 0, 0,
       ?5, 1, '0x1', 0, ?5, ?5 FROM json_each(?1) GROUP BY key / 50`,
    JSON.stringify(ids),
    chain.chainId,
    chain.delivery,
    chain.otherSigner,
    new Date().toISOString(),
  )
  await execute(
    `UPDATE deliveries SET state = 'transferred', dueAt = NULL, contract = ?2, transactionId = (
       SELECT t.id FROM transactions t, json_each(t.items) i WHERE i.value = deliveries.id)
     WHERE id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(ids),
    chain.delivery,
  )
}

/** Rows that a trip may read. */
const FEW = 400

it('with 1,500 transferred and 1,500 waiting items no trip of a run reads more than a few rows', async () => {
  const chain = await aChain({ erc1155: 3 })
  await transferredItems(chain, 1500)
  await paidItems(
    { ...chain, name: 'elsewhere', chainId: 1 },
    copies(1500, { ...erc1155, recipient: null }),
  )
  startClock()
  const { database, trips } = measured(env.DB)
  const { queue } = aRecordingQueue()
  const NETWORKS = networksOf([chain], { finality: 5 })
  const settings = readSettings({ ...env, NETWORKS } as never)
  const deps = { settings, queue, clock: () => new Date(), onEnd: async () => {} }
  // Each run is an invocation, which may use as many statements as any other.
  const runOnce = () => run({ ...deps, db: connect(database) }, chain.chainId, crypto.randomUUID())
  const [item, awaiting] = await paidItems(chain, [erc1155, { ...erc1155, recipient: null }])
  await runOnce()
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
  await chain.mine(5)
  pass(3600)
  await runOnce()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  expect(await rowOf(awaiting)).toMatchObject({ state: 'awaiting_wallet' })
  expect(trips.filter(({ rowsRead }) => rowsRead > FEW)).toEqual([])
})
