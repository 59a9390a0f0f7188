/** Recipients and tokens that try to stop the deliveries of others. */
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { explain, type Reason } from '../../src/delivery/reasons.ts'
import type { Answer } from '../contracts/fixtures.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, rowsOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems, type Sale } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

const MINUTE = 60
const edition: Sale = { standard: 'erc1155' }
const many = (count: number, sale: Sale = edition) => Array.from({ length: count }, () => sale)

const fulfilments = ['transfer', 'mint'] as const

const kinds = fulfilments.flatMap((fulfilment) => [
  { standard: 'erc721', fulfilment } as const,
  { standard: 'erc1155', fulfilment } as const,
])

const TOO_MUCH_GAS = explain('gas_limit_exceeded')

describe.each(kinds)('a recipient of an $standard token ($fulfilment)', (kind) => {
  const { standard } = kind
  const refused = (detail: string) => explain('recipient_rejects', detail)
  const silent =
    standard === 'erc721'
      ? 'ERC721: transfer to non ERC721Receiver implementer'
      : 'ERC1155: transfer to non-ERC1155Receiver implementer'
  const rejected = 'ERC1155: ERC1155Receiver rejected tokens'

  it.each<[Answer, Reason]>([
    ['refuses', refused('refused')],
    ['burns all gas', TOO_MUCH_GAS],
    ['reverts with 100 KB', refused(standard === 'erc721' ? 'error 0x00000000' : silent)],
    ['returns 100 KB', refused(standard === 'erc721' ? silent : rejected)],
  ])('that %s fails alone, after ten minutes and without a transaction', async (answer, reason) => {
    const chain = await aChain({ erc721: 3, erc1155: 2, mints: true })
    const recipient = await chain.aRecipient(answer)
    const [first, hostile, last] = await paidItems(chain, [
      kind,
      { ...kind, recipient },
      { ...kind, standard: 'erc721' },
    ])
    if (!first || !hostile || !last) throw new Error('no items')
    const engine = anEngine(chain)
    await engine.run()
    await expectDelivered(chain, [first, last])
    expect(await rowOf(hostile)).toMatchObject({ state: 'queued', ...reason, tries: 0 })
    await engine.run(10 * MINUTE)
    expect(await rowOf(hostile)).toMatchObject({ state: 'failed', ...reason })
    expect(await transactionsOf(chain)).toHaveLength(1)
    expect(logged('delivery_failed')).toEqual([{ itemId: hostile.id, ...reason }])
  })
})

it.each(fulfilments)(
  'delivers a token that needs much gas (%s), once gasPerItem allows it',
  async (fulfilment) => {
    const chain = await aChain({ erc721: 1, mints: true })
    const item = await aPaidItem(chain, { standard: 'erc721', fulfilment })
    await anEngine(chain, { gasPerItem: 50_000 }).run()
    expect(await rowOf(item)).toMatchObject({ state: 'queued', ...TOO_MUCH_GAS })
    await anEngine(chain, { gasPerItem: 100_000 }).run(15)
    await expectDelivered(chain, [item])
  },
)

describe.each(fulfilments)(
  'a recipient that burns its gas only on the chain (%s)',
  (fulfilment) => {
    const sale: Sale = { standard: 'erc1155', fulfilment }

    it('is seen through, because the simulation sends a gas price, and stops nobody', async () => {
      const chain = await aChain({ erc1155: 10, mints: true })
      const recipient = await chain.aRecipient('burns gas unless the gas price is 0')
      const [hostile, ...honest] = await paidItems(chain, [
        { ...sale, recipient },
        ...many(4, sale),
      ])
      if (!hostile) throw new Error('no item')
      await anEngine(chain).run()
      await expectDelivered(chain, honest)
      const reasonCode = 'gas_limit_exceeded'
      expect(await rowOf(hostile)).toMatchObject({ state: 'queued', tries: 0, reasonCode })
      expect(await transactionsOf(chain)).toHaveLength(1)
    })

    it('delays honest buyers by nothing, even with a hundred orders before theirs', async () => {
      const chain = await aChain({ erc1155: 100, mints: true })
      const recipient = await chain.aRecipient('burns gas unless the gas price is 0')
      await paidItems(chain, many(100, { ...sale, recipient }))
      const honest = await paidItems(chain, many(50, sale))
      const engine = anEngine(chain)
      await engine.step()
      await engine.step()
      await expectDelivered(chain, honest)
      expect(await transactionsOf(chain)).toHaveLength(1)
    })
  },
)

