/** Installs packages that only one test needs. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Installs what the package of a folder depends on. Returns a temporary folder with node_modules. */
export async function installPackages(folder: string): Promise<string> {
  const target = await mkdtemp(join(tmpdir(), 'packages-'))
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(`${folder}/${file}`, join(target, file))
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: target })
  return target
}
