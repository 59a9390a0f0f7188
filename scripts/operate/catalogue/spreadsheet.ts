/** Reads catalogues that are spreadsheets. */
import { readFile } from 'node:fs/promises'
import { decodeSpreadsheet, parseSpreadsheet } from '../../../src/catalogue/csv.ts'
import type { LineProblem } from '../../../src/catalogue/line.ts'
import { CommandError } from '../../shell/command.ts'
import { writeLines } from '../../shell/files.ts'

/** Writes the records of a spreadsheet to `target`, as JSON Lines. Returns what is wrong with its cells. */
export async function convertSpreadsheet(file: string, target: string): Promise<LineProblem[]> {
  const bytes = await readFile(file).catch(() => null)
  if (!bytes) throw new CommandError(`There is no file ${file}.`)
  const text = decodeSpreadsheet(bytes)
  if (text === null)
    throw new CommandError(`${file} is neither UTF-8 nor UTF-16: save it as "CSV UTF-8".`)
  const { lines, problems } = parseSpreadsheet(text)
  await writeLines(target, lines)
  return problems
}
