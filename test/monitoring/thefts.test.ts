/**
 * Whatever a thief does with the key of a relayer or of the owner is an alarm within two minutes, and
 * lasts until somebody acknowledges what was found. On a real chain, with the engine and the cron run.
 */

import { sql } from 'drizzle-orm'
import { type Address, encodeFunctionData, getAddress, numberToHex, zeroAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi as abi } from '../../contracts/delivery-abi.ts'
import { transactions } from '../../src/db/schema/delivery.ts'
import { alarms, findings } from '../../src/db/schema/operations.ts'
import { copies, times } from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { firstCases } from '../support/cases.ts'
import { tokenCalls } from '../support/chain/calls.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, networksOf, rowOf, rowsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'
import { liveMinutes } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace, type Marketplace } from '../support/delivery/marketplace.ts'
import { aMasterToken, db } from '../support/makers.ts'
import { anInstance, detailOf, forgetAll } from './instance.ts'

const logged = recordLogs()

const edition = { standard: 'erc1155' } as const
const THIEF = getAddress(`0x${'bad'.padEnd(40, '0')}`)

beforeEach(forgetAll)

/** A chain with ten pieces, which its marketplace has watched for a minute. */
async function aWatchedChain(options: Parameters<typeof aMarketplace>[1] = {}) {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, options)
  expect(await liveMinutes(market, 1)).toEqual([])
  return { chain, market }
}

/** Acknowledges what an alarm says now, or has said before. */
async function acknowledge(key: string, seen?: number | null): Promise<number> {
  const alarm = (await db.select().from(alarms)).find((alarm) => alarm.key === key)
  const version = seen ?? alarm?.version
  const path = `/api/admin/alarms/${key}/acknowledge`
  const content = { token: await aMasterToken(), json: { version } }
  return (await callWith({}, 'POST', path, content)).status
}

type Theft = { relayer: Address; item?: PaidItem; from?: Address; nonce?: number }

/** Delivers a piece as a relayer: of the seller to the thief, or for an order. */
async function steal(chain: Chain, { relayer, item, from = chain.seller, nonce }: Theft) {
  const call = {
    key: item?.key ?? numberToHex(BigInt(Date.now()), { size: 32 }),
    token: chain.contracts.erc1155,
    from,
    to: item?.recipient ? getAddress(item.recipient) : THIEF,
    tokenId: 1n,
    amount: 1n,
  }
  const args = [[call], 1n, 300_000n, 10n ** 12n] as const
  const hash = await chain.rpc('eth_sendTransaction', {
    ...{ from: relayer, to: chain.delivery, gas: '0x100000' },
    ...(nonce !== undefined && { nonce: numberToHex(nonce) }),
    data: encodeFunctionData({ abi, functionName: 'deliver', args }),
  })
  expect(await chain.receiptOf(hash)).toMatchObject({ status: '0x1' })
}

const theftBy = (chain: Chain, relayer: string) =>
  `foreign_transaction:${chain.chainId}:${getAddress(relayer)}`

describe('the key of a relayer on standby', () => {
  it('is seen at the first piece, again at once at the next one, and until that is acknowledged', async () => {
    const { chain, market } = await aWatchedChain()
    const key = theftBy(chain, chain.otherSigner)
    await steal(chain, { relayer: chain.otherSigner })
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(logged('alarm_raised')).toHaveLength(1)
    expect(await detailOf(key)).toBe(
      `Another program has used the nonce 0 of the relayer ${getAddress(chain.otherSigner)} on chain ${chain.chainId}.`,
    )
    expect(await acknowledge(key)).toBe(200)
    // It is sent again at once, although the alarm has not ended.
    await steal(chain, { relayer: chain.otherSigner })
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(await detailOf(key)).toContain('the nonce 1 of')
    expect(logged('alarm_raised')).toHaveLength(2)
    expect(logged('alarm_raised')[1]).toMatchObject({ isRepeated: false })
    // It does not end by itself.
    pass(48 * 60 * 60)
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(logged('alarm_cleared')).toEqual([])

    expect(await acknowledge(key)).toBe(200)
    expect(await liveMinutes(market, 1)).toEqual([])
    expect(logged('alarm_cleared')).toHaveLength(1)
  })

  it('can do nothing that matters once the relayer was removed', async () => {
    const { chain, market } = await aWatchedChain()
    await chain.asOwner('setRelayer', chain.otherSigner, 0n, 0n)
    const changed = `contract_changed:${chain.chainId}`
    expect(await liveMinutes(market, 2)).toEqual([changed])
    await acknowledge(changed)
    await chain.rpc('eth_sendTransaction', { from: chain.otherSigner, to: THIEF, value: '0x1' })
    expect(await liveMinutes(market, 2)).toEqual([])
  })

  it('is seen when it delivers an order with the token of another holder', async () => {
    const chain = await aChain({ erc1155: 10 })
    const market = aMarketplace(chain)
    const victim = getAddress(chain.owner)
    await chain.erc1155AsSeller('mint', victim, 1n, 5n, '0x')
    const asVictim = tokenCalls(chain.rpcUrl, victim, chain.contracts.erc1155)
    await asVictim('setApprovalForAll', chain.delivery, true)
    await liveMinutes(market, 1)
    const item = await aPaidItem(chain, edition)
    await steal(chain, { relayer: chain.otherSigner, item, from: victim })
    market.queue.put(chain)
    await market.deliver()
    const key = theftBy(chain, chain.otherSigner)
    expect(await liveMinutes(market, 1)).toEqual([key])
    // The buyer has the token.
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
    const { txId } = await rowOf(item)
    expect(await detailOf(key)).toBe(
      [
        `The relayer ${getAddress(chain.otherSigner)} has used the keys of 1 items, such as ${item.id}, in the transaction ${txId}, with tokens of somebody else.`,
        `Another program has used the nonce 0 of the relayer ${getAddress(chain.otherSigner)} on chain ${chain.chainId}.`,
      ].join(' '),
    )
  })
})

