/** A copy of the working tree, in which guards are broken. */
import { cp, mkdtempDisposable, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Guard, readGuard } from '../../../test/guards/guard.ts'
import { breakCheck } from './break.ts'

const NOT_COPIED = new Set(['.git', '.wrangler', 'node_modules'])

/** Copies the working tree into a temporary folder. */
export async function copyProject() {
  const copy = await mkdtempDisposable(join(tmpdir(), 'guards-'))
  for (const name of await readdir('.'))
    if (!NOT_COPIED.has(name)) await cp(name, join(copy.path, name), { recursive: true })
  await symlink(resolve('node_modules'), join(copy.path, 'node_modules'))
  return copy
}

/** Runs `action` while the guard is broken in the copy. */
export async function withBroken<T>(
  copy: string,
  guard: Guard,
  action: () => Promise<T>,
): Promise<T> {
  const path = join(copy, readGuard(guard).file)
  const original = await readFile(path, 'utf8')
  try {
    await writeFile(path, breakCheck(guard, original))
    return await action()
  } finally {
    await writeFile(path, original)
  }
}
