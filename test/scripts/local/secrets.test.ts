import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addMissingSecrets } from '../../../scripts/local/secrets.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  file = join(folder, '.dev.vars')
})

afterEach(() => rm(folder, { recursive: true }))

it('adds each secret once, to a file that only its owner can read', async () => {
  expect(await addMissingSecrets(file)).toEqual([
    'JWT_KEYS',
    'PROOF_KEYS',
    'TRANSFER_SIGNER_KEYS',
    'DELIVERY_KEY_SECRET',
  ])
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(/^JWT_KEYS='\{"keys":\[\{.*"crv":"Ed25519".*\}\]\}'$/m)
  expect(text).toMatch(/^PROOF_KEYS='\{"keys":\[\{.*"crv":"Ed25519".*\}\]\}'$/m)
  expect(text).toMatch(/^TRANSFER_SIGNER_KEYS='0x[0-9a-f]{64}'$/m)
  expect(text).toMatch(/^DELIVERY_KEY_SECRET='[0-9a-f]{64}'$/m)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await addMissingSecrets(file)).toEqual([])
  expect(await readFile(file, 'utf8')).toBe(text)
})

it('keeps the existing lines of the file, and closes it to others', async () => {
  await writeFile(file, 'TRANSFER_SIGNER_KEYS=0x01\nOTHER=1', { mode: 0o644 })
  expect(await addMissingSecrets(file)).toEqual(['JWT_KEYS', 'PROOF_KEYS', 'DELIVERY_KEY_SECRET'])
  expect(await readFile(file, 'utf8')).toMatch(/^TRANSFER_SIGNER_KEYS=0x01\nOTHER=1\nJWT_KEYS='/)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})
