/** What must not stop a chain, a signer or a token, nor raise a false alarm of theft. */

import { env } from 'cloudflare:workers'
import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { connect } from '../../src/db/client.ts'
import { step } from '../../src/delivery/run.ts'
import { queueAwaiting, removeRecipient } from '../../src/delivery/wallet.ts'
import { readSettings } from '../../src/env.ts'
import { copies, times } from '../orders/shop.ts'
import { inLong } from '../support/cases.ts'
import { aChain, aSlowChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, networksOf, rowsOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { aTransaction, db } from '../support/makers.ts'

recordLogs()
const edition = { standard: 'erc1155' } as const
const HOUR = 3600

const pauseOf = async ({ chainId }: Chain) =>
  env.DB.prepare('SELECT reverts, pausedUntil FROM signers WHERE chainId = ?')
    .bind(chainId)
    .first<{ reverts: number; pausedUntil: string | null }>()

it('pauses a signer a minute, not half an hour, after transactions that were mined too late together', async () => {
  const chain = await aSlowChain()
  await paidItems(chain, copies(8, edition))
  const engine = anEngine(chain, { itemsPerTransaction: 1 })
  await engine.step()
  expect(await transactionsOf(chain)).toHaveLength(8)
  await chain.rpc('evm_increaseTime', 2 * HOUR)
  await chain.mine()
  await engine.step(61)
  const paused = await pauseOf(chain)
  const until = paused?.pausedUntil ? Date.parse(paused.pausedUntil) : 0
  expect(until - Date.now()).toBeLessThan(61_000 + 2 * 60_000)
})

inLong(
  'signs the nonce of an expired transaction again, although another signer left a hundred',
  async () => {
    const chain = await aSlowChain()
    await chain.rpc('anvil_setNonce', chain.signer, numberToHex(200))
    const item = await aPaidItem(chain, edition)
    const engine = anEngine(chain)
    await engine.step()
    await chain.rpc('anvil_dropAllTransactions')
    // Two signers with 64 transactions in flight each that expired, and were replaced.
    for (let nonce = 0; nonce < 128; nonce++)
      await aTransaction({
        ...{ chainId: chain.chainId, contract: chain.delivery, signer: chain.owner, nonce },
        ...{ deadline: 1, block: null, blockHash: null, isOpen: true },
      })
    await chain.rpc('evm_increaseTime', 2 * HOUR)
    await chain.mine()
    await engine.step(61)
    await engine.step(122)
    await chain.mine()
    await engine.step(183)
    await chain.mine()
    await engine.step(244)
    await expectDelivered(chain, [item])
  },
)

it('delivers honest items although a buyer links and unlinks a wallet all the time', async () => {
  const chain = await aChain({ erc1155: 50 })
  const honest = await paidItems(chain, copies(5, edition))
  const hostile = await aPaidItem(chain, { ...edition, placer: 'account:666' })
  const buyerOf = await env.DB.prepare('SELECT buyerId FROM orders WHERE id = ?')
    .bind(hostile.orderId)
    .first<number>('buyerId')
  expect(buyerOf).not.toBeNull()
  const buyerId = buyerOf ?? 0
  let prepared: string[] = []
  let swaps = 0
  const relink = async () => {
    swaps++
    const now = new Date()
    const wallet = { address: hostile.recipient ?? '', walletChainId: 0 }
    await batch(db, removeRecipient(db, buyerId, now))
    await batch(db, queueAwaiting(db, buyerId, wallet, now))
  }
  const own = connect({
    prepare: (query: string) => {
      prepared.push(query)
      return env.DB.prepare(query)
    },
    batch: async (statements: D1PreparedStatement[]) => {
      const isStore = prepared.some((sql) => sql.includes('UPDATE networks SET leaseUntil'))
      prepared = []
      if (isStore) await relink()
      return env.DB.batch(statements)
    },
  } as never)
  const settings = readSettings({ ...env, NETWORKS: networksOf([chain]) } as never)
  const network = settings.NETWORKS[chain.name]
  if (!network) throw new Error('no network')
  const start = Date.now()
  for (let i = 0; i < 10; i++)
    await step(own, settings, network, 'ours', () => new Date(start + i * 1000))
  expect(swaps).toBeGreaterThan(0)
  const states = [...(await rowsOf(honest)).values()].map(({ state }) => state)
  expect(states).toEqual(times(5, () => 'transferred'))
})

const alarmDetails = async ({ chainId }: Chain) =>
  (
    await env.DB.prepare(
      `SELECT detail FROM alarms WHERE name = 'foreign_transaction' AND key LIKE ?`,
    )
      .bind(`%:${chainId}:%`)
      .all<{ detail: string }>()
  ).results.map(({ detail }) => detail)

/** A transaction that has expired, and is mined too late. */
async function mineExpired(chain: Chain, market: ReturnType<typeof aMarketplace>) {
  await chain.setAutomine(false)
  await market.runCron()
  const item = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await market.deliver()
  const [first] = await transactionsOf(chain)
  await chain.rpc('anvil_dropAllTransactions')
  await chain.setFaults({ on: ['eth_sendRawTransaction'], effect: { dropTransaction: true } })
  // The seller withdraws the approval, so nothing else is signed at the nonce.
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
  pass(2 * HOUR)
  await market.mine()
  await market.runCron()
  await market.deliver()
  pass(60)
  for (let i = 0; i < 6; i++) await market.mine()
  await market.runCron()
  await market.deliver()
  expect(await transactionsOf(chain)).toMatchObject([{ isOpen: 1, items: '[]' }])
  return { item, raw: first?.raw }
}

inLong(
  'raises no alarm of theft on a chain with four blocks a second, after expired bytes were mined',
  async () => {
    const chain = await aChain({ erc1155: 10 })
    const market = aMarketplace(chain)
    const { raw } = await mineExpired(chain, market)
    await chain.rpc('eth_sendRawTransaction', raw)
    for (let i = 0; i < 5; i++) {
      pass(1)
      await market.mine()
      await chain.rpc('anvil_mine', '0xf0', '0x0')
      pass(59)
      await market.runCron()
      await market.deliver()
    }
    expect((await transactionsOf(chain))[0]).toMatchObject({ isOpen: 0 })
    expect(await alarmDetails(chain)).toEqual([])
  },
)
