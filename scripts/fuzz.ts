/** `npm run fuzz`: asks every endpoint for what it takes, nearly takes and should not take. */
import { spawnSync } from 'node:child_process'
import { command, Failure, optionsOf, wholeNumber } from './shell/command.ts'

const USAGE = 'usage: npm run fuzz -- --seed S --runs N'

await command(async () => {
  const options = optionsOf({ seed: { type: 'string' }, runs: { type: 'string' } }, USAGE)
  const seed = wholeNumber('--seed', options.seed ?? '1')
  const runs = wholeNumber('--runs', options.runs ?? '10000', 1)
  const { status } = spawnSync('vitest', ['run', '--project', 'workers', 'test/fuzz'], {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_SEED: String(seed), FUZZ_RUNS: String(runs) },
  })
  if (status !== 0) throw new Failure(`seed ${seed} found something.`)
})
