/** Whose word suffices for what. */
import { describe, expect, it } from 'vitest'
import { believe, findFirst, findHighest, findTwo, isContradicted } from '../../src/chain/claims.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()
const network = { chainId: 7 }

describe('a question that is answered with yes or no', () => {
  it.each([
    // What nodes say, then whether deliveries go on, something is proven, something is so for all.
    [[true, true], true, true, true],
    [[true, false], true, false, false],
    [[false, false], false, false, false],
    [[true, null], true, true, null],
    [[null, false], false, false, false],
    [[null, null], null, null, null],
    [[true, true, false], true, false, false],
  ] as const)('answered %j', (told, canGoOn, isProven, isForAll) => {
    expect(believe('can_go_on', network, told)).toBe(canGoOn)
    expect(believe('is_proven', network, told)).toBe(isProven)
    expect(believe('is_for_all', network, told)).toBe(isForAll)
    expect(believe('is_wrong', network, told)).toBe(isForAll)
  })

  it('logs the answers of nodes that contradict each other, and of no others', () => {
    believe('can_go_on', network, [true, false, null])
    believe('can_go_on', network, [true, true, null])
    expect(logged('nodes_disagree')).toEqual([
      { chainId: 7, kind: 'can_go_on', answers: [true, false, null] },
    ])
  })
})

describe('what one node may tell', () => {
  it.each([
    [[5, 6], 5, [0]],
    [[null, 6, 7], 6, [0, 1]],
    [[null, null], null, [0, 1]],
  ] as const)('is, told as %j, %s, and no further node is asked', async (told, first, asked) => {
    const nodes: number[] = []
    const ask = async (node: number) => {
      nodes.push(node)
      return told[node] ?? null
    }
    expect(await findFirst('shown', [...told.keys()], ask)).toBe(first)
    expect(nodes).toEqual(asked)
  })
})

describe('a value that takes two nodes', () => {
  it.each([
    [
      [5, 5],
      [5, 5],
    ],
    [[5, 6], null],
    [
      [6, 5, 6, 6],
      [6, 6, 6],
    ],
    [[5], null],
    [[], null],
  ] as const)('told as %j is %j', (told, two) => {
    expect(findTwo('record', told, String)).toEqual(two)
  })

  it.each([
    [[5, 7], 5],
    [[7, 5, 9], 7],
    [[5], 5],
    [[], undefined],
  ] as const)('that grows, told as %j, is %s', (told, highest) => {
    expect(findHighest('final', told, Number)).toBe(highest)
  })

  it('is contradicted if two nodes tell different ones', () => {
    expect(isContradicted([5, 6, 6], String)).toBe(true)
    expect(isContradicted([5, 5], String)).toBe(false)
    expect(isContradicted([5], String)).toBe(false)
  })
})