describe('the key of a signer that is in use', () => {
  /** An item on its way, whose transaction the node has lost. Returns its nonce. */
  async function inFlight(chain: Chain, market: Marketplace): Promise<number> {
    await chain.setAutomine(false)
    await chain.setFaults({ on: ['eth_sendRawTransaction'], effect: { dropTransaction: true } })
    await aPaidItem(chain, edition)
    market.queue.put(chain)
    await market.deliver()
    const [row] = await db.select().from(transactions)
    expect(row).toMatchObject({ isOpen: true, block: null })
    return row?.nonce ?? -1
  }

  it('is seen although one node shows the own transaction in a block', async () => {
    const { chain, market } = await aWatchedChain({ nodes: 2, network: { finality: 1000 } })
    const nonce = await inFlight(chain, market)
    const [row] = await db.select().from(transactions)
    const { number, hash } = Object(await chain.rpc('eth_getBlockByNumber', 'latest', false))
    const result = {
      transactionHash: row?.hash,
      blockNumber: number,
      blockHash: hash,
      status: '0x1',
      from: chain.signer,
      gasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      logs: [],
    }
    await steal(chain, { relayer: chain.signer, nonce })
    await chain.setFaults({
      ...{ node: '0', on: ['eth_getTransactionReceipt'], containing: row?.hash ?? '' },
      effect: { result },
    })
    market.queue.put(chain)
    await market.deliver()
    expect(await liveMinutes(market, 2)).toEqual([theftBy(chain, chain.signer)])
  })

  it('is seen when it lets code act for the account', async () => {
    const { chain, market } = await aWatchedChain()
    await chain.rpc('anvil_setCode', chain.signer, `0xef0100${'de'.repeat(20)}`)
    const key = `signer_has_code:${chain.chainId}:${getAddress(chain.signer)}`
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(await detailOf(key)).toBe(
      `The relayer ${getAddress(chain.signer)} of ${chain.name} has code at its account: somebody else has its key.`,
    )
    await chain.rpc('anvil_setCode', chain.signer, '0x')
    expect(await liveMinutes(market, 1)).toEqual([])
  })
})

