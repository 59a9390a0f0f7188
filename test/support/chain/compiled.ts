/** Contracts of tests, compiled once for all processes. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CompiledContract, Settings, Sources } from '../../../contracts/solidity.ts'

export type Contracts = Record<string, CompiledContract>

/** Absolute, because some tests change the working directory. */
const CACHE = resolve('node_modules/.cache/contracts')
const LOCKFILE = resolve('package-lock.json')

/**
 * Returns the contracts of the sources by name. They are compiled again when the sources, the compiler or
 * what they import change. `importer`: as that of `compile`.
 */
export async function compileOnce(
  sources: Sources,
  settings: Settings,
  importer?: string,
): Promise<Contracts> {
  const versions = await readFile(LOCKFILE, 'utf8')
  const hash = createHash('sha256').update(JSON.stringify([sources, settings, versions]))
  const file = `${CACHE}/${hash.digest('hex')}.json`
  const kept = await readFile(file, 'utf8').catch(() => null)
  if (kept !== null) return JSON.parse(kept)
  // Loading the compiler takes a second.
  const { compile } = await import('../../../contracts/solidity.ts')
  const { contracts } = compile(sources, settings, importer)
  await mkdir(CACHE, { recursive: true })
  await writeFile(`${file}.${process.pid}`, JSON.stringify(contracts))
  await rename(`${file}.${process.pid}`, file)
  return contracts
}
