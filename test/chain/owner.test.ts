/** Which blocks a node is asked for the events of the owner. */
import { describe, expect, it } from 'vitest'
import { type Cursors, planEvents, readOwnerEvents } from '../../src/chain/owner.ts'
import type { RpcRequest } from '../../src/ethereum/requests.ts'

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

type Blocks = { newest: number; final: number | null }

const rangeOf = ({ params: [filter] }: RpcRequest) => {
  const { fromBlock, toBlock } = Object(filter)
  return [Number(fromBlock), Number(toBlock)]
}

/** The ranges that are asked for, and how far the node is read if it answers all but those from `missing`. */
function read(known: Cursors | null, blocks: Blocks, missing = Infinity) {
  const plan = planEvents(CONTRACT, known, blocks)
  const { seenTo, eventsTo } = readOwnerEvents(plan, (request) =>
    Number(rangeOf(request)[0]) >= missing ? { fault: 'none' } : { result: [] },
  )
  return { ranges: plan.requests.map(rangeOf), seenTo, eventsTo }
}

describe('the events of a node', () => {
  it('are read from its newest block on, if it is new', () => {
    expect(read(null, { newest: 1000, final: 900 })).toEqual({
      ...{ ranges: [], seenTo: 1000, eventsTo: 1000 },
    })
  })

  it('are read when they are new, and again when they are final', () => {
    const first = read({ seenTo: 1000, eventsTo: 1000 }, { newest: 1010, final: 990 })
    expect(first).toEqual({ ranges: [[1001, 1010]], seenTo: 1010, eventsTo: 1000 })
    expect(read(first, { newest: 1020, final: 1008 })).toEqual({
      ranges: [
        [1011, 1020],
        [1001, 1008],
      ],
      ...{ seenTo: 1020, eventsTo: 1008 },
    })
  })

  it('are read in several checks after a long time, and none is left out', () => {
    const blocks = { newest: 4500, final: null }
    let known: Cursors = { seenTo: 0, eventsTo: 0 }
    const ranges: number[][] = []
    for (let check = 0; check < 3; check++) {
      const result = read(known, blocks)
      ranges.push(...result.ranges)
      known = result
    }
    expect(ranges).toEqual(
      Array.from({ length: 9 }, (_, i) => [1 + i * 500, Math.min((i + 1) * 500, 4500)]),
    )
    expect(known).toMatchObject({ seenTo: 4500, eventsTo: 0 })
  })

  it('are asked for again from the first block that was not told', () => {
    const blocks = { newest: 1400, final: null }
    expect(read({ seenTo: 0, eventsTo: 0 }, blocks, 501)).toMatchObject({ seenTo: 500 })
    expect(read({ seenTo: 0, eventsTo: 0 }, blocks, 1)).toMatchObject({ seenTo: 0 })
  })

  it('are read again from a lower block, but not from the first one', () => {
    const known = { seenTo: 10_000, eventsTo: 9_900 }
    expect(read(known, { newest: 9_950, final: 9_900 })).toMatchObject({
      ...{ seenTo: 9_950, eventsTo: 9_900 },
    })
    expect(read(known, { newest: 3, final: 1 })).toEqual({
      ...{ ranges: [], seenTo: 8_000, eventsTo: 7_900 },
    })
  })
})
