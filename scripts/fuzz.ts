/**
 * `npm run fuzz`: sends valid, damaged and hostile requests to every endpoint. With `--hostile`,
 * attackers play against victims instead. A seed reproduces a run.
 */
import { CommandError, parseInteger, parseOptions, runCommand } from './shell/command.ts'
import { runTest } from './shell/vitest.ts'

const USAGE =
  'usage: npm run fuzz -- --seed S --runs N\n       npm run fuzz -- --hostile --seed S --steps N'

await runCommand(async () => {
  const { hostile, runs, steps, ...options } = parseOptions(
    {
      seed: { type: 'string' },
      runs: { type: 'string' },
      hostile: { type: 'boolean' },
      steps: { type: 'string' },
    },
    USAGE,
  )
  if (hostile ? runs : steps) throw new CommandError(USAGE)
  const seed = parseInteger('--seed', options.seed ?? '1')
  if (!hostile) {
    const count = parseInteger('--runs', runs ?? '10000', 1)
    return runTest('test/fuzz/fuzz.test.ts', 'fuzz: ', { FUZZ_SEED: seed, FUZZ_RUNS: count })
  }
  const count = parseInteger('--steps', steps ?? '10000', 1)
  console.log(`seed ${seed}, ${count} steps`)
  await runTest('test/fuzz/hostile.test.ts', 'hostile: ', {
    HOSTILE_SEED: seed,
    HOSTILE_STEPS: count,
  })
})
