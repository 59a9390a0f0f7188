/** A copy of the working tree, in which guards are broken. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Guard } from '../../../test/guards/guard.ts'

const CONTRACT = 'contracts/Delivery.sol'

/** What `npm run contract:compile` writes. */
const COMPILED = ['Delivery.json', 'delivery-abi.ts', 'relayer-abi.ts'].map(
  (name) => `contracts/${name}`,
)

const NOT_COPIED = new Set(['.git', '.wrangler', 'node_modules'])

/** Copies the working tree into a temporary folder, and returns its path. */
export async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'guards-'))
  for (const name of await readdir('.'))
    if (!NOT_COPIED.has(name)) await cp(name, join(copy, name), { recursive: true })
  await symlink(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}

export const removeProject = (copy: string) => rm(copy, { recursive: true, force: true })

/** Runs `action` while the guard is broken in the copy. */
export async function withBroken<T>(
  copy: string,
  { file, text, broken }: Guard,
  action: () => Promise<T>,
): Promise<T> {
  const paths = (file === CONTRACT ? [CONTRACT, ...COMPILED] : [file]).map((path) =>
    join(copy, path),
  )
  const originals = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  try {
    // A function, because `$` has a meaning in a replacement text.
    await writeFile(join(copy, file), originals[0]?.replace(text, () => broken) ?? '')
    if (file === CONTRACT)
      await promisify(execFile)(process.execPath, ['contracts/compile.ts'], { cwd: copy })
    return await action()
  } finally {
    for (const [i, path] of paths.entries()) await writeFile(path, originals[i] ?? '')
  }
}
