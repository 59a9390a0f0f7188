/** Recipients and tokens that try to stop the deliveries of others. */
import {
  type Address,
  encodeFunctionData,
  getAddress,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { ReasonCode } from '../../src/db/schema/delivery.ts'
import { explain, type Reason } from '../../src/delivery/reasons.ts'
import { copies } from '../orders/shop.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Answer } from '../support/chain/fixtures.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, rowsOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems, type Sale } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

const MINUTE = 60

/** Of the fixtures: what a contract does when a token arrives or is transferred. */
const hookAbi = parseAbi(['function setAnswer(uint8 answer)'])
const [ACCEPTS, BURNS_ALL_GAS] = [0, 2]
const edition: Sale = { standard: 'erc1155' }

const fulfilments = ['transfer', 'mint'] as const

const kinds = fulfilments.flatMap((fulfilment) => [
  { standard: 'erc721', fulfilment } as const,
  { standard: 'erc1155', fulfilment } as const,
])

const TOO_MUCH_GAS = explain('gas_limit_exceeded')

it('recipients that refuse fail alone, after ten minutes and without a transaction', async () => {
  const answers: [Answer, ReasonCode][] = [
    ['refuses', 'recipient_rejects'],
    ['burns all gas', 'gas_limit_exceeded'],
    ['reverts with 100 KB', 'recipient_rejects'],
    ['returns 100 KB', 'recipient_rejects'],
  ]
  const chain = await aChain({ erc721: 5, erc1155: 5, mints: true })
  const hostile: [item: PaidItem, reasonCode: ReasonCode][] = []
  for (const [answer, reasonCode] of answers) {
    const recipient = await chain.aRecipient(answer)
    const items = await paidItems(
      chain,
      kinds.map((kind) => ({ ...kind, recipient })),
    )
    for (const item of items) hostile.push([item, reasonCode])
  }
  const honest = await paidItems(chain, kinds)
  const engine = anEngine(chain)
  await engine.run()
  await expectDelivered(chain, honest)
  for (const [item, reasonCode] of hostile)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode, tries: 0 })
  await engine.run(10 * MINUTE)
  for (const [item, reasonCode] of hostile)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode })
  expect(await transactionsOf(chain)).toHaveLength(1)
  expect(logged('delivery_failed')).toHaveLength(hostile.length)
})

it('recipients that burn gas only on the chain delay honest buyers by nothing, even with a hundred orders before theirs', async () => {
  const chain = await aChain({ erc1155: 150 })
  const recipient = await chain.aRecipient('burns gas unless the gas price is 0')
  const hostile = await paidItems(chain, copies(100, { ...edition, recipient }))
  const honest = await paidItems(chain, copies(50, edition))
  const engine = anEngine(chain)
  await engine.step()
  await engine.step()
  await expectDelivered(chain, honest)
  expect(await transactionsOf(chain)).toHaveLength(1)
  for (const row of (await rowsOf(hostile)).values())
    expect(row).toMatchObject({ state: 'queued', tries: 0 })
})

it('delivers an item that hostile recipients left no gas for, without waiting', async () => {
  const chain = await aChain({ erc1155: 60 })
  const recipient = await chain.aRecipient('burns all gas')
  const hostile = await paidItems(chain, copies(59, { standard: 'erc1155', recipient }))
  const honest = await aPaidItem(chain, edition)
  await anEngine(chain, { itemsPerTransaction: 60 }).run()
  await expectDelivered(chain, [honest])
  const rows = [...(await rowsOf(hostile)).values()]
  expect(new Set(rows.map(({ reasonCode }) => reasonCode))).toEqual(new Set(['gas_limit_exceeded']))
})

it('hostile tokens stop no other, and wait for their holder, who may mend them', async () => {
  const chain = await aChain({ erc1155: 1, mints: true })
  const refusals: [Answer, detail: string][] = [
    ['refuses', 'refused'],
    ['burns all gas', 'no reason given'],
    ['reverts with 100 KB', 'error 0x00000000'],
  ]
  const codes = { transfer: 'token_not_transferable', mint: 'mint_refused' } as const
  const sell = async (answer: Answer) => {
    const contract = await chain.aMaliciousToken({ answer })
    await chain.asOwner('setTokenLimit', contract, 10n, 10n)
    const sale: Sale = { ...edition, contract }
    return paidItems(chain, [sale, { ...sale, fulfilment: 'mint' }])
  }
  const refused: [item: PaidItem, Reason][] = []
  for (const [answer, detail] of refusals)
    for (const item of await sell(answer))
      refused.push([item, explain(codes[item.fulfilment], detail)])
  const idle = await sell('returns 100 KB')
  // It is seen through, although it burns gas only at a gas price.
  const burning = await sell('burns gas unless the gas price is 0')
  const honest = await paidItems(chain, [edition, { ...edition, fulfilment: 'mint' }])
  const engine = anEngine(chain)
  await engine.run()
  await expectDelivered(chain, honest)
  for (const [item, reason] of refused)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason, tries: 0 })
  for (const item of idle)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'token_moved_nothing' })
  for (const item of burning) expect(await rowOf(item)).toMatchObject({ state: 'queued', tries: 0 })
  expect(await rowOf(burning[0])).toMatchObject(TOO_MUCH_GAS)
  expect(await transactionsOf(chain)).toHaveLength(1)
  await engine.run(24 * 60 * MINUTE)
  for (const [item, reason] of refused)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', ...reason })
})

