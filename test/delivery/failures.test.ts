/** Items that cannot be delivered: which fail at once, which wait, and for how long. */
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ReasonCode } from '../../src/db/schema/delivery.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { tokenCalls } from '../support/chain/calls.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, rowsOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aUser, execute } from '../support/makers.ts'

const logged = recordLogs()

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Code that reverts without a reason, whoever calls it. */
const REVERTS = '0x60006000fd'

type Engine = ReturnType<typeof anEngine>

/** Seconds for which the item has failed when it is looked at next. */
async function nextLookOf(item: PaidItem): Promise<number> {
  const { dueAt, waitingSince } = await rowOf(item)
  return (Date.parse(`${dueAt}`) - Date.parse(`${waitingSince}`)) / 1000
}

/** Runs the engine whenever the item is due, before `end`. Returns the seconds between the looks. */
async function lookUntil(engine: Engine, item: PaidItem, end: number): Promise<number[]> {
  const gaps: number[] = []
  for (let at = 0; ; ) {
    await engine.run(at)
    const next = await nextLookOf(item)
    gaps.push(next - at)
    if (next >= end) return gaps
    at = next
  }
}

describe('an order that cannot be a transfer', () => {
  const cases: [ReasonCode, (id: number) => Promise<unknown>][] = [
    [
      'invalid_token_address',
      (id) => execute("UPDATE nfts SET contractAddr = '' WHERE id = ?", id),
    ],
    ['invalid_token_id', (id) => execute('UPDATE nfts SET tokenId = NULL WHERE id = ?', id)],
    ['invalid_quantity', (id) => execute('UPDATE orderItems SET quantity = 1e80 WHERE id = ?', id)],
    [
      'invalid_recipient',
      (id) => execute("UPDATE orderItems SET ethRecipient = 'nobody' WHERE id = ?", id),
    ],
    [
      'seller_has_no_wallet',
      async (id) => {
        const { id: seller } = await aUser({ ethereumPublicAddr: '' })
        await execute('UPDATE orderItems SET sellerId = ? WHERE id = ?', seller, id)
      },
    ],
  ]

  it('fails at once with its reason, and the others of the run are delivered', async () => {
    const chain = await aChain({ erc1155: 2 })
    const sales = cases.map(() => ({ standard: 'erc1155' }) as const)
    const [first, ...poison] = await paidItems(chain, [{ standard: 'erc1155' }, ...sales])
    const last = await aPaidItem(chain, { standard: 'erc1155' })
    for (const [i, { id }] of poison.entries()) await cases[i]?.[1](id)
    await anEngine(chain).run()
    const rows = await rowsOf(poison)
    expect(poison.map(({ id }) => rows.get(id))).toMatchObject(
      cases.map(([reasonCode]) => ({ state: 'failed', reasonCode, dueAt: null, tries: 0 })),
    )
    await expectDelivered(chain, [first, last])
    expect(await transactionsOf(chain)).toHaveLength(1)
    expect(logged('delivery_failed')).toMatchObject(
      poison.map(({ id }, i) => ({ itemId: id, reasonCode: cases[i]?.[0] })),
    )
  })
})

it('waits ten minutes for a token contract that cannot be used, then fails', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 1 })
  const contract = await chain.anAcceptingContract()
  const [plural, without, neither, good] = await paidItems(chain, [
    { standard: 'erc721', quantity: 2 },
    { standard: 'erc1155', contract: '0x00000000000000000000000000000000000c0de0' },
    { standard: 'erc1155', contract },
    { standard: 'erc1155' },
  ])
  const reasons = [
    [plural, 'single_piece_token'],
    [without, 'token_not_deployed'],
    [neither, 'token_not_supported'],
  ] as const
  const engine = anEngine(chain)
  await engine.run()
  await expectDelivered(chain, [good])
  await engine.run(9 * MINUTE)
  for (const [item, reasonCode] of reasons)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode, tries: 0 })
  await engine.run(10 * MINUTE)
  for (const [item, reasonCode] of reasons)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode, dueAt: null })
  expect(await transactionsOf(chain)).toHaveLength(1)
})

