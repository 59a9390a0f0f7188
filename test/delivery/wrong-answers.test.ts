/** Nodes that are slow, stand still, make up receipts or lack logs. */
import { env } from 'cloudflare:workers'
import { encodeAbiParameters, encodeEventTopics, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, rowOf, rowsOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'

const logged = recordLogs()
const edition = { standard: 'erc1155' } as const
const times = <T>(count: number, value: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => value(i))

const leaseOf = ({ chainId }: Chain) =>
  env.DB.prepare('SELECT lease, leaseUntil FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<{ lease: string | null; leaseUntil: string }>()

const token = (i: number) => `0x${(i + 1).toString(16).padStart(40, 'd')}`

it('keeps the lease while it asks about 400 tokens at 19 calls a second', async () => {
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
})

it('delivers honest items at 19 calls a second and two nodes, behind 400 tokens that do not exist', async () => {
  const chain = await aChain({ erc1155: 5 })
  await paidItems(
    chain,
    times(400, (i) => ({ ...edition, contract: token(i) })),
  )
  const honest = await paidItems(
    chain,
    times(5, () => ({ ...edition, placer: 'user:2' })),
  )
  let start = 0
  let cronAt = Infinity
  const background: Promise<unknown>[] = []
  const market = aMarketplace(chain, {
    nodes: 2,
    network: { callsPerSecond: 19 },
    onWait: async () => {
      if (Date.now() < cronAt || Date.now() - start > 20 * 60_000) return
      cronAt = Date.now() + 60_000
      background.push(market.runCron().then(() => market.deliver()))
    },
  })
  start = Date.now()
  cronAt = start + 60_000
  market.queue.put(chain)
  await market.deliver()
  for (let i = 0; i < background.length; i++) await background[i]
  const { results } = await env.DB.prepare(
    `SELECT updatedAt, state FROM deliveries WHERE id IN (SELECT value FROM json_each(?))`,
  )
    .bind(JSON.stringify(honest.map(({ id }) => id)))
    .all<{ updatedAt: string; state: string }>()
  const late = results.map(({ updatedAt, state }) =>
    state === 'transferred' ? Math.round((Date.parse(updatedAt) - start) / 1000) : state,
  )
  for (const seconds of late) expect(seconds).toBeLessThan(300)
})

it('keeps the lease while it looks for the transactions of 400 items, after a restore', async () => {
  const chain = await aChain({ erc1155: 500 })
  const items = await paidItems(
    chain,
    times(400, () => edition),
  )
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
})

const [FAILED] = encodeEventTopics({ abi: deliveryAbi, eventName: 'DeliveryFailed' })

it('does not fail an item because one of two nodes makes up receipts', async () => {
  const chain = await aChain({ erc1155: 10 })
  await chain.setAutomine(false)
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  for (let i = 0; i < 3; i++) {
    market.queue.put(chain)
    await market.deliver()
    const transactions = await transactionsOf(chain)
    const { hash } = transactions.at(-1) ?? { hash: '0x' }
    const head = Object(await chain.rpc('eth_getBlockByNumber', 'latest', false))
    await chain.setFaults(
      {
        node: '0',
        on: ['eth_getTransactionReceipt'],
        containing: hash,
        effect: {
          result: {
            transactionHash: hash,
            blockNumber: head.number,
            blockHash: head.hash,
            status: '0x1',
            from: chain.signer,
            gasUsed: '0x5208',
            effectiveGasPrice: '0x1',
            logs: [
              {
                address: chain.delivery,
                topics: [FAILED, item.key],
                data: encodeAbiParameters(
                  [{ type: 'uint256' }, { type: 'bytes' }],
                  [30_000n, '0x'],
                ),
              },
            ],
          },
        },
      },
      {
        node: '0',
        on: ['eth_getTransactionCount'],
        effect: { result: numberToHex(i + 1) },
      },
    )
    pass(10)
    market.queue.put(chain)
    await market.deliver()
  }
  expect(await rowOf(item)).not.toMatchObject({ state: 'failed' })
})

it('has the right stock if a cancelled item is delivered after a reorganization', async () => {
  const chain = await aChain({ erc1155: 10 })
  await chain.setAutomine(false)
  await chain.mine()
  const item = await aPaidItem(chain, edition)
  const engine = anEngine(chain)
  let time = 0
  const aStep = () => {
    time += 61
    return engine.step(time)
  }
  await aStep()
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
    await aStep()
    await chain.mine()
  }
  await aStep()
  expect(await rowOf(item)).toMatchObject({ state: 'cancelled' })
  const stock = () =>
    env.DB.prepare('SELECT availableAmount AS n FROM nfts WHERE id = ?')
      .bind(item.id)
      .first<number>('n')
  expect(await stock()).toBe(100)
  await chain.rpc('anvil_reorg', (await height()) - before, [])
  await chain.rpc('anvil_dropAllTransactions')
  await chain.rpc('eth_sendRawTransaction', first?.raw)
  await chain.mine()
  await aPaidItem(chain, edition)
  for (let i = 0; i < 6; i++) {
    await aStep()
    await chain.mine()
  }
  const row = await rowOf(item)
  expect(row.state).toBe('transferred')
  expect(await stock()).toBe(99)
})
void logged
void rowsOf

it('needs no second node that has stood still, after ten minutes and with an alarm', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const head = Number(Object(await chain.rpc('eth_getBlockByNumber', 'latest', false)).number)
  await chain.setFaults({ node: '1', effect: { asOf: head } })
  const item = await aPaidItem(chain, edition)
  market.queue.put(chain)
  const seen = new Set<string>()
  for (let i = 0; i < 25; i++) {
    await market.deliver()
    pass(60)
    await market.mine()
    await market.runCron()
    const { results } = await env.DB.prepare('SELECT key FROM alarms').all<{ key: string }>()
    for (const { key } of results) seen.add(key)
  }
  expect([...seen]).toContain(`second_node_silent:${chain.chainId}`)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
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
