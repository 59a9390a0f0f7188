/** What nodes contradict each other in: how it is stored, and when it is an alarm. */
import { beforeEach, describe, expect, it } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { disagreements } from '../../src/db/schema/operations.ts'
import { type Disagreement, storeDisagreements } from '../../src/delivery/store/disagreements.ts'
import { aChain } from '../support/chain/chain.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { db } from '../support/makers.ts'
import { anInstance, detailOf, forgetAll } from './instance.ts'

recordLogs()

beforeEach(forgetAll)

const START = Date.parse('2026-01-01T12:00:00.000Z')
const at = (minutes: number) => new Date(START + minutes * 60_000)

const store = (found: readonly Disagreement[], minutes: number) =>
  batch(db, { stored: storeDisagreements(db, 5, found, at(minutes)) })

const stored = () => db.select().from(disagreements).orderBy(disagreements.about)

const funds = (answers = 'node 0: 1, node 1: 0') => ({ about: 'the funds of A', answers })

describe('what is stored', () => {
  it('has the last answers, and since when they differ', async () => {
    await store([funds(), funds()], 0)
    await store([funds('node 0: 2, node 1: 0')], 14)
    const expected = { chainId: 5, about: 'the funds of A', answers: 'node 0: 2, node 1: 0' }
    const times = { since: at(0).toISOString(), seenAt: at(14).toISOString() }
    expect(await stored()).toEqual([{ ...expected, ...times }])
  })

  it('is at most 50 of a chain, and what was seen before comes first', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ ...funds(), about: `question ${i}` }))
    await store(many.slice(40), 0)
    await store(many, 1)
    const rows = await stored()
    expect(rows).toHaveLength(50)
    expect(rows.filter(({ since }) => since === at(0).toISOString())).toHaveLength(20)
    await store([funds()], 2)
    expect(await stored()).toHaveLength(50)
    // What nodes have agreed about since takes no room.
    await store([funds()], 17)
    expect((await stored()).map(({ about }) => about)).toContain('the funds of A')
  })
})

/** An instance with two nodes. The second one is `liar`. */
async function aPair() {
  const chain = await aChain()
  const rpcUrls = ['0', 'liar'].map((node) => `${chain.proxyUrl}/${node}`)
  return { chain, instance: anInstance(chain, { network: { rpcUrls } }) }
}

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

describe('nodes_disagree', () => {
  it('lasts while nodes are seen to disagree for a minute, and 15 minutes longer', async () => {
    const { chain, instance } = await aPair()
    expect(await instance.cron(0)).toEqual([])
    await chain.setFaults({
      ...{ node: 'liar', on: ['eth_call'], containing: '0x5c975abb' },
      effect: { result: word(1) },
    })
    const key = `nodes_disagree:${chain.chainId}`
    expect(await instance.cron(1)).toEqual([])
    expect(await instance.cron(2)).toEqual([key])
    expect(await detailOf(key)).toBe(
      `The nodes of ${chain.name} disagree about the state of the Delivery contract (node 0: delivering, node 1: paused).`,
    )
    await chain.setFaults()
    expect(await instance.cron(17)).toEqual([key])
    expect(await instance.cron(18)).toEqual([])
    expect(await stored()).toEqual([])
  })

  it('tells which node denies the funds, the limit and the price of gas that others tell', async () => {
    const { chain, instance } = await aPair()
    await chain.rpc('anvil_setBalance', chain.signer, '0xde0b6b3a7640000')
    await instance.cron(0)
    const block = Object(await chain.rpc('eth_getBlockByNumber', 'latest', false))
    const dear = { ...block, baseFeePerGas: '0xffffffffffffff' }
    const lie = (on: string, result: unknown, containing = '') => ({
      ...{ node: 'liar', on: [on], containing },
      effect: { result },
    })
    await chain.setFaults(
      lie('eth_getBalance', '0x0'),
      lie('eth_getBlockByNumber', dear),
      lie('eth_call', `0x${'0'.repeat(64 * 7)}`, chain.signer.slice(2).toLowerCase()),
    )
    await instance.cron(1)
    const answersOf = Object.fromEntries(
      (await stored()).map(({ about, answers }) => [about, answers]),
    )
    expect(answersOf).toEqual({
      [`the funds of the signer ${chain.signer}`]: expect.stringMatching(
        /^node 0: enough for \d+ deliveries, node 1: enough for 0 deliveries$/,
      ),
      [`the limit of the signer ${chain.signer}`]: expect.stringMatching(
        /^node 0: \d+ pieces, \d+ left, node 1: none$/,
      ),
      'the price of gas': expect.stringMatching(
        /^node 0: [.\d]+ gwei, node 1: 7205759\d\.\d+ gwei$/,
      ),
    })
  })
})
