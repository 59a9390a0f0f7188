/** Runs the tests of guards with Vitest and Foundry, and reads their results. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonTestResults } from 'vitest/node'
import * as z from 'zod'
import { type Guard, readGuard } from '../../../test/guards/guard.ts'
import { foundryBinary } from '../../local/chain/foundry.ts'
import { readOutput, start } from '../../shell/child.ts'

const VITEST = join(fileURLToPath(import.meta.resolve('vitest/package.json')), '../vitest.mjs')

/** Milliseconds after which a run is stopped, because a broken guard may make it wait for ever. */
const TIMEOUT = 15 * 60_000

/** What became of each test, by file and contract, such as `test/contracts/Mint.t.sol:MintTest`. */
const ForgeReport = z.record(
  z.string(),
  z.object({ test_results: z.record(z.string(), z.object({ status: z.string() })) }),
)

/** A test that was run. */
export type Outcome = { file: string; title: string; isPassed: boolean }

/** `log`: what the program printed, with the errors of files that do not load. */
type Run = { outcomes: Outcome[]; log: string }

/** Runs the tests of the guards in `folder`, and returns what became of each. */
export async function runTests(
  folder: string,
  guards: readonly Guard[],
  options: readonly string[] = [],
): Promise<Run> {
  const inSolidity = guards.filter((guard) => isInSolidity(guard))
  const inTypeScript = guards.filter((guard) => !isInSolidity(guard))
  const runs: Run[] = []
  if (inSolidity.length > 0) runs.push(await runForge(folder, inSolidity))
  if (inTypeScript.length > 0) runs.push(await runVitest(folder, inTypeScript, options))
  return {
    outcomes: runs.flatMap(({ outcomes }) => outcomes),
    log: runs.map(({ log }) => log).join('\n'),
  }
}

const isInSolidity = (guard: Guard) => readGuard(guard).testFile.endsWith('.sol')

async function runForge(folder: string, guards: readonly Guard[]): Promise<Run> {
  const { files, titles } = selection(guards)
  const { out, errors } = await run(
    folder,
    foundryBinary('forge'),
    [
      ...['test', '--json', '--match-path', `{${files.join(',')}}`, '--match-test', titles],
      // A broken contract may have a variable that nothing uses.
      ...['--deny', 'never'],
    ],
    { DELIVERY: 'Delivery.sol:Delivery' },
  )
  const report = out.startsWith('{') ? ForgeReport.safeParse(JSON.parse(out)).data : undefined
  const outcomes = Object.entries(report ?? {}).flatMap(([name, { test_results }]) =>
    Object.entries(test_results).map(([title, { status }]) => ({
      file: name.slice(0, name.indexOf(':')),
      title,
      isPassed: status === 'Success',
    })),
  )
  return { outcomes, log: `${errors}\n${outcomes.length > 0 ? '' : out}` }
}

async function runVitest(
  folder: string,
  guards: readonly Guard[],
  options: readonly string[],
): Promise<Run> {
  const report = join(folder, 'guards-report.json')
  await rm(report, { force: true })
  const { files, titles } = selection(guards)
  const { out, errors } = await run(folder, process.execPath, [
    ...[VITEST, 'run', ...files, '-t', titles, '--retry=0'],
    ...['--reporter=json', `--outputFile=${report}`, ...options],
  ])
  const json = await readFile(report, 'utf8').catch(() => '{"testResults":[]}')
  const { testResults }: JsonTestResults = JSON.parse(json)
  const outcomes = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status }) => ({
        file: name.slice(folder.length + 1),
        title: fullName,
        isPassed: status === 'passed',
      })),
  )
  const messages = testResults.map(({ message }) => message)
  return { outcomes, log: [...messages, errors, out].filter(Boolean).join('\n') }
}

/** The files of the tests, and an expression for their titles. */
function selection(guards: readonly Guard[]) {
  const tests = guards.map(readGuard)
  const files = new Set(tests.map(({ testFile }) => testFile))
  const titles = new Set(tests.map(({ title }) => title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
  return { files: [...files], titles: [...titles].join('|') }
}

/** Runs a program, and returns what it has printed. */
const run = (cwd: string, program: string, args: readonly string[], env = {}) =>
  readOutput(
    start(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      timeout: TIMEOUT,
    }),
  )
