import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { completeSecrets } from '../../../scripts/local/secrets.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  file = join(folder, '.dev.vars')
})

afterEach(() => rm(folder, { recursive: true }))

it('makes each secret once, for the owner alone to read', async () => {
  expect(await completeSecrets(file)).toEqual(['JWT_KEYS', 'TRANSFER_SIGNER_KEY'])
  const made = await readFile(file, 'utf8')
  expect(made).toMatch(/^JWT_KEYS='\{"keys":\[\{.*"crv":"Ed25519".*\}\]\}'$/m)
  expect(made).toMatch(/^TRANSFER_SIGNER_KEY='0x[0-9a-f]{64}'$/m)
  expect((await stat(file)).mode & 0o077).toBe(0)
  expect(await completeSecrets(file)).toEqual([])
  expect(await readFile(file, 'utf8')).toBe(made)
})

it('leaves what is there as it is', async () => {
  await writeFile(file, 'TRANSFER_SIGNER_KEY=0x01\nOTHER=1')
  expect(await completeSecrets(file)).toEqual(['JWT_KEYS'])
  expect(await readFile(file, 'utf8')).toMatch(/^TRANSFER_SIGNER_KEY=0x01\nOTHER=1\nJWT_KEYS='/)
})
