/** `npm run chaos`: delivers many items under random faults. A seed reproduces a run. */
import { defineCommand, parseInteger, start } from './shell/command.ts'
import { runTest } from './shell/vitest.ts'

export const command = defineCommand(
  {
    name: 'npm run chaos',
    purpose:
      'Delivers many items while chain, node, queue and Worker fail at random. Each item must be transferred or minted exactly once.',
    options: {
      seed: { type: 'string', value: 'S', help: 'Reproduces a run. Default: a new one each time' },
      items: { type: 'string', value: 'N', default: '500', help: 'Items to deliver.' },
    },
    example: 'npm run chaos -- --seed 7 --items 500',
  },
  async (options) => {
    const seed = parseInteger('--seed', options.seed ?? String(Date.now() % 2 ** 31))
    const items = parseInteger('--items', options.items, 1)
    console.log(`seed ${seed}, ${items} items`)
    await runTest('test/delivery/campaign.test.ts', 'seed ', {
      CHAOS_SEED: seed,
      CHAOS_ITEMS: items,
    })
  },
)

if (import.meta.main) await start(command)
