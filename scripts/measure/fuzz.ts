/**
 * `npm run fuzz`: sends valid, damaged and hostile requests to every endpoint. With `--hostile`,
 * attackers play against victims instead. A seed reproduces a run.
 */
import { defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import { runTest } from './vitest.ts'

export const command = defineCommand(
  {
    name: 'npm run fuzz',
    purpose:
      'Sends valid, damaged and hostile requests to every endpoint. With --hostile, attackers play against victims instead.',
    options: {
      seed: { value: 'S', default: '1', help: 'Reproduces a run.' },
      runs: { value: 'N', help: 'Requests to send. Default: 10000' },
      hostile: { help: 'Let two sellers, a thief and a stranger attack.' },
      steps: { value: 'N', help: 'Requests of the attackers. Default: 10000' },
    },
    example: 'npm run fuzz -- --hostile --seed 7',
  },
  async ({ hostile, runs, steps, ...options }) => {
    if (hostile ? runs : steps)
      throw new UsageError('--runs is without --hostile, and --steps is with it.')
    const seed = parseInteger('--seed', options.seed)
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
  },
)

if (import.meta.main) await start(command)
