/** Nodes that are slow, stand still, make up receipts or lack logs. */

import { env } from 'cloudflare:workers'
import { expect, inject, it } from 'vitest'
import { stockOfItem } from '../admin/operator.ts'
import { copies, times } from '../orders/shop.ts'
import { aChain, aSlowChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, aStepper, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'

recordLogs()
const aStep = aStepper()
const edition = { standard: 'erc1155' } as const

const leaseOf = ({ chainId }: Chain) =>
  env.DB.prepare('SELECT lease, leaseUntil FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<{ lease: string | null; leaseUntil: string }>()

const token = (i: number) => `0x${(i + 1).toString(16).padStart(40, 'd')}`

it.runIf(inject('isLong'))(
  'keeps the lease while it asks about 400 tokens at 19 calls a second',
  async () => {
    const chain = await aChain({ erc1155: 5 })
    await paidItems(
      chain,
      times(400, (i) => ({ ...edition, contract: token(i) })),
    )
    let longest = 0
    const market = aMarketplace(chain, {
      network: { callsPerSecond: 19 },
      onWait: async () => {
        const row = await leaseOf(chain)
        if (row?.lease) longest = Math.max(longest, Date.now() - Date.parse(row.leaseUntil))
      },
    })
    market.queue.put(chain)
    await market.deliver()
    expect(longest).toBe(0)
  },
)

it.runIf(inject('isLong'))(
  'keeps the lease while it looks for the transactions of 400 items, after a restore',
  async () => {
    const chain = await aChain({ erc1155: 500 })
    const items = await paidItems(chain, copies(400, edition))
    await chain.setAutomine(true)
    let longest = 0
    let isWatched = false
    const market = aMarketplace(chain, {
      network: { callsPerSecond: 10_000, itemsPerTransaction: 1, transactionsInFlight: 64 },
      onWait: async () => {
        const row = await leaseOf(chain)
        if (isWatched && row?.lease)
          longest = Math.max(longest, Date.now() - Date.parse(row.leaseUntil))
      },
    })
    market.queue.put(chain)
    await market.settle()
    const at = new Date().toISOString()
    await env.DB.batch([
      env.DB.prepare(
        `UPDATE deliveries SET state = 'queued', dueAt = ?2, transactionId = NULL, contract = NULL
       WHERE id IN (SELECT value FROM json_each(?1))`,
      ).bind(JSON.stringify(items.map(({ id }) => id)), at),
      env.DB.prepare('DELETE FROM transactions WHERE chainId = ?').bind(chain.chainId),
      env.DB.prepare('DELETE FROM networks WHERE chainId = ?').bind(chain.chainId),
    ])
    market.configure({ network: { callsPerSecond: 19 } })
    isWatched = true
    pass(100)
    market.queue.put(chain)
    await market.deliver()
    expect(longest).toBe(0)
  },
)

it('has the right stock if a cancelled item is delivered after a reorganization', async () => {
  const chain = await aSlowChain()
  const item = await aPaidItem(chain, edition)
  const engine = anEngine(chain)
  await aStep(engine)
  const [first] = await transactionsOf(chain)
  const height = async () =>
    Number(Object(await chain.rpc('eth_getBlockByNumber', 'latest', false)).number)
  const before = await height()
  // The first bytes get lost; somebody uses the nonce; the item is cancelled at another one.
  await chain.rpc('anvil_dropAllTransactions')
  await engine.cancel(item)
  await chain.rpc('eth_sendTransaction', {
    from: chain.signer,
    to: chain.owner,
    value: '0x0',
    nonce: '0x0',
  })
  await chain.mine()
  for (let i = 0; i < 4; i++) {
    await aStep(engine)
    await chain.mine()
  }
  await aStep(engine)
  expect(await rowOf(item)).toMatchObject({ state: 'cancelled' })
  const stock = () => stockOfItem(item.id)
  expect(await stock()).toBe(100)
  await chain.rpc('anvil_reorg', (await height()) - before, [])
  await chain.rpc('anvil_dropAllTransactions')
  await chain.rpc('eth_sendRawTransaction', first?.raw)
  await chain.mine()
  await aPaidItem(chain, edition)
  for (let i = 0; i < 6; i++) {
    await aStep(engine)
    await chain.mine()
  }
  const row = await rowOf(item)
  expect(row.state).toBe('transferred')
  expect(await stock()).toBe(99)
})

it('does not take an item for transferred because a node lacks logs once', async () => {
  const chain = await aChain({ erc1155: 10 })
  const contract = await chain.aMaliciousToken({ answer: 'accepts' })
  const item = await aPaidItem(chain, { ...edition, contract })
  const engine = anEngine(chain)
  await engine.run()
  expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'token_moved_nothing' })
  // The database is set back to when the item waited for something else.
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE deliveries SET state = 'queued', dueAt = ?2, failingSince = ?3, transactionId = NULL,
         contract = NULL, reasonCode = 'holder_not_approved' WHERE id = ?1`,
    ).bind(item.id, new Date().toISOString(), new Date(Date.now() - 3_600_000).toISOString()),
    env.DB.prepare('DELETE FROM transactions WHERE chainId = ?').bind(chain.chainId),
    env.DB.prepare('DELETE FROM networks WHERE chainId = ?').bind(chain.chainId),
  ])
  await chain.setFaults({ on: ['eth_getLogs'], effect: { result: [] }, times: 1 })
  await engine.step(61)
  expect(await rowOf(item)).not.toMatchObject({ state: 'transferred' })
  await engine.step(200)
  expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'token_moved_nothing' })
})
