/** What is concluded from what a node tells: nonces and pieces that this instance has not used. */
import { describe, expect, it } from 'vitest'
import type { View } from '../../src/chain/views.ts'
import type { NodeState } from '../../src/db/schema/operations.ts'
import { compareViews, type OwnTransaction } from '../../src/monitoring/watching/compare-views.ts'

const RELAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const network = { chainId: 5, delivery: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }
const NOW = new Date('2026-01-01T12:00:00.000Z')

/** `at`: the number of the block; there is one each second. */
type Seen = { at?: number; nonce?: number; available?: number; capacity?: number; perDay?: number }

const aView = ({
  at = 1000,
  nonce = 0,
  available = 10,
  capacity = 10,
  perDay = 0,
}: Seen): View => ({
  problem: null,
  head: { number: at, hash: '0x', timestamp: at, baseFeePerGas: 1n },
  finalBlock: null,
  shown: {
    ...{ headNumber: at, headAt: '', gasPrice: '1', isPaused: false, isRetired: false },
    signers: [],
  },
  events: [],
  ...{ seenTo: at, eventsTo: at },
  ...{ facts: {}, tokens: {} },
  relayers: [
    {
      address: RELAYER,
      nonce,
      hasCode: false,
      limit: {
        ...{ isSet: true, capacity, perDay, available },
        ...{ nextCapacity: 0, nextPerDay: 0, nextAt: 0 },
      },
    },
  ],
})

/** What else a comparison takes. */
const alone = { told: [], reached: Infinity, own: [], receipts: new Map() }

const own = (nonce: number, values: Partial<OwnTransaction> = {}): OwnTransaction => ({
  ...{ signer: RELAYER, nonce, isUnproven: 0, hashes: ['0x'], pieces: 1 },
  ...values,
})

type Circumstances = {
  before?: NodeState | null
  own?: OwnTransaction[]
  isProven?: boolean | undefined
}

/** Compares a view with what was known. Returns the findings, without what all of them say. */
function compare(seen: Seen, { before = null, own = [], isProven }: Circumstances = {}) {
  const receipts = new Map(isProven === undefined ? [] : [['0x', isProven ? {} : null]])
  const told = { ...alone, view: aView(seen), before, own, receipts }
  const { state, findings } = compareViews(told, network, [RELAYER], NOW)
  const found = findings.map(({ detail }) => / has used (?:the )?(.*) of the/.exec(detail)?.[1])
  return { state, found, relayer: state.relayers[RELAYER] }
}

const known = (seen: Seen) => compare(seen).state

it('compares what the owner can change with what was told before, also of a shorter fork', () => {
  const told = (facts: View['facts'], at: number, before: NodeState | null) =>
    compareViews(
      { view: { ...aView({ at }), facts }, before, ...alone },
      ...([network, [RELAYER], NOW] as const),
    )
  const before = told({ 'The owner': '0xA' }, 1000, null).state
  for (const at of [990, 1000, 1010])
    expect(told({ 'The owner': '0xB' }, at, before).findings).toEqual([
      { key: 'contract_changed:5', detail: 'The owner changed from 0xA to 0xB.' },
    ])
})

it('compares what is allowed for a token once it is known, also if it was not read in between', () => {
  const limit = 'The limit of the token 0xA'
  const told = (tokens: View['tokens'], before: NodeState | null) =>
    compareViews(
      { view: { ...aView({}), tokens }, before, ...alone },
      ...([network, [RELAYER], NOW] as const),
    )
  const first = told({ [limit]: 'not set' }, null)
  expect(first.findings).toEqual([])
  const second = told({}, first.state)
  const third = told({ [limit]: '5 pieces, 5 a day' }, second.state)
  const detail = 'The limit of the token 0xA changed from not set to 5 pieces, 5 a day.'
  expect(third.findings).toEqual([{ key: 'contract_changed:5', detail }])
  expect(told({ [limit]: '5 pieces, 5 a day' }, third.state).findings).toEqual([])
})

