/** What nodes say together of delivery keys, and of transactions. */
import { type Hex, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import type { ObservedRecord } from '../../src/delivery/model.ts'
import {
  agreeOnMined,
  type Mined,
  mergeReceipts,
  mergeRecords,
} from '../../src/delivery/rules/settle.ts'

const KEY: Hex = '0x01'
const final = { number: 100 }
const used = (block: number): ObservedRecord => ({
  block,
  contentHash: '0x07',
  contract: zeroAddress,
})
const unused: ObservedRecord = { block: 0, contentHash: '0x00', contract: zeroAddress }

const merge = (told: ObservedRecord[], mustAgree: Hex[] = []) => {
  const views = told.map((record) => new Map([[KEY, record]]))
  const { records, disputed } = mergeRecords([KEY], views, { final, mustAgree: new Set(mustAgree) })
  return [records.get(KEY)?.block, disputed.has(KEY)]
}

it.each([
  ['used, as two nodes say', [used(90), used(90)], [90, false]],
  ['unused, as two nodes say', [unused, unused], [0, false]],
  ['unused, as one node says of a key that was never carried', [used(90), unused], [0, false]],
  ['unused, although a node has it in a block to come', [used(468), unused], [0, false]],
  ['used in a block that is not final, as two nodes say', [used(101), used(101)], [101, false]],
])('a key is %s', (_, told, expected) => {
  expect(merge(told)).toEqual(expected)
})

it('a key that was carried is disputed unless two nodes say the same', () => {
  expect(merge([used(90), unused], [KEY])).toEqual([90, true])
  expect(merge([unused, unused], [KEY])).toEqual([0, false])
})

const log = (data: Hex) => ({ address: zeroAddress, topics: [], data })
const mined = (...data: Hex[]): Mined => ({
  transactionHash: KEY,
  blockHash: KEY,
  blockNumber: 90,
  status: 1,
  from: zeroAddress,
  gasUsed: 1,
  effectiveGasPrice: 1n,
  logs: data.map(log),
  nonce: 0,
})

it.each([
  ['of two nodes that tell the same', [mined('0x01', '0x02'), mined('0x01', '0x02')], []],
  ['that one of two lacks', [mined('0x01'), mined('0x02', '0x01')], ['0x02']],
  ['that the first of three lacks', [mined(), mined('0x01', '0x02'), mined('0x01', '0x02')], []],
  ['that one of three adds', [mined('0x01', '0x01'), mined('0x01'), mined('0x01')], ['0x01']],
] as const)('events %s are doubtful if only one node has them', (_, told, doubtful) => {
  const { receipts, doubtfulLogs } = mergeReceipts(
    [KEY],
    told.map((receipt) => new Map([[KEY, receipt]])),
  )
  const left = agreeOnMined(told)?.left
  expect(left?.logs).toEqual(receipts.get(KEY)?.logs)
  expect([...doubtfulLogs].map(({ data }) => data)).toEqual(doubtful)
  expect([...(left?.doubtful ?? [])].map(({ data }) => data)).toEqual(doubtful)
})
