/** Files that commands read line by line, and write as a whole. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, type RmOptions, rmSync } from 'node:fs'
import { mkdtemp, realpath, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ReadableStream, TextDecoderStream } from 'node:stream/web'
import { CommandError } from './command.ts'

/** Yields the lines without their ends. Node's readline would end lines at U+2028, too. */
export async function* linesIn(file: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoderStream('utf-8', { fatal: true })
  let rest = ''
  try {
    for await (const text of ReadableStream.from(createReadStream(file)).pipeThrough(decoder)) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.replace(/\r$/, '')
    }
  } catch (error) {
    if (Object(error).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw new CommandError(`${file} is not valid UTF-8.`)
  }
  if (rest) yield rest
}

/** Returns the SHA-256 hash of a file, hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes)
  return hash.digest('hex')
}

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

/**
 * Writes a file that only its owner can read. Replaces a file of this name when all of it is written.
 * A process that ends before leaves nothing, unless SIGKILL ends it. Throws as `findTarget` does.
 */
export async function writeWhole(file: string, content: Chunks): Promise<void> {
  const target = await findTarget(file)
  using part = temporary(`${target}.${process.pid}.part`)
  try {
    await pipeline(content, createWriteStream(part.path, { mode: 0o600 }))
    await rename(part.path, target)
  } catch (error) {
    const { code, path, syscall } = Object(error)
    // Others are of the content.
    if (path !== part.path && syscall !== 'write') throw error
    throw new CommandError(`${file} cannot be written: ${code}.`)
  }
}

/**
 * Returns the path of a file that is there or can be created, behind symbolic links. Throws a
 * `CommandError` for folders, devices and pipes, and for a folder that is not there.
 */
export async function findTarget(file: string): Promise<string> {
  const target = await realpath(file).catch(() => file)
  const found = await stat(target).catch(() => null)
  if (found && !found.isFile()) throw new CommandError(`${file} is not a file.`)
  const folder = await stat(dirname(target)).catch(() => null)
  if (!folder?.isDirectory())
    throw new CommandError(`There is no folder ${dirname(file)} for ${file}.`)
  return target
}

type Temporary = Disposable & { path: string }

/** Returns a file or folder that is deleted where its block ends, also if a signal ends the command. */
function temporary(path: string, options: RmOptions = {}): Temporary {
  const remove = () => rmSync(path, { ...options, force: true })
  process.once('exit', remove)
  return {
    path,
    [Symbol.dispose]: () => {
      process.off('exit', remove)
      remove()
    },
  }
}

/** Writes lines as `writeWhole` does. Returns their number. */
export async function writeLines(file: string, lines: AsyncIterable<string> | Iterable<string>) {
  let count = 0
  async function* text() {
    for await (const line of lines) {
      count++
      yield `${line}\n`
    }
  }
  await writeWhole(file, text())
  return count
}

/** Makes a temporary folder beside a file, which only its owner can read. */
export async function folderBeside(file: string): Promise<Temporary> {
  const folder = await mkdtemp(join(dirname(file), 'part-')).catch(({ code }) => {
    throw new CommandError(`Nothing can be written beside ${file}: ${code}.`)
  })
  return temporary(folder, { recursive: true })
}
