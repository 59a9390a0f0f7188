/** The secrets of the local instance. Wrangler reads them from a file that git ignores. */
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { generateSigningKey } from '../../src/auth/tokens.ts'
import { transferSigner } from '../catalogue/demo.ts'
import { privateKeyOf } from '../chain/accounts.ts'

const generators: Record<string, () => Promise<string>> = {
  JWT_KEYS: async () => JSON.stringify({ keys: [await generateSigningKey()] }),
  TRANSFER_SIGNER_KEYS: async () => privateKeyOf(transferSigner),
  DELIVERY_KEY_SECRET: async () => randomBytes(32).toString('hex'),
}

/** Appends the secrets that the file lacks, and returns their names. Only its owner can read it. */
export async function addMissingSecrets(file: string): Promise<string[]> {
  const handle = await open(file, 'a+', 0o600)
  try {
    // The mode above is only that of a new file.
    await handle.chmod(0o600)
    const text = await handle.readFile('utf8')
    const missing = Object.entries(generators).filter(
      ([name]) => !new RegExp(`^${name}=`, 'm').test(text),
    )
    const lines = missing.map(async ([name, generate]) => `${name}='${await generate()}'\n`)
    const added = (await Promise.all(lines)).join('')
    if (added) await handle.appendFile(text && !text.endsWith('\n') ? `\n${added}` : added)
    return missing.map(([name]) => name)
  } finally {
    await handle.close()
  }
}
