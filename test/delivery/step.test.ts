/** What single steps of the engine do, on a real chain. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type Changes, Outdated, store } from '../../src/delivery/engine/store.ts'
import { aChain } from '../support/chain/chain.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { db } from '../support/makers.ts'

it('delivers an ERC-1155 item and an ERC-721 item in one transaction', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 10 })
  const [edition, unique] = await paidItems(chain, [
    { standard: 'erc1155', quantity: 3 },
    { standard: 'erc721' },
  ])
  if (!edition || !unique) throw new Error('no items')
  const engine = anEngine(chain)
  await engine.step()
  expect(await rowOf(edition)).toMatchObject({ state: 'in_flight', contract: chain.delivery })
  await engine.step()
  const [transaction, ...others] = await transactionsOf(chain)
  expect(others).toEqual([])
  for (const item of [edition, unique]) {
    expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: transaction?.hash })
    expect(deliveriesOf(item, await transferEvents(chain))).toMatchObject([
      { quantity: item.quantity, transactionHash: transaction?.hash },
    ])
  }
  expect(transaction).toMatchObject({ isOpen: 0, raw: null })
})

it('has nothing to do when nothing is due', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain)
  await engine.run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  expect(await anEngine(chain).step()).toBeNull()
})

const noChanges: Changes = {
  placements: [],
  nonceUses: [],
  replacements: [],
  transactions: [],
  found: [],
  moves: [],
  settled: null,
  compared: null,
}

it('writes nothing for a run whose lease another run has taken', async () => {
  await env.DB.prepare(
    `INSERT INTO networks (chainId, lease, leaseUntil) VALUES (1, 'theirs', '2100-01-01T00:00:00.000Z')`,
  ).run()
  const settledBlock = () =>
    env.DB.prepare('SELECT settledBlock FROM networks WHERE chainId = 1').first('settledBlock')
  const changes = { ...noChanges, settled: { block: 7, hash: '0x07' } } as const
  await expect(store(db, 1, 'ours', changes, new Date())).rejects.toThrow(Outdated)
  expect(await settledBlock()).toBeNull()
  await store(db, 1, 'theirs', changes, new Date())
  expect(await settledBlock()).toBe(7)
})

it('writes nothing if an item was changed after it was loaded', async () => {
  const chain = await aChain({ erc1155: 1 })
  const { chainId } = chain
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  await env.DB.prepare(
    `INSERT INTO networks (chainId, lease, leaseUntil) VALUES (?, 'ours', '2100-01-01T00:00:00.000Z')`,
  )
    .bind(chainId)
    .run()
  const moves: Changes['moves'] = [
    {
      id: item.id,
      version: 0,
      state: 'queued',
      requestedAction: 'deliver',
      failingSince: null,
      tries: 0,
      reasonCode: null,
      reason: null,
      dueAt: null,
    },
  ]
  await env.DB.prepare('UPDATE deliveries SET version = 1 WHERE id = ?').bind(item.id).run()
  const before = await rowOf(item)
  const stored = store(db, chainId, 'ours', { ...noChanges, moves }, new Date())
  await expect(stored).rejects.toThrow(Outdated)
  expect(await rowOf(item)).toEqual(before)
})
