import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { addMissingSecrets } from '../../../scripts/local/secrets.ts'
import { aTemporaryFolder } from '../../support/folder.ts'

const file = join(await aTemporaryFolder(), '.dev.vars')
afterEach(() => rm(file))

it('keeps the existing lines of the file, and closes it to others', async () => {
  await writeFile(file, 'TRANSFER_SIGNER_KEYS=0x01\nOTHER=1', { mode: 0o644 })
  expect(await addMissingSecrets(file)).toEqual(['JWT_KEYS', 'DELIVERY_KEY_SECRET', 'CODE_KEYS'])
  expect(await readFile(file, 'utf8')).toMatch(/^TRANSFER_SIGNER_KEYS=0x01\nOTHER=1\nJWT_KEYS='/)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})
