/** What the Delivery contract and the configuration allow the signers. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import type { ReasonCode } from '../../src/db/schema/delivery.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { copies } from '../orders/shop.ts'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { deployContract } from '../support/delivery/contracts.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, rowsOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

const DAY = 86_400
/** Days since 1970, the same for all blocks of a test that runs over midnight. */
const TODAY = Math.floor(Date.now() / 1000 / DAY)

const edition = { standard: 'erc1155' } as const

/** The states of items, with how many have each. */
async function statesOf(items: readonly PaidItem[]): Promise<Record<string, number>> {
  const byState = Map.groupBy((await rowsOf(items)).values(), ({ state }) => state)
  return Object.fromEntries([...byState].map(([state, rows]) => [state, rows.length]))
}

/** How many items each transaction has. */
const sizesOf = async (chain: Chain): Promise<number[]> =>
  (await transactionsOf(chain)).map(({ items }) => JSON.parse(items).length)

/** An item that goes on as soon as the contract allows it. */
const due = (reasonCode: ReasonCode | null) => ({ state: 'queued', reasonCode, tries: 0 })

it('a paused contract gets no transactions, and the items are delivered once it is not paused', async () => {
  const chain = await aChain({ erc1155: 2 })
  const items = await paidItems(chain, copies(2, edition))
  const engine = anEngine(chain)
  await chain.asOwner('pause')
  await engine.step()
  await engine.step(25 * 3600)
  for (const item of items) expect(await rowOf(item)).toMatchObject(due('contract_paused'))
  expect(await transactionsOf(chain)).toEqual([])
  const line = { chainId: chain.chainId, contract: chain.delivery }
  expect(logged('contract_unavailable')).toEqual([line, line])
  await chain.asOwner('unpause')
  await engine.run(25 * 3600)
  await expectDelivered(chain, items)
})

const limits = [
  [
    'a token',
    'token_limit_reached',
    (chain: Chain) => ['setTokenLimit', chain.contracts.erc1155] as const,
  ],
  ['a relayer', 'relayer_limit_reached', (chain: Chain) => ['setRelayer', chain.signer] as const],
] as const

it.each(firstCases(1, limits))(
  'the limit of %s gives orders of its size their turn, one after the other, although smaller ones never end, which get half of it',
  async (_, reason, setter) => {
    /** Seconds in which the limit fills. */
    const FILLING = 360
    const chain = await aChain({ erc1155: 400 })
    const earlier = await aPaidItem(chain, edition)
    // It allows 20 pieces at once, and 20 in six minutes. One is used.
    const [set, of] = setter(chain)
    await chain.asOwner(set, of, 20n, 4800n)
    const engine = anEngine(chain)
    await engine.run()
    await expectDelivered(chain, [earlier])
    // Saving begins every 2.5 of these times.
    let time = 2.5 * FILLING - ((Date.now() / 1000) % (2.5 * FILLING)) + 1
    const small: PaidItem[] = []
    /** More orders of one piece than flow back meanwhile: 6 for 5, every 90 seconds. */
    const sellFor = async (fillings: number) => {
      for (const end = time + fillings * FILLING; time < end; time += FILLING / 4) {
        small.push(...(await paidItems(chain, copies(6, edition))))
        await engine.run(time)
        await chain.rpc('evm_increaseTime', FILLING / 4)
        await chain.mine()
      }
    }
    const order = { ...edition, quantity: 20 }
    const large = await paidItems(chain, [order, order])
    const [first, second] = large
    await sellFor(1.75)
    for (const item of large) expect(await rowOf(item)).toMatchObject(due(reason))
    // The 19 that were left, and half of what has flowed back since.
    expect((await statesOf(small)).transferred).toBeGreaterThanOrEqual(19 + 14)
    await sellFor(0.5)
    await expectDelivered(chain, [first])
    expect(await rowOf(second)).toMatchObject({ state: 'queued' })
    await sellFor(2.5)
    await expectDelivered(chain, large)
  },
)

it('a large order that waits for the limit of its token takes the place of no other order', async () => {
  const chain = await aChain({ erc1155: 30, erc721: 2 })
  await chain.asOwner('setTokenLimit', chain.contracts.erc1155, 20n, 20n)
  const earlier = await aPaidItem(chain, edition)
  await anEngine(chain).run()
  await expectDelivered(chain, [earlier])
  const large = await aPaidItem(chain, { ...edition, quantity: 20 })
  await env.DB.prepare(
    `UPDATE deliveries SET dueAt = '2026-01-01', waitingSince = '2026-01-01',
       reasonCode = 'token_limit_reached' WHERE id = ?`,
  )
    .bind(large.id)
    .run()
  const others = await paidItems(chain, copies(2, { standard: 'erc721' }))
  const engine = anEngine(chain, { itemsPerTransaction: 1, transactionsInFlight: 1 })
  for (let i = 0; i < 4; i++) await engine.step()
  await expectDelivered(chain, others)
  expect(await rowOf(large)).toMatchObject({ state: 'queued', dueAt: '2026-01-01' })
})

