/** A run that fails, dies or stands still at any step, in every scene. See also cuts.test.ts. */
import { describe, it } from 'vitest'
import { alreadyKnown, type Effect, nonceTooLow, underpriced } from '../support/chain/faults.ts'
import { pass } from '../support/delivery/clock.ts'
import { Stall } from '../support/delivery/life.ts'
import { aMarketplace, type How } from '../support/delivery/marketplace.ts'
import { aStage, LEASE, type SceneName } from '../support/delivery/scenes.ts'

const scenes: SceneName[] = [
  'is paid',
  'is sent',
  'is mined',
  'is underpriced',
  'was reorganized',
  'was forgotten',
]

/** What happens to messages after the mishap, one after another. */
const hows: readonly How[] = ['once', 'twice', 'late', 'lost']

/** To die before a step is the same as to die after the step before it. */
const fatalities = [
  { does: 'fail', when: 'before' },
  { does: 'fail', when: 'after' },
  { does: 'die', when: 'after' },
] as const

describe.each(scenes)('an item that %s', (scene) => {
  const stage = aStage({ erc721: 200 })

  it.each(fatalities)('is transferred once if a run may $does $when any step', async (fatality) => {
    let isStepLeft = true
    for (let step = 0; isStepLeft; step++) {
      const market = aMarketplace(stage.chain())
      const item = await stage.scenes[scene](market)
      const runs = await market.deliver({ mishap: { step, ...fatality } })
      isStepLeft = runs[0]?.isHit ?? false
      await stage.chain().setAutomine(true)
      await market.settle({ how: hows[step % hows.length] ?? 'once' })
      pass(LEASE)
      await stage.expectTransferred(item, `step ${step}: ${runs[0]?.steps[step]?.what}`)
    }
  })

  it('is transferred once if a run stands still before any step and others do its work', async () => {
    let hasStalled = true
    // Step 0 is the acknowledgement of the message, which is not waited for.
    for (let step = 1; hasStalled; step++) {
      const market = aMarketplace(stage.chain())
      const item = await stage.scenes[scene](market)
      const stall = new Stall()
      const run = market.consume(market.queue.take(), { step, when: 'before', does: stall })
      hasStalled = await Promise.race([run.then(() => false), stall.reached.then(() => true)])
      pass(600)
      await stage.chain().setAutomine(true)
      await market.runCron()
      await market.settle()
      stall.wake()
      await run
      await market.settle()
      pass(LEASE)
      await stage.expectTransferred(item, `step ${step}`)
    }
  })
})

const BROADCAST = ['eth_sendRawTransaction']

const answers: [name: string, effect: (reach: 'none' | 'all') => Effect][] = [
  ['times out', (reach) => ({ http: 'hang', reach })],
  ['is 429', (reach) => ({ http: 429, reach })],
  ['is 503', (reach) => ({ http: 503, reach })],
  ['is malformed', (reach) => ({ http: 'malformed', reach })],
  ['is "already known"', (reach) => ({ error: alreadyKnown, reach })],
  ['is "underpriced"', (reach) => ({ error: underpriced, reach })],
  ['is "nonce too low"', (reach) => ({ error: nonceTooLow, reach })],
]

describe.each(answers)('when the answer to a broadcast %s', (_, effectOf) => {
  const stage = aStage({ erc721: 1 })

  it.each([
    ['the node has the transaction', 'all'],
    ['the node does not have the transaction', 'none'],
  ] as const)('the item is transferred once although %s', async (_, reach) => {
    const market = aMarketplace(stage.chain())
    const item = await stage.scenes['is paid'](market)
    await stage.chain().setFaults({ on: BROADCAST, times: 1, effect: effectOf(reach) })
    await market.deliver()
    await market.settle()
    await stage.expectTransferred(item)
  })
})
