/** The secrets of this machine, which wrangler reads from a file that git ignores. */
import { appendFile, readFile } from 'node:fs/promises'
import { generateSigningKey } from '../../src/identity/tokens.ts'
import { transferSigner } from '../catalogue/demo.ts'
import { privateKeyOf } from '../chain/accounts.ts'

const makers: Record<string, () => Promise<string>> = {
  JWT_KEYS: async () => JSON.stringify({ keys: [await generateSigningKey()] }),
  TRANSFER_SIGNER_KEY: async () => privateKeyOf(transferSigner),
}

/** Adds each secret that the file lacks, and leaves the others as they are. Gives what it added. */
export async function completeSecrets(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const missing = Object.keys(makers).filter((name) => !new RegExp(`^${name}=`, 'm').test(text))
  if (missing.length === 0) return []
  const lines = missing.map(async (name) => `${name}='${await makers[name]?.()}'\n`)
  const added = (await Promise.all(lines)).join('')
  await appendFile(file, text && !text.endsWith('\n') ? `\n${added}` : added, { mode: 0o600 })
  return missing
}