describe('the limit of a relayer', () => {
  /** Mines a block at noon (UTC), so many days from now. */
  async function mineAtNoon(chain: Chain, days: number) {
    await chain.rpc('evm_setNextBlockTimestamp', (TODAY + days + 0.5) * DAY)
    await chain.mine()
  }

  it('is used up, and the rest goes on when pieces have flowed back', async () => {
    const chain = await aChain({ erc1155: 5 })
    const items = await paidItems(chain, copies(5, edition))
    await mineAtNoon(chain, 1)
    await chain.asOwner('setRelayer', chain.signer, 3n, 3n)
    const engine = anEngine(chain)
    await engine.step()
    await engine.step()
    expect(await statesOf(items)).toEqual({ transferred: 3, queued: 2 })
    const waiting = [...(await rowsOf(items)).values()].filter(({ state }) => state === 'queued')
    expect(waiting).toMatchObject(copies(2, due('relayer_limit_reached')))
    expect(await sizesOf(chain)).toEqual([3])
    const line = { chainId: chain.chainId, contract: chain.delivery }
    expect(logged('relayer_limit_reached')).toEqual([line])
    await mineAtNoon(chain, 2)
    await engine.run()
    await expectDelivered(chain, items)
    expect(await sizesOf(chain)).toEqual([3, 2])
    expect(await rowOf(waiting[0] ?? { id: 0 })).toMatchObject({ waitingSince: null })
  })

  it('lets an item wait that has more pieces than fit, and stops no other', async () => {
    const chain = await aChain({ erc1155: 20 })
    const [large, small] = await paidItems(chain, [
      { standard: 'erc1155', quantity: 9 },
      { standard: 'erc1155', quantity: 1 },
    ])
    await chain.asOwner('setRelayer', chain.signer, 8n, 8n)
    await anEngine(chain).run()
    expect(await rowOf(large)).toMatchObject({
      state: 'queued',
      ...explain('quantity_above_limit', 'at most 8'),
    })
    await expectDelivered(chain, [small])
  })

  it('counts what is in flight', async () => {
    const chain = await aChain({ erc1155: 5 })
    const items = await paidItems(chain, copies(5, edition))
    await mineAtNoon(chain, 1)
    await chain.asOwner('setRelayer', chain.signer, 3n, 3n)
    const engine = anEngine(chain, { itemsPerTransaction: 2 })
    await chain.setAutomine(false)
    await engine.step()
    await engine.step()
    expect(await sizesOf(chain)).toEqual([2, 1])
    await chain.mine()
    await engine.step()
    expect(await statesOf(items)).toEqual({ transferred: 3, queued: 2 })
  })
})

describe('the configuration limits', () => {
  it('the items of a transaction, and the transactions in flight', async () => {
    const chain = await aChain({ erc1155: 10 })
    const items = await paidItems(chain, copies(10, edition))
    const engine = anEngine(chain, { itemsPerTransaction: 3, transactionsInFlight: 2 })
    await chain.setAutomine(false)
    await engine.step()
    const full = await engine.step()
    expect(full?.takesDeliveries).toBe(false)
    expect(await sizesOf(chain)).toEqual([3, 3])
    await chain.mine()
    await engine.step()
    expect(await sizesOf(chain)).toEqual([3, 3])
    await engine.step()
    expect(await sizesOf(chain)).toEqual([3, 3, 3, 1])
    await chain.mine()
    await engine.step()
    await expectDelivered(chain, items)
    expect((await transactionsOf(chain)).map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3])
    expect(logged('relayer_limit_reached')).toEqual([])
  })

  it('the transactions in flight of each signer: all of them work', async () => {
    const chain = await aChain({ erc1155: 20 })
    const items = await paidItems(chain, copies(20, edition))
    const keys = [0, 6].map((index) => toPrivateKey(localAccount(index))).join()
    const engine = anEngine(chain, { keys, itemsPerTransaction: 5, transactionsInFlight: 2 })
    await engine.step()
    expect(await sizesOf(chain)).toEqual([5, 5, 5, 5])
    const sent = (await transactionsOf(chain)).map(({ signer, nonce }) => `${signer} ${nonce}`)
    const { signer, otherSigner } = chain
    expect(sent.toSorted()).toEqual(
      [`${signer} 0`, `${signer} 1`, `${otherSigner} 0`, `${otherSigner} 1`].toSorted(),
    )
    await engine.run()
    await expectDelivered(chain, items)
  })
})

/** EIP-7825. */
const MAX_GAS = 16_777_216

/** A chain that takes no transaction with more gas than EIP-7825 allows. */
const aStrictChain = (erc1155: number) => aChain({ erc1155, args: ['--enable-tx-gas-limit'] })

describe('a transaction stays below the gas that EIP-7825 allows', () => {
  it('if its items need more than that: then there are several', async () => {
    const chain = await aStrictChain(25)
    const recipient = await chain.aRecipient('accepts after 1,500,000 gas')
    const hungry = await paidItems(chain, copies(20, { standard: 'erc1155', recipient }))
    const others = await paidItems(chain, copies(5, edition))
    await anEngine(chain, { gasPerItem: 2_000_000 }).run()
    expect(await statesOf(hungry)).toEqual({ transferred: 20 })
    await expectDelivered(chain, others)
    const transactions = await transactionsOf(chain)
    expect(transactions.length).toBeLessThanOrEqual(5)
    for (const { gas } of transactions) expect(Number(gas)).toBeLessThanOrEqual(MAX_GAS)
  })
})

it('items of an old contract that cannot deliver do not stop the others', async () => {
  const chain = await aChain({ erc1155: 2 })
  const [old, item] = await paidItems(chain, [edition, edition])
  // A contract without a predecessor and without relayers.
  const contract = await deployContract(chain, { hasRelayer: false })
  await env.DB.prepare("UPDATE deliveries SET contract = ?, dueAt = '2026-01-01' WHERE id = ?")
    .bind(contract, old.id)
    .run()
  const engine = anEngine(chain, { itemsPerTransaction: 1, transactionsInFlight: 1 })
  for (let i = 0; i < 3; i++) await engine.step()
  await expectDelivered(chain, [item])
  expect(await rowOf(old)).toMatchObject({
    state: 'queued',
    ...explain('no_relayer', contract),
  })
})