describe('a transaction in which gas is burned, although the simulation said otherwise', () => {
  const GWEI = 10n ** 9n

  const [attacker, first, second] = [1, 2, 3].map((key) =>
    privateKeyToAccount(numberToHex(key, { size: 32 })),
  ) as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]

  /** Sends a transaction that points the attacker's account to the code of a contract (EIP-7702). */
  async function delegate(chain: Chain, to: Address, round: number) {
    const { chainId } = chain
    const isFirst = to !== zeroAddress
    const sponsor = isFirst ? first : second
    const authorization = { chainId, address: to, nonce: 2 * round + (isFirst ? 0 : 1) }
    await chain.rpc('anvil_setBalance', sponsor.address, numberToHex(GWEI * GWEI))
    const raw = await sponsor.signTransaction({
      ...{ type: 'eip7702', chainId, nonce: round, to: sponsor.address, gas: 200_000n },
      // The node sorts the transactions of a block by it.
      ...{ maxFeePerGas: (isFirst ? 400n : 1n) * GWEI, maxPriorityFeePerGas: 1n },
      authorizationList: [await attacker.signAuthorization(authorization)],
    })
    return chain.rpc('eth_sendRawTransaction', raw)
  }

  it('holds back the items of this token for this recipient only, who had code for one block', async () => {
    const chain = await aChain({ erc1155: 10 })
    const burning = getAddress(`0x${'fe'.repeat(20)}`)
    await chain.rpc('anvil_setCode', burning, '0xfe')
    const recipient = attacker.address
    const hostile = await aPaidItem(chain, { ...edition, recipient })
    const engine = anEngine(chain)
    await chain.setAutomine(false)
    for (const round of [0, 1]) {
      await delegate(chain, burning, round)
      await delegate(chain, zeroAddress, round)
      await engine.step(round)
      await chain.mine()
      expect(await chain.rpc('eth_getCode', recipient, 'latest')).toBe('0x')
      await engine.step(round)
      expect(await rowOf(hostile)).toMatchObject({ state: 'queued', tries: round + 1 })
    }
    await chain.setAutomine(true)
    const honest = await aPaidItem(chain, edition)
    await engine.run(10)
    await expectDelivered(chain, [honest])
    expect(await rowOf(hostile)).toMatchObject({ state: 'queued', reasonCode: 'gas_burned' })
    expect(await transactionsOf(chain)).toHaveLength(3)

    await engine.retry(hostile)
    await engine.run(20)
    await expectDelivered(chain, [hostile])
  })

  it.each([
    ['that has sent a transaction before, has had no code: all of the token waits', 1, 'queued'],
    // Another item of the transaction could have deployed and destroyed a contract there.
    ['that is new, may have had code: others get the token', 0, 'transferred'],
  ])('does not hold back other tokens of the recipient. One %s', async (_, nonce, state) => {
    const chain = await aChain({ erc1155: 10 })
    const token = await chain.aMaliciousToken({ answer: 'accepts', lies: true })
    const answer = (number: number, fees: object) =>
      chain.rpc('eth_sendTransaction', {
        ...{ from: chain.owner, to: token, gas: '0x100000', ...fees },
        data: encodeFunctionData({ abi: hookAbi, args: [number] }),
      })
    const first = { maxFeePerGas: '0x746a528800', maxPriorityFeePerGas: '0x5d21dba000' }
    const [hostile] = await paidItems(chain, [{ ...edition, contract: token }])
    const { recipient } = hostile
    await chain.rpc('anvil_setNonce', recipient, numberToHex(nonce))
    const engine = anEngine(chain)
    await chain.setAutomine(false)
    for (const round of [0, 1]) {
      await engine.step(round)
      await answer(BURNS_ALL_GAS, first)
      await chain.mine()
      await answer(ACCEPTS, first)
      await chain.mine()
      await engine.step(round)
      expect(await rowOf(hostile)).toMatchObject({ state: 'queued', tries: round + 1 })
    }
    await chain.setAutomine(true)
    const others = await paidItems(chain, [
      { ...edition, recipient },
      { ...edition, recipient },
    ])
    const another = await aPaidItem(chain, { ...edition, contract: token })
    await engine.run(10)
    const states = [...(await rowsOf(others)).values()].map(({ state }) => state)
    expect(states).toEqual(['transferred', 'transferred'])
    expect(await rowOf(hostile)).toMatchObject({ state: 'queued', reasonCode: 'gas_burned' })
    expect(await rowOf(another)).toMatchObject({ state })
  })
})
