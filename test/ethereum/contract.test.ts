/** What the engine encodes and decodes is what the contract on a real chain takes and gives. */
import fc from 'fast-check'
import { type Address, bytesToHex, getAddress, type Hex, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import {
  CANCELLED,
  type ContractItem,
  decodeDeliver,
  decodeRecords,
  decodeRelayer,
  decodeResults,
  encodeDeliver,
  encodeGetter,
  encodeRecords,
  encodeRelayers,
  hashContent,
  isFailure,
  usedTopics,
} from '../../src/ethereum/contract.ts'
import { logs, read, receipt } from '../../src/ethereum/requests.ts'
import { revertReason } from '../../src/ethereum/revert.ts'
import { cancelItem } from '../../src/ethereum/token.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes))
const anAddress = hex(20).map((bytes) => getAddress(bytes))
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const item = fc.record({
  key: hex(32),
  token: anAddress,
  from: anAddress,
  to: anAddress,
  tokenId: uint256,
  amount: uint256,
})

it('decodes the items of every call that it encodes', () => {
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 20 }),
      fc.nat(),
      fc.nat(),
      (items, minimum, deadline) => {
        expect(decodeDeliver(encodeDeliver(items, minimum, 300_000, deadline))).toEqual(items)
      },
    ),
    { seed: 1, numRuns: 100 },
  )
})

it('takes no other call for a delivery', () => {
  expect(() => decodeDeliver(encodeGetter('paused'))).toThrow('does not call deliver')
  expect(() => decodeDeliver('0x12345678')).toThrow()
})

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

/** Mines a delivery, and returns its receipt. */
async function deliver(
  { delivery, signer, rpc, receiptOf }: Chain,
  items: readonly ContractItem[],
) {
  const data = encodeDeliver(items, items.length, 300_000, NEVER)
  const hash = await rpc('eth_sendTransaction', { from: signer, to: delivery, data })
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
  await chain.asOwner('setRelayer', chain.signer, 100)
  expect(decodeRelayer(await call(chain, encodeRelayers(chain.signer)))).toEqual({
    perDay: 100,
    day: 0,
    used: 0,
  })
  const { blockNumber } = await deliver(chain, [{ key: key(1), ...edition }, cancelItem(key(2))])
  const block = await chain.rpc('eth_getBlockByNumber', `0x${blockNumber.toString(16)}`, false)
  const { timestamp } = block as { timestamp: Hex }
  expect(decodeRelayer(await call(chain, encodeRelayers(chain.signer)))).toEqual({
    perDay: 100,
    day: Math.floor(Number(timestamp) / 86_400),
    used: 2,
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
    expect(decodeRelayer(data)).toBeNull()
    expect(decodeResults(data)).toBeNull()
  },
)

it('does not care what a cancelled item says of its content', () => {
  expect(CANCELLED).toBe(`0x${'00'.repeat(24)}`)
  expect(hashContent({ token: zeroAddress, to: zeroAddress, tokenId: 0n, amount: 0n })).not.toBe(
    CANCELLED,
  )
})
