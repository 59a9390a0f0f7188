/** The secrets of the local instance. Wrangler reads them from a file that git ignores. */
import { open } from 'node:fs/promises'
import { generators } from '../operate/keys/generate.ts'
import { transferSigner } from './catalogue/demo.ts'
import { toPrivateKey } from './chain/accounts.ts'

/** A local instance has no backups. */
const { BACKUP_KEY: _, ...secrets } = generators
const localGenerators = {
  ...secrets,
  TRANSFER_SIGNER_KEYS: async () => toPrivateKey(transferSigner),
}

/** Appends the secrets that the file lacks, and returns their names. Only its owner can read it. */
export async function addMissingSecrets(file: string): Promise<string[]> {
  await using handle = await open(file, 'a+', 0o600)
  // The mode above is only that of a new file.
  await handle.chmod(0o600)
  const text = await handle.readFile('utf8')
  const missing = Object.entries(localGenerators).filter(
    ([name]) => !new RegExp(`^${name}=`, 'm').test(text),
  )
  const lines = missing.map(async ([name, generate]) => `${name}='${await generate()}'\n`)
  const added = (await Promise.all(lines)).join('')
  if (added) await handle.appendFile(text && !text.endsWith('\n') ? `\n${added}` : added)
  return missing.map(([name]) => name)
}
