import { type Address, getAddress, type Hex } from 'viem'
import { expect, it } from 'vitest'
import {
  CANCELLED,
  type ContractItem,
  decodeLimit,
  decodeRecords,
  decodeResults,
  encodeDeliver,
  encodeGetter,
  encodeLimit,
  encodeRecords,
  hashContent,
  isFailure,
  usedTopics,
} from '../../src/ethereum/contract.ts'
import { logs, read, receipt } from '../../src/ethereum/requests.ts'
import { revertReason } from '../../src/ethereum/revert.ts'
import { cancelItem } from '../../src/ethereum/token.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'

const key = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
const buyer = getAddress(`0x${'b'.repeat(40)}`)
const NEVER = 2 ** 40

function itemsOf({ contracts, seller }: Chain) {
  const from = getAddress(seller)
  const unique = { token: getAddress(contracts.erc721), from, to: buyer, tokenId: 0n, amount: 0n }
  const edition = { ...unique, token: getAddress(contracts.erc1155), tokenId: 1n, amount: 3n }
  return { unique, edition }
}

async function call({ delivery, signer, rpc }: Chain, data: Hex, gas?: Hex): Promise<Hex> {
  const transaction = { from: signer, to: delivery, data, ...(gas && { gas }) }
  return (await rpc('eth_call', transaction, 'latest')) as Hex
}

/** Enough for every delivery here. An estimate is too low if the bucket refills a second later. */
const GAS = '0x1e8480'

/** Mines a delivery, and returns its receipt. */
async function deliver(
  { delivery, signer, rpc, receiptOf }: Chain,
  items: readonly ContractItem[],
) {
  const data = encodeDeliver(items, items.length, 300_000, NEVER)
  const hash = await rpc('eth_sendTransaction', { from: signer, to: delivery, data, gas: GAS })
  const mined = read(receipt, { result: await receiptOf(hash) })
  if (!mined) throw new Error('a receipt that exists is read as none')
  return mined
}

it('knows the content hash that the contract stores, and the block', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 3 })
  const { unique, edition } = itemsOf(chain)
  const items = [{ key: key(1), ...unique }, { key: key(2), ...edition }, cancelItem(key(3))]
  const { blockNumber } = await deliver(chain, items)
  await chain.mine(2)
  const head = Number(await chain.rpc('eth_blockNumber'))
  const keys = [...items.map(({ key }) => key), key(4)]
  expect(decodeRecords(await call(chain, encodeRecords(keys)))).toEqual({
    block: head,
    records: [
      { block: blockNumber, contentHash: hashContent(unique) },
      { block: blockNumber, contentHash: hashContent(edition) },
      { block: blockNumber, contentHash: CANCELLED },
      { block: 0, contentHash: CANCELLED },
    ],
  })
})

it('gives another content another hash', () => {
  const content = { token: buyer, to: buyer, tokenId: 1n, amount: 1n }
  const other: Address = `0x${'c'.repeat(40)}`
  const contents = [
    content,
    { ...content, token: other },
    { ...content, to: other },
    { ...content, tokenId: 2n },
    { ...content, amount: 0n },
  ]
  expect(new Set(contents.map(hashContent)).size).toBe(5)
})

it('reads what a call would do with each item', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 3 })
  const { unique, edition } = itemsOf(chain)
  const items = [
    { key: key(1), ...unique },
    { key: key(1), ...edition },
    { key: key(2), ...edition, amount: 4n },
    { key: key(3), ...edition, token: buyer },
    cancelItem(key(4)),
  ]
  const data = encodeDeliver(items, 0, 300_000, NEVER)
  const results = decodeResults(await call(chain, data))
  expect(results?.map(({ outcome }) => outcome)).toEqual([
    'delivered',
    'skipped',
    'failed',
    'failed',
    'cancelled',
  ])
  const reasons = results?.map(({ reason }) => revertReason(reason))
  expect(reasons?.[2]).toMatch(/insufficient balance/)
  expect(reasons?.[3]).toBe('TokenHasNoCode')
  expect(Number(results?.[0]?.gasUsed)).toBeGreaterThan(30_000)
  // 500,000 gas: enough for one item.
  const [first, ...others] = decodeResults(await call(chain, data, '0x7a120')) ?? []
  expect(first?.outcome).toBe('delivered')
  const notReached = { outcome: 'not_reached', gasUsed: 0n, reason: '0x' }
  expect(others).toEqual([notReached, notReached, notReached, notReached])
})

it('reads the state of the contract and of its relayers', async () => {
  const chain = await aChain({ erc1155: 3 })
  const { edition } = itemsOf(chain)
  expect(BigInt(await call(chain, encodeGetter('paused')))).toBe(0n)
  expect(BigInt(await call(chain, encodeGetter('retired')))).toBe(0n)
  expect(BigInt(await call(chain, encodeGetter('predecessor')))).toBe(0n)
  await chain.asOwner('setRelayer', chain.signer, 100n, 100n)
  const limit = async () =>
    decodeLimit(await call(chain, encodeLimit('relayerLimit', chain.signer)))
  const none = { nextCapacity: 0, nextPerDay: 0, nextAt: 0 }
  const full = { isSet: true, capacity: 100, perDay: 100, available: 100, ...none }
  expect(await limit()).toEqual(full)
  const items = [{ key: key(1), ...edition, amount: 2n }, cancelItem(key(2))]
  await deliver(chain, items)
  expect(await limit()).toEqual({ ...full, available: 97 })
  expect(decodeLimit(await call(chain, encodeLimit('tokenLimit', edition.token)))).toEqual({
    isSet: false,
    capacity: 0,
    perDay: 0,
    available: 0,
    ...none,
  })
  await chain.asOwner('retire')
  expect(BigInt(await call(chain, encodeGetter('paused')))).toBe(1n)
  expect(BigInt(await call(chain, encodeGetter('retired')))).toBe(1n)
})

it('finds the events of keys: used, or failed', async () => {
  const chain = await aChain({ erc1155: 3 })
  const { edition } = itemsOf(chain)
  const items = [{ key: key(1), ...edition }, { key: key(2), ...edition }, cancelItem(key(3))]
  const mined = await deliver(chain, items)
  const failures = mined.logs.filter((log) => isFailure(log, chain.delivery))
  expect(failures.map(({ topics }) => topics[1])).toEqual([key(2)])
  // A token can log what the contract logs.
  const forged = failures.map((log) => ({ ...log, address: edition.token }))
  expect(forged.filter((log) => isFailure(log, chain.delivery))).toEqual([])
  const filter = { fromBlock: '0x0', address: chain.delivery }
  const found = async (keys: readonly Hex[]) => {
    const found = await chain.rpc('eth_getLogs', { ...filter, topics: usedTopics(keys) })
    return read(logs, { result: found })?.map(({ topics }) => topics[1])
  }
  expect(await found([key(1), key(2), key(3), key(4)])).toEqual([key(1), key(3)])
  expect(await found([key(3)])).toEqual([key(3)])
})

it.each<Hex>(['0x', '0x01', `0x${'00'.repeat(31)}`, `0x${'ff'.repeat(96)}`])(
  'decodes no answer of another contract or of a node that lies: %s',
  (data) => {
    expect(decodeRecords(data)).toBeNull()
    expect(decodeLimit(data)).toBeNull()
    expect(decodeResults(data)).toBeNull()
  },
)
