/**
 * `npm run chaos`: delivers many items under random faults. With `--lies`, one of two nodes lies
 * instead, in many ways one after the other. A seed reproduces a run.
 */
import { defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import { runTest } from './vitest.ts'

export const command = defineCommand(
  {
    name: 'npm run chaos',
    purpose:
      'Delivers many items while chain, node, queue and Worker fail at random. Each item must be transferred or minted exactly once. With --lies, one of two nodes lies in each of many cases instead, and nothing wrong may last.',
    options: {
      seed: { value: 'S', help: 'Reproduces a run. Default: a new one each time' },
      items: { value: 'N', help: 'Items to deliver. Default: 500' },
      lies: {
        value: 'N',
        help: 'Cases in which a node lies. Each has a seed of its own, which counts up from --seed',
      },
    },
    example: 'npm run chaos -- --seed 7 --items 500',
  },
  async (options) => {
    const seed = parseInteger('--seed', options.seed ?? String(Date.now() % 2 ** 31))
    if (options.lies !== undefined) {
      if (options.items !== undefined) throw new UsageError('--items is without --lies.')
      const cases = parseInteger('--lies', options.lies, 1)
      console.log(`seeds ${seed} to ${seed + cases - 1}. To play one again: --lies 1 --seed S`)
      return runTest('test/delivery/lies.long.test.ts', 'seed ', {
        LIES_SEED: seed,
        LIES_CASES: cases,
      })
    }
    const items = parseInteger('--items', options.items ?? '500', 1)
    console.log(`seed ${seed}, ${items} items`)
    await runTest('test/delivery/campaign.test.ts', 'seed ', {
      CHAOS_SEED: seed,
      CHAOS_ITEMS: items,
    })
  },
)

if (import.meta.main) await start(command)
