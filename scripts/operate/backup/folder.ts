/** A folder for what must not stay. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError } from '../../shell/command.ts'

/** Makes a folder beside a file that only its owner can read, and deletes it, also on Ctrl-C. */
export async function withFolder<T>(
  file: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(dirname(file), 'backup-')).catch(({ code }) => {
    throw new CommandError(`Nothing can be written beside ${file}: ${code}.`)
  })
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    return await work(folder)
  } finally {
    process.off('exit', remove)
    remove()
  }
}
