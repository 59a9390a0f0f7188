/** `npm run chaos`: delivers many items under random faults. A seed reproduces a run. */
import { parseInteger, parseOptions, runCommand } from './shell/command.ts'
import { runTest } from './shell/vitest.ts'

const USAGE = 'usage: npm run chaos -- --seed S --items N'

await runCommand(async () => {
  const options = parseOptions({ seed: { type: 'string' }, items: { type: 'string' } }, USAGE)
  const seed = parseInteger('--seed', options.seed ?? String(Date.now() % 2 ** 31))
  const items = parseInteger('--items', options.items ?? '500', 1)
  console.log(`seed ${seed}, ${items} items`)
  await runTest('test/delivery/campaign.test.ts', 'seed ', {
    CHAOS_SEED: seed,
    CHAOS_ITEMS: items,
  })
})
