/** A project of a shop that has only the packed client installed. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { aTemporaryFolder } from '../support/folder.ts'

export const run = promisify(execFile)

/** Returns the folder of the project, of the package in it, and the path of the packed file. */
export async function installPackage() {
  const shop = await aTemporaryFolder()
  await writeFile(join(shop, 'package.json'), '{ "type": "module" }')
  await run('npm', ['pack', '--workspace', 'client', '--pack-destination', shop])
  const [name = ''] = (await readdir(shop)).filter((file) => file.endsWith('.tgz'))
  const archive = join(shop, name)
  // What `npm install` does with a package that has no dependencies.
  const folder = join(shop, 'node_modules/@marketplace-api/marketplace')
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components', '1'])
  return { shop, folder, archive }
}