describe('the key of the owner', () => {
  const other = getAddress(`0x${'7e'.repeat(20)}`)

  it('is seen whatever it changes', async () => {
    const { chain, market } = await aWatchedChain()
    const key = `contract_changed:${chain.chainId}`
    const relayer = getAddress(chain.otherSigner)
    // A token that nobody sells.
    const token = getAddress(`0x${'70'.repeat(20)}`)
    const unsold = `The limit or the owner of ${token} was changed in the transaction 0x`
    const changes: [change: () => Promise<void>, detail: string][] = [
      [
        () => chain.asOwner('transferOwnership', other),
        `The next owner changed from 0x${'0'.repeat(40)} to ${other}.`,
      ],
      [
        () => chain.asOwner('setRelayer', other, 7n, 8n),
        `The number of relayers changed from 2 to 3. The limit of the relayer ${other} changed from none to 7 pieces, 8 a day.`,
      ],
      [
        () => chain.asOwner('setRelayer', relayer, 500n, 3000n),
        `The limit of the relayer ${relayer} changed from 1099511627776 pieces, 1099511627776 a day to 500 pieces, 3000 a day.`,
      ],
      [() => chain.asOwner('setTokenLimit', token, 5n, 10n), unsold],
      [() => chain.asOwner('handOver', token, THIEF), unsold],
    ]
    for (const [change, detail] of changes) {
      await change()
      expect(await liveMinutes(market, 1)).toEqual([key])
      expect(await detailOf(key)).toContain(detail)
      await acknowledge(key)
      expect(await liveMinutes(market, 1)).toEqual([])
    }
  })

  it('is seen in the state of what is sold, although each node hides the event', async () => {
    const chain = await aChain({ erc1155: 10 })
    const market = aMarketplace(chain)
    const token = chain.contracts.erc1155
    await aPaidItem(chain, edition)
    await liveMinutes(market, 1)
    await chain.setFaults({ on: ['eth_getLogs'], effect: { result: [] } })
    await chain.asOwner('setTokenLimit', token, 5n, 10n)
    const key = `contract_changed:${chain.chainId}`
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(await detailOf(key)).toMatch(
      new RegExp(
        `^The limit of the token ${getAddress(token)} changed from .* to 5 pieces, 10 a day\\.$`,
      ),
    )
    await acknowledge(key)
    expect(await liveMinutes(market, 1)).toEqual([])
    await chain.asOwner('handOver', token, THIEF)
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(await detailOf(key)).toMatch(
      new RegExp(
        `^The next owner of the token ${getAddress(token)} changed from none to ${THIEF} from [-\\d]+T[:.\\d]+Z on\\.$`,
      ),
    )
  })

  it('is seen when it adds so many relayers that they are not all read', async () => {
    const { chain, market } = await aWatchedChain()
    await chain.setAutomine(false)
    const count = Number(await chain.rpc('eth_getTransactionCount', chain.owner, 'latest'))
    await chain.rpcBatch(
      times(60, (i) => ({
        method: 'eth_sendTransaction',
        params: [
          {
            ...{ from: chain.owner, to: chain.delivery, gas: '0x30d40' },
            nonce: numberToHex(count + i),
            data: encodeFunctionData({
              abi,
              functionName: 'setRelayer',
              args: [numberToHex(BigInt(i + 1_000_000), { size: 20 }), 1n, 1n],
            }),
          },
        ],
      })),
    )
    await chain.setAutomine(true)
    for (let i = 0; i < 3; i++) await market.mine()
    await chain.takeCounts()
    expect(await liveMinutes(market, 1)).toEqual([`contract_changed:${chain.chainId}`])
    const { calls } = await chain.takeCounts()
    expect(calls.eth_getTransactionCount).toBeLessThanOrEqual(51)
    // A relayer that is not read is not raised unseen.
    const key = `contract_changed:${chain.chainId}`
    await acknowledge(key)
    expect(await liveMinutes(market, 1)).toEqual([])
    const unread = numberToHex(1_000_055n, { size: 20 })
    await chain.asOwner('setRelayer', unread, 1000n, 1000n)
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(await detailOf(key)).toMatch(new RegExp(`^The limit or the owner of ${unread} was`, 'i'))
    // What is watched is watched as before.
    await chain.rpc('eth_sendTransaction', { from: chain.otherSigner, to: THIEF, value: '0x1' })
    expect(await liveMinutes(market, 2)).toEqual([
      `contract_changed:${chain.chainId}`,
      theftBy(chain, chain.otherSigner),
    ])
  })
})

it('a signer that is a relayer no more raises relayer_removed until it is one again', async () => {
  const { chain, market } = await aWatchedChain()
  const keys = `0x${'5a'.repeat(32)}`
  await chain.asOwner('setRelayer', chain.signer, 0n, 0n)
  const key = `relayer_removed:${chain.chainId}:${getAddress(chain.signer)}`
  const changed = `contract_changed:${chain.chainId}`
  expect(await liveMinutes(market, 1)).toEqual([changed, `no_relayer:${chain.chainId}`, key])
  expect(await detailOf(key)).toBe(
    `The relayer ${getAddress(chain.signer)} of ${chain.name} is a signer, but was removed from the Delivery contract.`,
  )
  await acknowledge(changed)
  await chain.asOwner('setRelayer', chain.signer, 5n, 5n)
  expect(await liveMinutes(market, 1)).toEqual([changed])
  await acknowledge(changed)
  // One that never was a relayer was not removed.
  market.configure({ keys })
  expect(await liveMinutes(market, 2)).toEqual([`no_relayer:${chain.chainId}`])
})

