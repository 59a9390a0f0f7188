/** Tells what an import has done, or what is wrong with the file. */
import { rm } from 'node:fs/promises'
import { isSpreadsheet } from '../../../src/catalogue/csv.ts'
import type { Counts } from '../../../src/catalogue/import.ts'
import type { LineProblem } from '../../../src/catalogue/line.ts'
import { plural, sentence } from '../../../src/pages/components/text.ts'
import { CommandError } from '../../shell/command.ts'
import { linesIn, writeLines } from '../../shell/files.ts'

/** Problems that are printed. A file has all of them. */
const SHOWN = 20

const BAR = 30

/** Draws a bar in a terminal: how far a step is, from 0 to 1. */
export function showProgress(progress: number, step: string): void {
  if (!process.stderr.isTTY) return
  const done = Math.round(progress * BAR)
  const bar = '█'.repeat(done) + '░'.repeat(BAR - done)
  process.stderr.write(
    `\r${bar} ${String(Math.floor(progress * 100)).padStart(3)} % ${step.padEnd(10)}`,
  )
}

export function hideProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
}

const names = { user: 'users', nft: 'NFTs', listing: 'listings' }

export function describeCounts(counts: Counts): string {
  return Object.entries(names)
    .map(([type, name]) => {
      const { created, updated, unchanged } = counts[type as keyof Counts]
      return `${name.padEnd(10)}${created} created, ${updated} updated, ${unchanged} unchanged`
    })
    .join('\n')
}

/** Returns the name of a file beside a catalogue: `moon.jsonl` and `moon.csv` have `moon.failed.jsonl`. */
export const beside = (file: string, name: string) =>
  `${isSpreadsheet(file) ? file.replace(/\.\w+$/, '') : file.replace(/\.jsonl$/, '')}.${name}`

/** The file that the operator names, and its records as JSON Lines, which may be the same. */
export type Catalogue = { file: string; records: string }

/**
 * Writes all problems to a file, and the lines that have them to another one. Returns a text with the
 * first problems.
 */
export async function reportProblems(
  { file, records }: Catalogue,
  problems: readonly LineProblem[],
  imported = 0,
): Promise<string> {
  const sorted = problems.toSorted((a, b) => a.line - b.line)
  const lines = await findLines(records, new Set(sorted.map(({ line }) => line)))
  const described = sorted.map(({ line, path, code, message }) => {
    const value = valueAt(lines.get(line), path)
    return { line, path, value, code, message }
  })
  const [problemsFile, failedFile] = [beside(file, 'problems.jsonl'), beside(file, 'failed.jsonl')]
  await writeLines(
    problemsFile,
    described.map((problem) => JSON.stringify(problem)),
  )
  await writeLines(failedFile, lines.values())
  const shown = described.map(({ value, ...problem }) => {
    const found = value === undefined ? '' : `: ${shorten(JSON.stringify(value))}`
    return `${describeProblem(problem)}${found}`
  })
  return [
    `${imported > 0 ? `Imported ${plural(imported, 'part')}, and nothing of the others.` : 'Nothing was imported.'} ${plural(described.length, 'problem')} in ${plural(lines.size, 'line')} of ${file}:`,
    ...firstOf(shown),
    `All problems are in ${problemsFile}, and these lines in ${failedFile}.`,
  ].join('\n')
}

const describeProblem = ({ line, path, code, message }: LineProblem): string =>
  `  ${path ? `line ${line}, ${path}` : `line ${line}`}: ${message} (${code})`

const firstOf = (lines: readonly string[]): string[] =>
  lines.length > SHOWN
    ? [...lines.slice(0, SHOWN), `  and ${lines.length - SHOWN} more`]
    : [...lines]

/** The error for prices that change by much. `message` says how many. */
export const needsConfirmation = (message: string, prices: readonly LineProblem[]) =>
  new CommandError(
    [
      `Not imported. ${sentence(message)} If they are right, run the command again with --confirm:`,
      ...firstOf(prices.map(describeProblem)),
    ].join('\n'),
  )

/** Deletes what an earlier run has reported. */
export async function forgetProblems(file: string): Promise<void> {
  for (const name of ['problems.jsonl', 'failed.jsonl'])
    await rm(beside(file, name), { force: true })
}

async function findLines(file: string, numbers: ReadonlySet<number>): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  let number = 0
  for await (const line of linesIn(file)) if (numbers.has(++number)) found.set(number, line)
  return found
}

/** The value of a field such as `metadata.name`; undefined if there is none. */
function valueAt(line: string | undefined, path: string): unknown {
  if (line === undefined || !path) return undefined
  try {
    return path.split('.').reduce<unknown>((value, key) => Object(value)[key], JSON.parse(line))
  } catch {
    return undefined
  }
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
