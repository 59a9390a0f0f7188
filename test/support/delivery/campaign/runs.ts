/** Runs of the Worker's endpoints, to which something may happen at any step. */
import { type Mishap, Stall } from '../life.ts'
import type { Run } from '../marketplace.ts'
import type { Pending } from '../queue.ts'
import type { Dice } from './dice.ts'
import { count, type World } from './world.ts'

/** Lets the run go on that has stood still for longest. */
export async function wakeOne({ stalls }: World): Promise<void> {
  const [woken] = stalls.splice(0, 1)
  woken?.stall.wake()
  await woken?.run
}

function aMishap(dice: Dice): Mishap | undefined {
  if (!dice.chance(0.5)) return undefined
  // Most runs are short.
  const step = dice.upTo(dice.pick(6, 12, 30))
  const when = dice.pick('before', 'after')
  return { step, when, does: dice.pick<Mishap['does']>('fail', 'die', 'die', new Stall()) }
}

/** Delivers what is due in batches of any size and order, some twice, some never. */
export async function deliverAll(world: World): Promise<void> {
  const { dice, market } = world
  const due = dice.shuffled(market.queue.take(1000)).flatMap((message) => {
    if (dice.chance(0.05)) return []
    return dice.chance(0.1) ? [message, { ...message }] : [message]
  })
  const batches: Pending[][] = []
  while (due.length > 0) batches.push(due.splice(0, 1 + dice.upTo(3)))
  // Up to three consumers at the same time, sometimes with the cron run.
  while (batches.length > 0) {
    const together = batches.splice(0, 1 + dice.upTo(3)).map((batch) => consume(world, batch))
    if (dice.chance(0.2)) together.push(finished(world, (mishap) => market.runCron(mishap)))
    await Promise.all(together)
  }
}

const consume = (world: World, batch: readonly Pending[]) =>
  finished(world, (mishap) => world.market.consume(batch, mishap))

/** Resolves when the run has ended or stands still. */
export async function finished(
  world: World,
  start: (mishap?: Mishap) => Promise<Run>,
): Promise<void> {
  const mishap = aMishap(world.dice)
  const run = start(mishap).then(({ isHit }) => {
    if (isHit && mishap) count(world, nameOf(mishap))
  })
  if (!(mishap?.does instanceof Stall)) return run
  const stall = mishap.does
  const hasStalled = await Promise.race([run.then(() => false), stall.reached.then(() => true)])
  if (hasStalled) world.stalls.push({ stall, run })
}

const nameOf = ({ does, when }: Mishap) =>
  `run ${does instanceof Stall ? 'stood still' : does === 'die' ? 'killed' : 'failed'} ${when} a step`
