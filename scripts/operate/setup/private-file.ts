/** Files that only the user can read. */
import { rename, writeFile } from 'node:fs/promises'

/** Writes JSON. A process that is killed meanwhile leaves the old file or the new one. */
export async function writePrivateFile(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