describe('an event', () => {
  const see = (events: string[], before: NodeState | null, own: readonly string[] = []) => {
    const view = { ...aView({}), events }
    const rest = { ...alone, before, told: own }
    const { state, findings } = compareViews({ view, ...rest }, network, [RELAYER], NOW)
    return { state, details: findings.map(({ detail }) => detail) }
  }

  it('is told once by a node, although it is read twice', () => {
    const first = see(['A', 'B'], known({}))
    expect(first.details).toEqual(['A', 'B'])
    expect(see(['B', 'C'], first.state).details).toEqual(['C'])
    expect(see(['A', 'C'], known({}), ['A']).details).toEqual(['C'])
  })

  it('is read up to the newest block, and again, once it is final, from the highest one that two nodes have', () => {
    const view = aView({ at: 1063 })
    const { state } = compareViews(
      { ...alone, view, before: null, reached: 1000 },
      ...([network, [RELAYER], NOW] as const),
    )
    expect(state).toMatchObject({ block: 1063, seenTo: 1063, eventsTo: 1000 })
  })

  it('that came with too many others is told when it is read again', () => {
    const many = Array.from({ length: 60 }, (_, i) => `${i}`)
    const first = see(many, known({}))
    expect(first.details).toEqual(many.slice(10))
    expect(see(many, first.state).details).toEqual(many.slice(0, 10))
  })
})

describe('a nonce', () => {
  it('is foreign if this instance has not used it since the last time', () => {
    const before = known({ nonce: 5 })
    expect(compare({ nonce: 5 }, { before }).found).toEqual([])
    expect(compare({ nonce: 8 }, { before, own: [own(5), own(7)] }).found).toEqual(['nonce 6'])
    expect(compare({ nonce: 8 }, { before, own: [own(5), own(6), own(7)] }).found).toEqual([])
  })

  it('is told if it is the highest of many', () => {
    const before = known({ nonce: 5 })
    const nonce = Number.MAX_SAFE_INTEGER
    expect(compare({ nonce }, { before }).found).toEqual([`nonce ${nonce - 1}`])
  })

  it('is foreign after the database was set back, before anything is known of the chain', () => {
    expect(compare({ nonce: 5 }, { own: [own(2)] }).found).toEqual(['nonce 4'])
    expect(compare({ nonce: 3 }, { own: [own(2), own(3)] }).found).toEqual([])
  })

  it('is not foreign from before the relayer was known', () => {
    expect(compare({ nonce: 40 }).found).toEqual([])
  })

  it('is not foreign if the chain lost blocks, and has them again', () => {
    const before = compare({ nonce: 3, at: 990 }, { before: known({ nonce: 5 }) }).state
    const mine = [own(3), own(4)]
    expect(compare({ nonce: 5 }, { before, own: mine }).found).toEqual([])
    expect(compare({ nonce: 6 }, { before, own: mine }).found).toEqual(['nonce 5'])
  })

  describe('of a transaction that is in no block as far as is known', () => {
    const before = known({ nonce: 5 })
    const mine = [own(5, { isUnproven: 1 })]

    it('is not foreign while it is not used, nor if the node has a receipt', () => {
      expect(compare({ nonce: 5 }, { before, own: mine, isProven: false }).found).toEqual([])
      const proven = compare({ nonce: 6 }, { before, own: mine, isProven: true })
      expect(proven).toMatchObject({ found: [], relayer: { nonce: 6, missing: [] } })
    })

    it('is foreign if the node has no receipt twice', () => {
      const first = compare({ nonce: 6 }, { before, own: mine, isProven: false })
      expect(first).toMatchObject({ found: [], relayer: { nonce: 6, missing: [5] } })
      const second = { before: first.state, own: mine }
      expect(compare({ nonce: 6 }, { ...second, isProven: true }).relayer?.missing).toEqual([])
      expect(compare({ nonce: 6 }, { ...second, isProven: false })).toMatchObject({
        found: ['nonce 5'],
        relayer: { missing: [] },
      })
    })

    it('stays open while the node does not say', () => {
      const first = compare({ nonce: 6 }, { before, own: mine })
      const second = compare({ nonce: 6 }, { before: first.state, own: mine })
      expect(second).toMatchObject({ found: [], relayer: { missing: [5] } })
      expect(
        compare({ nonce: 6 }, { before: second.state, own: mine, isProven: false }).found,
      ).toEqual(['nonce 5'])
    })

    it('is foreign as soon as a run has given the transaction up', () => {
      const first = compare({ nonce: 6 }, { before, own: mine, isProven: false })
      expect(compare({ nonce: 6 }, { before: first.state }).found).toEqual(['nonce 5'])
    })

    it('is not foreign if the chain lost the block that had used it', () => {
      const first = compare({ nonce: 6 }, { before, own: mine, isProven: false })
      const again = compare({ nonce: 5 }, { before: first.state, own: mine, isProven: false })
      expect(again).toMatchObject({ found: [], relayer: { nonce: 5, missing: [] } })
    })
  })
})