it('delivers an item that hostile recipients left no gas for, without waiting', async () => {
  const chain = await aChain({ erc1155: 60 })
  const recipient = await chain.aRecipient('burns all gas')
  const hostile = await paidItems(chain, many(59, { standard: 'erc1155', recipient }))
  const honest = await aPaidItem(chain, edition)
  await anEngine(chain, { itemsPerTransaction: 60 }).run()
  await expectDelivered(chain, [honest])
  const rows = [...(await rowsOf(hostile)).values()]
  expect(new Set(rows.map(({ reasonCode }) => reasonCode))).toEqual(new Set(['gas_limit_exceeded']))
})

it('leaves no nonce out for a batch that is not sent', async () => {
  const chain = await aChain({ erc1155: 51 })
  const recipient = await chain.aRecipient('refuses')
  await paidItems(chain, many(50, { standard: 'erc1155', recipient }))
  const honest = await aPaidItem(chain, edition)
  await anEngine(chain).run()
  await expectDelivered(chain, [honest])
  expect(await transactionsOf(chain)).toMatchObject([{ nonce: 0 }])
})

/** Why a token says no to every recipient. */
const NOT_DELIVERABLE = {
  transfer: 'token_not_transferable',
  mint: 'minter_role_missing',
} as const

describe.each(fulfilments)('a hostile token (%s)', (fulfilment) => {
  const sell = async (chain: Chain, contract: Address) => {
    await chain.asOwner('setTokenLimit', contract, 10n, 10n)
    const sale: Sale = { standard: 'erc1155', fulfilment }
    const [hostile, honest] = await paidItems(chain, [{ ...sale, contract }, sale])
    if (!hostile || !honest) throw new Error('no items')
    return { hostile, honest }
  }

  it.each<[Answer, string]>([
    ['refuses', 'refused'],
    ['burns all gas', 'no reason given'],
    ['reverts with 100 KB', 'error 0x00000000'],
  ])('that %s waits for its holder, who may mend it', async (answer, text) => {
    const chain = await aChain({ erc1155: 1, mints: true })
    const { hostile, honest } = await sell(chain, await chain.aMaliciousToken({ answer }))
    const engine = anEngine(chain)
    await engine.run()
    const reason = explain(NOT_DELIVERABLE[fulfilment], text)
    expect(await rowOf(hostile)).toMatchObject({ state: 'queued', ...reason, tries: 0 })
    await expectDelivered(chain, [honest])
    await engine.run(24 * 60 * MINUTE)
    expect(await rowOf(hostile)).toMatchObject({ state: 'failed', ...reason })
  })

  it('that returns 100 KB and moves nothing fails', async () => {
    const chain = await aChain({ erc1155: 1, mints: true })
    const { hostile, honest } = await sell(
      chain,
      await chain.aMaliciousToken({ answer: 'returns 100 KB' }),
    )
    await anEngine(chain).run()
    const reasonCode = 'token_moved_nothing'
    expect(await rowOf(hostile)).toMatchObject({ state: 'failed', reasonCode })
    await expectDelivered(chain, [honest])
  })

  it('that burns gas only at a gas price is seen through', async () => {
    const chain = await aChain({ erc1155: 1, mints: true })
    const answer = 'burns gas unless the gas price is 0'
    const { hostile, honest } = await sell(chain, await chain.aMaliciousToken({ answer }))
    await anEngine(chain).run()
    const reasonCode = 'gas_limit_exceeded'
    expect(await rowOf(hostile)).toMatchObject({ state: 'queued', tries: 0, reasonCode })
    expect(await transactionsOf(chain)).toHaveLength(1)
    await expectDelivered(chain, [honest])
  })
})
