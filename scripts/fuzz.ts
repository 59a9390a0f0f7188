/** `npm run fuzz`: sends valid, damaged and hostile requests to every endpoint. */
import { parseInteger, parseOptions, runCommand } from './shell/command.ts'
import { runTest } from './shell/vitest.ts'

const USAGE = 'usage: npm run fuzz -- --seed S --runs N'

await runCommand(async () => {
  const options = parseOptions({ seed: { type: 'string' }, runs: { type: 'string' } }, USAGE)
  await runTest('test/fuzz', 'fuzz: ', {
    FUZZ_SEED: parseInteger('--seed', options.seed ?? '1'),
    FUZZ_RUNS: parseInteger('--runs', options.runs ?? '10000', 1),
  })
})
