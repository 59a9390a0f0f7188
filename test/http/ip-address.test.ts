import { expect, it } from 'vitest'
import { groupsOf, isInBlock } from '../../src/http/ip-address.ts'

it.each([
  ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
  ['::1', [0, 0, 0, 0, 0, 0, 0, 1]],
  ['2001:db8::', [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0]],
  ['2001:db8::7:0:0:1', [0x2001, 0xdb8, 0, 0, 7, 0, 0, 1]],
  ['1:2:3:4:5:6:7:8', [1, 2, 3, 4, 5, 6, 7, 8]],
])('reads the groups of %s', (address, groups) => {
  expect(groupsOf(address)).toEqual(groups)
})

it.each([
  ['172.15.255.255', '172.16.0.0/12', false],
  ['172.16.0.0', '172.16.0.0/12', true],
  ['172.31.255.255', '172.16.0.0/12', true],
  ['172.32.0.0', '172.16.0.0/12', false],
  ['2001:1ff:ffff::', '2001::/23', true],
  ['2001:200::', '2001::/23', false],
  ['3fff:fff::1', '3fff::/20', true],
  ['3fff:1000::', '3fff::/20', false],
  ['::ffff:c000:201', '::ffff:0:0/96', true],
  ['::fffe:c000:201', '::ffff:0:0/96', false],
])('says whether %s is in %s: %s', (address, block, isInside) => {
  expect(isInBlock(address, [block])).toBe(isInside)
})
