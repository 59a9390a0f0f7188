/** Reads and writes files of JSON Lines. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { catalogueLimits } from '../../src/http/limits.ts'
import { CommandError } from '../shell/command.ts'

/** Consecutive lines of a file, or of those that were chosen. */
export type Chunk = {
  /** The number of the first line, from 1. Lines that were not chosen do not count. */
  from: number
  lines: string[]
  /** The part of the file that was read until here, from 0 to 1. */
  progress: number
  isLast: boolean
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
      yield { from, lines, progress: read / size, isLast: false }
      from += lines.length
      ;[lines, bytes] = [[], 0]
    }
    lines.push(line)
    bytes += length
    read += length
  }
  if (lines.length > 0) yield { from, lines, progress: 1, isLast: true }
}

async function readSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => null)
  if (found?.isFile()) return found.size
  throw new CommandError(`There is no file ${file}.`)
}

/** Yields the lines without their ends. Node's readline would end lines at U+2028, too. */
export async function* linesIn(file: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let rest = ''
  for await (const bytes of createReadStream(file)) {
    const lines = (rest + decode(decoder, file, bytes)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (rest) yield rest
}

function decode(decoder: TextDecoder, file: string, bytes: Buffer): string {
  try {
    return decoder.decode(bytes, { stream: true })
  } catch {
    throw new CommandError(`${file} is not valid UTF-8.`)
  }
}

/** Returns the SHA-256 hash of a file, hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes)
  return hash.digest('hex')
}

/**
 * Writes lines to a file that only its owner can read. Replaces a file of this name when all lines
 * are written. A process that ends before leaves nothing.
 */
export async function writeLines(file: string, lines: AsyncIterable<string> | Iterable<string>) {
  const part = `${file}.part`
  const remove = () => rmSync(part, { force: true })
  process.once('exit', remove)
  async function* text() {
    for await (const line of lines) yield `${line}\n`
  }
  await pipeline(Readable.from(text()), createWriteStream(part, { mode: 0o600 }))
  await rename(part, file)
  process.off('exit', remove)
}
