import fc from 'fast-check'
import { formatEther } from 'viem'
import { expect, it } from 'vitest'
import { ether } from '../../src/orders/ether.ts'

it.each([
  [0n, '0'],
  [1n, '0.000000000000000001'],
  [10n ** 17n, '0.1'],
  [10n ** 18n, '1'],
  [120n * 10n ** 18n, '120'],
  [1234567890123456789n, '1.234567890123456789'],
  [
    2n ** 256n - 1n,
    '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
  ],
])('tells %d wei as %s ETH', (wei, text) => {
  expect(ether(wei)).toBe(text)
})

it('tells every amount as viem does', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (wei) => {
      expect(ether(wei)).toBe(formatEther(wei))
    }),
  )
})
