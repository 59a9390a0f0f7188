/** `npm run test:guards`: breaks checks in the code one at a time. A test must notice each. */
import { readFile } from 'node:fs/promises'
import { type Guard, readGuard } from '../../test/guards/guard.ts'
import { guards } from '../../test/guards/guards.ts'
import { CommandError, defineCommand, start } from '../shell/command.ts'
import { breakCheck } from './guards/break.ts'
import { copyProject, withBroken } from './guards/copy.ts'
import type { Outcome } from './guards/run.ts'

export const command = defineCommand(
  {
    name: 'npm run test:guards',
    purpose:
      'Breaks the guards of test/guards/ one at a time, in a copy of the project, and runs a test of each. Fails if a test does not notice.',
    options: {
      only: { value: 'TEXT', default: '', help: 'Only guards with this in their name or code.' },
      check: { help: 'Only check that what the list names is in the files.' },
    },
    example: 'npm run test:guards -- --only contracts/',
  },
  async ({ only, check }) => {
    const selected = guards.filter(({ name, code }) => `${name}\n${code}`.includes(only))
    if (selected.length === 0) throw new CommandError(`No guard has "${only}" in its name or code.`)
    await checkList(selected)
    if (check) return
    await using copy = await copyProject()
    await breakAll(copy.path, selected)
  },
)

/** Throws if the check of a guard, or the title of its test, is not found. */
async function checkList(selected: readonly Guard[]): Promise<void> {
  const problems: string[] = []
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  for (const guard of selected) {
    const { file, testFile, title } = readGuard(guard)
    try {
      breakCheck(guard, await read(file))
    } catch (error) {
      problems.push(`${guard.name}: ${error instanceof Error ? error.message : error}`)
    }
    if (!(await read(testFile)).includes(title))
      problems.push(`${guard.name}: no such title in ${testFile}: ${title}`)
  }
  if (problems.length > 0)
    throw new CommandError(`Correct the list in test/guards/:\n${problems.join('\n')}`)
}

async function breakAll(copy: string, selected: readonly Guard[]): Promise<void> {
  const { runTests } = await import('./guards/run.ts')
  const unbroken = await runTests(copy, selected)
  const results = { found: 0, 'NOT FOUND': 0, 'LIST ERROR': 0 }
  for (const guard of selected) {
    const begin = performance.now()
    const { result, detail } = await judge(copy, guard, unbroken.outcomes)
    results[result] += 1
    const seconds = ((performance.now() - begin) / 1000).toFixed(0)
    console.log(`${result.padEnd(10)} ${seconds.padStart(3)} s  ${guard.name}${detail}`)
  }
  const counts = Object.entries(results).map(([result, count]) => `${count} ${result}`)
  console.log(counts.join(', '))
  if (results.found < selected.length)
    throw new CommandError(
      'A guard that no test notices needs a test. A list error is in test/guards/.',
    )
}

type Judgement = { result: 'found' | 'NOT FOUND' | 'LIST ERROR'; detail: string }

/** Runs the tests of a guard while it is broken. `unbroken` has their results before that. */
async function judge(copy: string, guard: Guard, unbroken: readonly Outcome[]): Promise<Judgement> {
  const { file, testFile, title } = readGuard(guard)
  const listError = (detail: string): Judgement => ({ result: 'LIST ERROR', detail: `\n${detail}` })
  const before = unbroken.filter(
    (outcome) => outcome.file === testFile && outcome.title.includes(title),
  )
  if (before.length === 0) return listError(`${testFile} has no test with this title: ${title}`)
  if (before.some(({ isPassed }) => !isPassed))
    return listError(`${testFile} fails although nothing is broken: ${title}`)
  const { runTests } = await import('./guards/run.ts')
  try {
    const { outcomes, log } = await withBroken(copy, guard, () =>
      runTests(copy, [guard], ['--bail=1']),
    )
    if (outcomes.some(({ isPassed }) => !isPassed)) return { result: 'found', detail: '' }
    return outcomes.length > 0
      ? { result: 'NOT FOUND', detail: `\n${testFile} does not notice it in ${file}` }
      : listError(`${file} must load when it is broken:\n${log}`)
  } catch (error) {
    return listError(String(error))
  }
}

if (import.meta.main) await start(command)