describe('an item that its holder cannot give away', () => {
  it('waits for approval, and is delivered then', async () => {
    const chain = await aChain({ erc1155: 1 })
    await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    const engine = anEngine(chain)
    await engine.run()
    const reason = explain('holder_not_approved', 'ERC1155: caller is not token owner or approved')
    expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason, tries: 0 })
    await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, true)
    await engine.run(15)
    await expectDelivered(chain, [item])
    expect(await rowOf(item)).toMatchObject({ waitingSince: null })
    expect(await transactionsOf(chain)).toHaveLength(1)
  })

  it('is looked at ever more rarely, but hourly, and fails after 24 hours', async () => {
    const chain = await aChain()
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    const engine = anEngine(chain)
    const gaps = await lookUntil(engine, item, 3 * HOUR)
    expect(gaps).toEqual([15, 15, 30, 60, 120, 240, 480, 960, 1920, HOUR, HOUR])
    await engine.run(23.5 * HOUR)
    expect(await nextLookOf(item)).toBe(24 * HOUR)
    const reasonCode = 'holder_has_no_token'
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode })
    expect(logged('delivery_failed')).toEqual([])
    await engine.run(24 * HOUR)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode, dueAt: null })
    expect(logged('delivery_failed')).toMatchObject([{ itemId: item.id, reasonCode }])
    expect(await transactionsOf(chain)).toEqual([])
  })

  it('is given away by the treasury, if there is one', async () => {
    const chain = await aChain({ erc1155: 1 })
    const treasury = chain.owner
    await chain.erc1155AsSeller('safeTransferFrom', chain.seller, treasury, 1n, 1n, '0x')
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    const engine = anEngine(chain, { treasury: getAddress(treasury) })
    await engine.run()
    expect(await rowOf(item)).toMatchObject({
      state: 'queued',
      reasonCode: 'holder_not_approved',
    })
    const asTreasury = tokenCalls(chain.rpcUrl, treasury, chain.contracts.erc1155)
    await asTreasury('setApprovalForAll', chain.delivery, true)
    await engine.run(15)
    await expectDelivered(chain, [item])
  })
})

describe('an item that its recipient cannot take', () => {
  const reasonCode = 'recipient_rejects'

  /** An item for a wallet whose code refuses tokens. */
  async function aRefusedItem(chain: Chain) {
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await chain.rpc('anvil_setCode', item.recipient, REVERTS)
    return item
  }

  it('waits ten minutes for each new reason', async () => {
    const chain = await aChain({ erc721: 1 })
    const item = await aRefusedItem(chain)
    const engine = anEngine(chain)
    await lookUntil(engine, item, 8 * MINUTE)
    await chain.erc721AsSeller('setApprovalForAll', chain.delivery, false)
    await engine.run(10 * MINUTE)
    expect(await rowOf(item)).toMatchObject({
      state: 'queued',
      reasonCode: 'holder_not_approved',
    })
    await chain.erc721AsSeller('setApprovalForAll', chain.delivery, true)
    await engine.run(11 * MINUTE)
    await engine.run(21 * MINUTE - 1)
    expect(await rowOf(item)).toMatchObject({ state: 'queued' })
    await engine.run(21 * MINUTE)
    expect(await rowOf(item)).toMatchObject({ state: 'failed' })
  })

  it('fails at once after it has failed in a transaction, too', async () => {
    const chain = await aChain({ erc721: 1, erc1155: 1 })
    const [item, other] = await paidItems(chain, [{ standard: 'erc721' }, { standard: 'erc1155' }])
    const engine = anEngine(chain)
    await chain.setAutomine(false)
    await engine.step()
    await chain.rpc('anvil_setCode', item.recipient, REVERTS)
    await chain.mine()
    await engine.step()
    expect(await rowOf(item)).toMatchObject({ state: 'queued', tries: 1 })
    await engine.step()
    expect(await rowOf(item)).toMatchObject({ state: 'failed', tries: 1 })
    expect(logged('delivery_failed')).toMatchObject([{ itemId: item.id, reasonCode }])
    await expectDelivered(chain, [other])
    expect(await transactionsOf(chain)).toHaveLength(1)
  })
})

it('waits for the holder even after the transfer has failed in a transaction', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain)
  await chain.setFaults({ on: ['eth_sendRawTransaction'], effect: { dropTransaction: true } })
  await chain.setAutomine(false)
  await engine.step()
  await chain.setFaults()
  await chain.setAutomine(true)
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
  await engine.step()
  await engine.step()
  expect(await rowOf(item)).toMatchObject({
    state: 'queued',
    tries: 1,
    reasonCode: 'transfer_failed',
  })
  await engine.run()
  expect(await rowOf(item)).toMatchObject({
    state: 'queued',
    reasonCode: 'holder_not_approved',
  })
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, true)
  await engine.run(15)
  await expectDelivered(chain, [item])
})
