/** Backups in a bucket of R2, in parts: wrangler uploads at most 300 MiB. */
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { returnCommandError } from '../../shell/command.ts'
import { folderBeside, writeWhole } from '../../shell/files.ts'
import { runWrangler } from '../../shell/wrangler.ts'

const PART = 250 * 1024 * 1024

const partName = (bucket: string, file: string, number: number) =>
  `${bucket}/${basename(file)}.${String(number).padStart(3, '0')}`

/** Copies a file into a bucket, as parts with its name and `.000`, `.001` and so on. */
export async function upload(bucket: string, file: string, partSize = PART): Promise<void> {
  using folder = await folderBeside(file)
  const { size } = await stat(file)
  const part = join(folder.path, 'part')
  for (let start = 0; start < size; start += partSize) {
    const end = start + partSize - 1
    await pipeline(createReadStream(file, { start, end }), createWriteStream(part))
    const name = partName(bucket, file, start / partSize)
    await runWrangler(['r2', 'object', 'put', name, '--file', part, '--remote'])
  }
  // A longer file of the same name may have been stored before.
  const next = partName(bucket, file, Math.ceil(size / partSize))
  await runWrangler(['r2', 'object', 'delete', next, '--remote'])
}

/** Writes the file of these parts. What is missing at its end, its encryption notices. */
export async function download(bucket: string, file: string): Promise<void> {
  using folder = await folderBeside(file)
  const part = join(folder.path, 'part')
  async function* parts() {
    for (let number = 0; await getPart(partName(bucket, file, number), part, number); number++)
      yield* createReadStream(part)
  }
  await writeWhole(file, parts())
}

/** Returns whether there is a part. There must be a first one. */
async function getPart(name: string, file: string, number: number): Promise<boolean> {
  const args = ['r2', 'object', 'get', name, '--file', file, '--remote']
  const output = await runWrangler(args).catch(returnCommandError)
  if (typeof output === 'string') return true
  if (number > 0 && /key does not exist/.test(output.message)) return false
  throw output
}