describe('pieces', () => {
  const DAY = 86_400

  it('are foreign from the first on, in a bucket that does not refill', () => {
    const before = known({ available: 10 })
    expect(compare({ available: 10, at: 1060 }, { before }).found).toEqual([])
    const after = compare({ available: 9, at: 1060 }, { before })
    expect(after.found).toEqual(['1 pieces of the limit'])
    expect(compare({ available: 9, at: 1120 }, { before: after.state }).found).toEqual([])
  })

  it('are not those of own transactions, whether these were delivered or failed', () => {
    const before = known({ available: 10, nonce: 5 })
    const mine = { before, own: [own(5, { pieces: 3 }), own(6, { pieces: 2 }), own(7)] }
    for (const available of [10, 8, 5])
      expect(compare({ available, nonce: 7 }, mine).found).toEqual([])
    expect(compare({ available: 4, nonce: 7 }, mine).found).toEqual(['1 pieces of the limit'])
  })

  it('are not looked for beside transactions whose items were forgotten', () => {
    const before = known({ available: 10, nonce: 5 })
    const forgotten = { before, own: [own(5, { pieces: null })] }
    expect(compare({ available: 4, nonce: 6 }, forgotten).found).toEqual([])
  })

  // A piece flows back in 40 seconds. After 60, there is room for one and a half.
  it.each([
    [4, [], []],
    [4, [own(5, { pieces: 1 })], []],
    [3, [own(5, { pieces: 2 })], []],
    [1, [own(5, { pieces: 2 })], ['1 pieces of the limit']],
    [2, [], ['2 pieces of the limit']],
  ])('flow back by the time of the blocks (%i left)', (available, mine, expected) => {
    const perDay = DAY / 40
    const before = known({ available: 3, perDay, nonce: 5 })
    const nonce = 5 + mine.length
    expect(compare({ at: 1060, available, perDay, nonce }, { before, own: mine }).found).toEqual(
      expected,
    )
  })

  it('are seen although fractions of a piece are not told', () => {
    const perDay = DAY / 40
    let before = known({ available: 0, perDay, capacity: 100 })
    let left = 0.9
    const found: unknown[] = []
    for (let minute = 1; minute <= 4; minute++) {
      // One and a half pieces flow back, and a thief takes one.
      left += 1.5 - 1
      const seen = { at: 1000 + 60 * minute, available: Math.floor(left), perDay, capacity: 100 }
      const after = compare(seen, { before })
      found.push(...after.found)
      before = after.state
    }
    expect(found).toEqual(['2 pieces of the limit', '2 pieces of the limit'])
  })

  it('are not foreign in a full bucket, into which nothing flows back', () => {
    const perDay = DAY / 40
    const before = known({ available: 10, perDay, nonce: 5 })
    const mine = { before, own: [own(5, { pieces: 4 })] }
    for (const available of [6, 7])
      expect(compare({ at: 1060, available, perDay, nonce: 6 }, mine).found).toEqual([])
    expect(compare({ at: 1060, available: 5, perDay, nonce: 6 }, mine).found).toHaveLength(1)
  })

  it('begin anew with another limit, another contract and an older block', () => {
    const before = known({ available: 10 })
    expect(compare({ available: 4, capacity: 9 }, { before }).found).toEqual([])
    expect(compare({ available: 4, at: 990 }, { before }).found).toEqual([])
    const elsewhere = { ...before, contract: RELAYER }
    expect(compare({ available: 4 }, { before: elsewhere }).found).toEqual([])
  })
})
