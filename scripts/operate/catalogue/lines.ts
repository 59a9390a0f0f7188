/** Reads a catalogue in parts that the API takes. */
import { stat } from 'node:fs/promises'
import { parseExactly } from '../../../src/catalogue/json.ts'
import { catalogueLimits } from '../../../src/limits.ts'
import { CommandError } from '../../shell/command.ts'
import { linesIn } from '../../shell/files.ts'

/** Consecutive lines of a file, or of those that were chosen. */
export type Chunk = {
  /** The number of the first line, from 1. Lines that were not chosen do not count. */
  from: number
  lines: string[]
  /** The part of the file that was read until here, from 0 to 1. */
  progress: number
}

/**
 * Reads a file in chunks that the API takes: all lines, or those with the chosen numbers. Throws a
 * `CommandError` if it is not UTF-8.
 */
export async function* readChunks(
  file: string,
  chosen?: ReadonlySet<number>,
): AsyncGenerator<Chunk, void> {
  const size = await readSize(file)
  let [number, from, bytes, read] = [0, 1, 0, 0]
  let lines: string[] = []
  for await (const line of linesIn(file)) {
    if (chosen && !chosen.has(++number)) continue
    const length = Buffer.byteLength(line) + 1
    if (
      lines.length === catalogueLimits.lines.max ||
      (lines.length > 0 && bytes + length > catalogueLimits.body.max)
    ) {
      yield { from, lines, progress: read / size }
      from += lines.length
      ;[lines, bytes] = [[], 0]
    }
    lines.push(line)
    bytes += length
    read += length
  }
  if (lines.length > 0) yield { from, lines, progress: 1 }
}

async function readSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => null)
  if (found?.isFile()) return found.size
  throw new CommandError(`There is no file ${file}.`)
}

export type Fields = Record<string, unknown>

/** Returns the fields of a line; none if it is no JSON. */
export function parseRecord(line: string): Fields {
  try {
    return Object(parseExactly(line))
  } catch {
    return {}
  }
}
