import { type Address, getAddress, type Hex } from 'viem'
import { expect, it } from 'vitest'
import {
  type ContractItem,
  decodeLimit,
  decodeRecords,
  decodeResults,
  encodeDeliver,
  hashContent,
  isFailure,
  usedTopics,
} from '../../src/ethereum/contract.ts'
import { logs, read, receipt } from '../../src/ethereum/requests.ts'
import { cancelItem } from '../../src/ethereum/token.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'

const key = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
const buyer = getAddress(`0x${'b'.repeat(40)}`)
const NEVER = 2 ** 40

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

it('finds the events of keys: used, or failed', async () => {
  const chain = await aChain({ erc1155: 3 })
  const edition = {
    ...{ token: getAddress(chain.contracts.erc1155), from: getAddress(chain.seller), to: buyer },
    ...{ tokenId: 1n, amount: 3n },
  }
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
