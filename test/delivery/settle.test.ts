/** What nodes say together of delivery keys. */
import { type Hex, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import type { ObservedRecord } from '../../src/delivery/model.ts'
import { mergeRecords } from '../../src/delivery/rules/settle.ts'

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
