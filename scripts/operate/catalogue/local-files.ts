/** Files on this machine that are the content of NFTs. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { getMimeType, mimes } from 'hono/utils/mime'
import type { LineProblem } from '../../../src/catalogue/line.ts'
import { FileName } from '../../../src/content/record.ts'
import type { Issue } from '../../../src/http/errors.ts'
import { CommandError } from '../../shell/command.ts'
import { hashFile, writeLines } from '../../shell/files.ts'
import { type Fields, parseRecord, readChunks } from './lines.ts'

/** Media types that the library does not know. */
const types = { ...mimes, flac: 'audio/flac', m4a: 'audio/mp4', ogg: 'audio/ogg', wav: 'audio/wav' }

/** Without its parameters, which records do not have. */
const typeOf = (name: string) =>
  (getMimeType(name, types) ?? 'application/octet-stream').replace(/;.*/, '')

/** Returns the path of a file: `folder/nft/name`, or else `folder/name`. Undefined if neither exists. */
export async function findFile(folder: string, nft: string, name: string) {
  const paths = [join(folder, name)]
  // The ids of somebody else's catalogue must not lead out of the folder.
  if (!nft.split(/[/\\]/).includes('..')) paths.unshift(join(folder, nft, name))
  for (const path of paths) if ((await stat(path).catch(() => null))?.isFile()) return path
}

type Facts = { bytes: number; sha256: string }
type Files = { folder: string; facts: Map<string, Facts> }

/**
 * Writes a catalogue to `target`, with size, hash and media type of its files, which records may leave out.
 * Returns what is wrong with the files. Throws a `CommandError` without the folder.
 */
export async function completeCatalogue(file: string, folder: string, target: string) {
  if (!(await stat(folder).catch(() => null))?.isDirectory())
    throw new CommandError(`There is no folder ${folder}.`)
  const problems: LineProblem[] = []
  const known: Files = { folder, facts: new Map() }
  async function* lines() {
    for await (const { from, lines } of readChunks(file))
      for (const [i, text] of lines.entries()) {
        const record = parseRecord(text)
        const content: Fields = Object(record.content)
        const report = (issue: Issue) => problems.push({ line: from + i, ...issue })
        if (Array.isArray(content.files)) {
          const files = await completeFiles(String(record.id), content.files, known, report)
          yield JSON.stringify({ ...record, content: { ...content, files } })
        } else yield text
      }
  }
  await writeLines(target, lines())
  return problems
}

async function completeFiles(
  nft: string,
  files: readonly Fields[],
  { folder, facts }: Files,
  report: (issue: Issue) => void,
): Promise<Fields[]> {
  const completed: Fields[] = []
  for (const [i, given] of files.entries()) {
    const place = `content.files[${i}]`
    const { data: name } = FileName.safeParse(Object(given).name)
    const path = name && (await findFile(folder, nft, name))
    if (!path) {
      completed.push(given)
      // The import says what is wrong with a name.
      const message = `there is no file ${join(folder, name ?? '')}`
      if (name) report({ path: place, code: 'not_found', message })
      continue
    }
    // A file may belong to many NFTs.
    const found = facts.get(path) ?? {
      bytes: (await stat(path)).size,
      sha256: await hashFile(path),
    }
    facts.set(path, found)
    for (const [field, value] of Object.entries(found))
      if (given[field] !== undefined && given[field] !== value)
        report({
          path: `${place}.${field}`,
          code: 'file_differs',
          message: `that of ${path} is ${value}`,
        })
    completed.push({ type: typeOf(name), ...found, ...given })
  }
  return completed
}
