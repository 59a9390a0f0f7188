/** Writes which ids the records of a file have in the API. */
import type { RecordIds } from '../../../src/catalogue/numbers.ts'
import { catalogueLimits } from '../../../src/limits.ts'
import { linesIn, writeLines } from '../../shell/files.ts'
import { beside } from './report.ts'

type RecordId = RecordIds['records'][number]

/** Returns the name of the file with the ids. */
export const numbersFile = (file: string): string => beside(file, 'ids.jsonl')

/** Returns the numbers of the records of a call, in their order. */
type Find = (records: RecordId[]) => Promise<readonly (number | null)[]>

/** Writes a line for each record of a catalogue that was imported. `lines`: the file with its records. */
export const writeNumbers = (file: string, lines: string, find: Find) =>
  writeLines(numbersFile(file), numberedLines(lines, find))

async function* numberedLines(file: string, find: Find) {
  let records: RecordId[] = []
  async function* flush() {
    const numbers = await find(records)
    for (const [i, record] of records.entries())
      yield JSON.stringify({ ...record, number: numbers[i] })
    records = []
  }
  for await (const line of linesIn(file)) {
    if (!line.trim()) continue
    const { type, id }: RecordId = JSON.parse(line)
    records.push({ type, id })
    if (records.length === catalogueLimits.records.max) yield* flush()
  }
  yield* flush()
}
