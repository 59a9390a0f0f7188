/** A run that fails, dies or stands still at any step, in every scene. See also cuts.test.ts. */
import { describe, expect, it } from 'vitest'
import { stockOfItem } from '../admin/operator.ts'
import { aChain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { rowOf } from '../support/delivery/engine.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { Stall } from '../support/delivery/life.ts'
import { aMarketplace, type How } from '../support/delivery/marketplace.ts'
import { aStage, LEASE, type SceneName } from '../support/delivery/scenes.ts'
import { aMasterToken } from '../support/makers.ts'

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
  const stage = aStage(200)

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
      await stage.expectTransferred([item], `step ${step}: ${runs[0]?.steps[step]?.what}`)
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
      await stage.expectTransferred([item], `step ${step}`)
    }
  })
})

it('the pieces of a cancelled item return once if a run is killed after any step', async () => {
  const chain = await aChain({ erc1155: 1 })
  const token = await aMasterToken()
  let isStepLeft = true
  for (let step = 0; isStepLeft; step++) {
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    const stock = await stockOfItem(item.id)
    const path = `/api/admin/transfers/${item.id}/cancel`
    const { response } = await market.request({ method: 'POST', path, token })
    expect(response?.status).toBe(200)
    const [run] = await market.deliver({ mishap: { step, when: 'after', does: 'die' } })
    isStepLeft = run?.isHit ?? false
    await market.settle()
    expect(await rowOf(item)).toMatchObject({ state: 'cancelled', reasonCode: 'cancelled' })
    expect(await stockOfItem(item.id), `step ${step}`).toBe(stock + 1)
  }
})
