/** A project of a shop that has one of our packages installed, as it is packed, and nothing else. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { aTemporaryFolder } from './folder.ts'

export const run = promisify(execFile)

/** Returns the folder of the project, of the package in it, and the path of the packed file. */
export async function installPackage(workspace: 'client' | 'check-my-shop') {
  const shop = await aTemporaryFolder()
  await writeFile(join(shop, 'package.json'), '{ "type": "module" }')
  await run('npm', ['pack', '--workspace', workspace, '--pack-destination', shop])
  const [file = ''] = (await readdir(shop)).filter((file) => file.endsWith('.tgz'))
  const archive = join(shop, file)
  const { name } = JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8'))
  // What `npm install` does with a package that has no dependencies.
  const folder = join(shop, 'node_modules', name)
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components', '1'])
  return { shop, folder, archive }
}