it('one of two nodes that invents a theft is named, and hides no real one, also once that is acknowledged', async () => {
  const { chain, market } = await aWatchedChain({ nodes: 2 })
  const counts = ['eth_getTransactionCount']
  await chain.setFaults({ node: '1', on: counts, effect: { result: numberToHex(10 ** 9) } })
  const [key, signer] = [theftBy(chain, chain.otherSigner), theftBy(chain, chain.signer)]
  expect(await liveMinutes(market, 1)).toEqual([signer, key].sort())
  expect(await detailOf(key)).toMatch(/the nonce 999999999 of .* \(node 1\)$/)
  for (const lie of [key, signer]) await acknowledge(lie)
  expect(await liveMinutes(market, 1)).toEqual([])
  await steal(chain, { relayer: chain.otherSigner })
  expect(await liveMinutes(market, 1)).toEqual([key])
  expect(await detailOf(key)).toMatch(/the nonce 0 of .* \(node 0\)$/)
  // The lie ends, and everything is as before.
  await acknowledge(key)
  await chain.setFaults()
  expect(await liveMinutes(market, 1)).toEqual([])
  await steal(chain, { relayer: chain.otherSigner })
  expect(await liveMinutes(market, 1)).toEqual([key])
  expect(await detailOf(key)).toMatch(/the nonce 1 of .* \(node 0, 1\)$/)
})

it('an answer of one network that cannot be used stops the check of no other, and is told', async () => {
  const [liar, chain] = [await aChain(), await aChain({ erc1155: 10 })]
  const NETWORKS = networksOf([liar, chain])
  const instance = anInstance(chain, { bindings: { NETWORKS } as never })
  expect(await instance.cron()).toEqual([])
  const head = { hash: `0x${'07'.repeat(32)}`, baseFeePerGas: '0x1', timestamp: '0x1' }
  const result = { ...head, number: '0xffffffffffffffff' }
  await liar.setFaults({ on: ['eth_getBlockByNumber'], effect: { result } })
  await steal(chain, { relayer: chain.otherSigner })
  expect(await instance.cron(1)).toEqual([theftBy(chain, chain.otherSigner)])
  expect(await instance.cron(6)).toEqual([
    theftBy(chain, chain.otherSigner),
    `node_unavailable:${liar.chainId}`,
  ])
  await liar.setFaults()
  expect(await instance.cron(7)).toEqual([theftBy(chain, chain.otherSigner)])
})

/** The alarm of this kind, if it lasts. */
const alarmNow = async () =>
  (await db.select().from(alarms)).find(({ name }) => name === 'unrequested_cancellation')

/** Uses up the keys of items as a relayer, without a transfer. */
async function cancelAsThief(chain: Chain, items: readonly PaidItem[]) {
  const cancels = items.map(({ key }) => ({
    ...{ key, token: zeroAddress, from: zeroAddress, to: zeroAddress, tokenId: 0n, amount: 0n },
  }))
  const args = [cancels, BigInt(items.length), 300_000n, 10n ** 12n] as const
  const hash = await chain.rpc('eth_sendTransaction', {
    ...{ from: chain.otherSigner, to: chain.delivery, gas: '0x500000' },
    data: encodeFunctionData({ abi, functionName: 'deliver', args }),
  })
  expect(await chain.receiptOf(hash)).toMatchObject({ status: '0x1' })
}

describe('a cancellation for which nobody has asked', () => {
  const waiting = [
    ['wait for a wallet', { ...edition, recipient: null }],
    ['wait for their seller', { ...edition, tokenId: '7' }],
  ] as const

  it.each(firstCases(1, waiting))(
    'of orders that %s is an alarm until it is acknowledged',
    async (_, sale) => {
      const chain = await aChain({ erc1155: 10 })
      const market = aMarketplace(chain)
      const items = await paidItems(chain, copies(10, sale))
      await liveMinutes(market, 2)
      expect(await alarmNow()).toBeUndefined()
      await cancelAsThief(chain, items)
      // A minute until the theft is seen, and one until the keys were compared with the chain.
      await liveMinutes(market, 2)
      await market.runCron()
      const key = `unrequested_cancellation:${chain.chainId}`
      expect(await alarmNow()).toMatchObject({
        key,
        detail: `Somebody has cancelled items on chain ${chain.chainId} although nobody asked for that: 10, such as ${items[0]?.id}.`,
      })
      for (const row of (await rowsOf(items)).values()) expect(row.state).toBe('cancelled')
      // Shops learn it as of any other cancellation.
      const events = await db.all(
        sql`SELECT id FROM events WHERE type = 'order.cancelled'
          AND itemId BETWEEN ${items[0]?.id} AND ${items.at(-1)?.id}`,
      )
      expect(events).toHaveLength(10)

      pass(48 * 3600)
      await liveMinutes(market, 1)
      expect(await alarmNow()).toMatchObject({ key })
      expect(await acknowledge(key)).toBe(200)
      await liveMinutes(market, 1)
      expect(await alarmNow()).toBeUndefined()
    },
  )

  it('is none if the seller or an operator asked for it', async () => {
    const chain = await aChain({ erc1155: 10 })
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, { ...edition, recipient: null })
    await anEngine(chain).cancel(item)
    await liveMinutes(market, 2)
    expect(await rowOf(item)).toMatchObject({ state: 'cancelled' })
    expect(await alarmNow()).toBeUndefined()
    expect(await db.select().from(findings)).toEqual([])
  })
})
