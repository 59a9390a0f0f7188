/** Runs the tests of guards, and reads their results. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Guard } from '../../../test/guards/guard.ts'
import { start } from '../../shell/child.ts'

const VITEST = join(fileURLToPath(import.meta.resolve('vitest/package.json')), '../vitest.mjs')

/** Milliseconds after which Vitest is stopped, because a broken guard may make it wait for ever. */
const TIMEOUT = 15 * 60_000

/** The part of the JSON report that says what became of each test. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

/** A test that was run. */
export type Outcome = { file: string; title: string; isPassed: boolean }

/**
 * Runs the tests of the guards in `folder`, and returns what became of each. `log` is what Vitest
 * printed, with the errors of files that do not load.
 */
export async function runTests(
  folder: string,
  guards: readonly Guard[],
  options: readonly string[] = [],
): Promise<{ outcomes: Outcome[]; log: string }> {
  const report = join(folder, 'guards-report.json')
  await rm(report, { force: true })
  const files = new Set(guards.map(({ test }) => test))
  const titles = new Set(guards.map(({ title }) => title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
  const { process: child, ended } = start(
    process.execPath,
    [
      ...[VITEST, 'run', ...files, '-t', [...titles].join('|'), '--retry=0'],
      ...['--reporter=json', `--outputFile=${report}`, ...options],
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true, timeout: TIMEOUT },
  )
  const read = (stream: typeof child.stdout) => (stream ? text(stream) : '')
  const [out, errors] = await Promise.all([read(child.stdout), read(child.stderr), ended])
  const json = await readFile(report, 'utf8').catch(() => '{"testResults":[]}')
  const { testResults } = Report.parse(JSON.parse(json))
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
