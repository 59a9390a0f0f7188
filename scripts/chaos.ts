/** `npm run chaos`: a long campaign of random faults against transfers; its seed brings it back. */
import { spawnSync } from 'node:child_process'
import { command, Failure, optionsOf, wholeNumber } from './shell/command.ts'

const USAGE = 'usage: npm run chaos -- --seed S --items N'

await command(async () => {
  const options = optionsOf({ seed: { type: 'string' }, items: { type: 'string' } }, USAGE)
  const seed = wholeNumber('--seed', options.seed ?? String(Date.now() % 2 ** 31))
  const items = wholeNumber('--items', options.items ?? '500', 1)
  console.log(`seed ${seed}, ${items} items`)
  const { status } = spawnSync(
    'vitest',
    ['run', '--project', 'workers', 'test/transfers/campaign.test.ts'],
    {
      stdio: 'inherit',
      env: { ...process.env, CHAOS_SEED: String(seed), CHAOS_ITEMS: String(items) },
    },
  )
  if (status !== 0) throw new Failure(`seed ${seed} with ${items} items found something.`)
})
