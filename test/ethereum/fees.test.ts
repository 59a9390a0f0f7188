import { describe, expect, it } from 'vitest'
import { firstFees, fitFunds, isUnderpriced, outbid, withinCap } from '../../src/ethereum/fees.ts'

const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
  maxFeePerGas,
  maxPriorityFeePerGas,
})
const market = (baseFee: bigint, tip: bigint) => ({ baseFee, tip, overdueTip: tip })

describe('the first fees', () => {
  it.each([
    ['leave room for the base fee to double', market(10n, 3n), 1000n, fees(23n, 3n)],
    ['are at most 70 % of the cap', market(40n, 10n), 100n, fees(70n, 10n)],
    ['may be exactly what the network asks', market(60n, 10n), 100n, fees(70n, 10n)],
    ['are zero where the network asks nothing', market(0n, 0n), 100n, fees(0n, 0n)],
  ])('%s', (_, asked, cap, expected) => {
    expect(firstFees(asked, cap)).toEqual(expected)
  })

  it.each([
    ['the base fee and the tip', market(61n, 10n), 100n],
    ['the tip', market(0n, 71n), 100n],
  ])('do not exist if %s are above 70 %% of the cap', (_, asked, cap) => {
    expect(firstFees(asked, cap)).toBeNull()
  })
})

describe('the fees of a replacement', () => {
  it.each([
    ['raise both by an eighth', fees(80n, 8n), market(1n, 1n), 1000n, fees(90n, 9n)],
    ['round up', fees(81n, 1n), market(1n, 1n), 1000n, fees(92n, 2n)],
    ['are at least one wei', fees(0n, 0n), market(0n, 0n), 1000n, fees(1n, 1n)],
    ['follow the market', fees(80n, 8n), market(200n, 20n), 1000n, fees(420n, 20n)],
    ['stop at the cap', fees(80n, 8n), market(200n, 20n), 300n, fees(300n, 20n)],
  ])('%s', (_, old, asked, cap, expected) => {
    expect(outbid(old, asked, cap)).toEqual(expected)
  })

  it.each([
    ['an eighth more is above the cap', fees(90n, 9n), market(1n, 1n), 100n],
    ['the tip alone is above the cap', fees(80n, 8n), market(1n, 101n), 100n],
  ])('do not exist if %s', (_, old, asked, cap) => {
    expect(outbid(old, asked, cap)).toBeNull()
  })

  it('exist for the first fees of every market, so that these can be replaced', () => {
    for (let base = 0n; base <= 140n; base += 7n)
      for (let tip = 0n; tip <= 140n; tip += 7n) {
        const first = firstFees(market(base, tip), 140n)
        if (first) expect(outbid(first, market(base, tip), 140n)).not.toBeNull()
      }
  })
})

it.each([
  [true, fees(29n, 10n), market(20n, 10n), false],
  [false, fees(30n, 10n), market(20n, 10n), true],
  [false, fees(100n, 9n), market(20n, 10n), false],
  [true, fees(100n, 9n), market(20n, 10n), true],
])('says that the fees are underpriced: %s', (expected, paid, asked, isOverdue) => {
  expect(isUnderpriced(paid, asked, isOverdue)).toBe(expected)
})

it.each([
  [20n, { lowest: 20n, highest: 20n, tip: 1n }],
  // A node that tells too low a price stops nothing, and one that tells too high a price does not, either.
  [50n, { lowest: 1n, highest: 50n, tip: 1n }],
  [69n, { lowest: 20n, highest: 10n ** 12n, tip: 1n }],
  // No node tells one that is allowed.
  [80n, { lowest: 80n, highest: 90n, tip: 1n }],
])('takes the base fee of %s of those that nodes tell, with a cap of 100', (expected, told) => {
  expect(withinCap(told, 100n)).toBe(expected)
})

it.each([
  ['that are offered', 100n, undefined, 23n],
  ['that can be paid', 20n, undefined, 20n],
  ['that the network takes', 1n, undefined, 13n],
  ['that replace the old ones', 20n, fees(19n, 3n), 22n],
])('are the fees %s', (_, payable, old, maxFeePerGas) => {
  const fitting = fitFunds(fees(23n, 3n), { lowestBaseFee: 10n }, payable, old)
  expect(fitting).toEqual({ maxFeePerGas, maxPriorityFeePerGas: 3n })
})
