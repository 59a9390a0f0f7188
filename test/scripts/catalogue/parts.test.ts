import { expect, it } from 'vitest'
import { divide, type Entry } from '../../../scripts/operate/catalogue/parts.ts'

const user = (line: number): Entry => ({ line, type: 'user', id: `user-${line}` })
const nft = (line: number, user = 'user-1'): Entry => ({
  line,
  type: 'nft',
  id: `nft-${line}`,
  user,
})
const sale = (line: number, nft: string, user = 'user-1'): Entry => ({
  line,
  type: 'listing',
  id: `sale-${line}`,
  nft,
  user,
})
const lines = (count: number, from: number, make: (line: number) => Entry) =>
  Array.from({ length: count }, (_, i) => make(from + i))

it('keeps a file of up to 20,000 lines together', () => {
  const parts = divide([user(1), ...lines(19_999, 2, nft)], false)
  expect(parts.map(({ lines }) => lines.size)).toEqual([20_000])
})

it('imports users first, and an NFT together with its listings', () => {
  const entries = [
    ...lines(19_999, 2, nft),
    user(1),
    sale(30_000, 'nft-2'),
    sale(30_001, 'nft-20000'),
    sale(30_002, 'nft-of-an-earlier-import'),
  ]
  const [users, first, second, ...others] = divide(entries, false)
  expect(others).toEqual([])
  expect([...(users?.lines ?? [])]).toEqual([1])
  expect(first?.lines.size).toBe(19_999)
  expect(first?.lines.has(30_000)).toBe(true)
  expect([...(second?.lines ?? [])]).toEqual([20_000, 30_001, 30_002])
})

it('gives each part of a rehearsal the users that it names', () => {
  const entries = [user(1), user(2), ...lines(20_000, 3, nft), sale(30_000, 'nft-3', 'user-2')]
  const [users, first, second] = divide(entries, true)
  expect(users).toEqual({ lines: new Set([1, 2]), hasUsersOfNfts: false })
  expect(first?.lines.has(1) && first.lines.has(2)).toBe(true)
  expect(second?.hasUsersOfNfts).toBe(true)
  expect(second?.lines.has(1)).toBe(true)
  expect(second?.lines.has(2)).toBe(false)
})
