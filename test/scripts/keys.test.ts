import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identityToRecipient } from 'age-encryption'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, it } from 'vitest'
import { command as keys } from '../../scripts/operate/keys.ts'
import { proofKeys } from '../../src/env.ts'
import { call } from '../support/call.ts'
import { aTemporaryFolder } from '../support/folder.ts'

const folder = await aTemporaryFolder()

it('prints signing keys of tokens', async () => {
  const { out } = await call(keys, ['jwt'])
  expect(JSON.parse(out)).toMatchObject({ keys: [{ kty: 'OKP', crv: 'Ed25519' }] })
})

it('prints a key of proofs, with the public keys of those before it', async () => {
  const file = join(folder, 'published.json')
  const { out: first } = await call(keys, ['proof'])
  const [old] = JSON.parse(first).keys
  const { d, ...published } = old
  expect(d).toEqual(expect.any(String))
  // The site publishes two fields more. A file with private keys is as good.
  await writeFile(file, JSON.stringify({ keys: [{ ...old, alg: 'EdDSA', use: 'sig' }] }))

  const { out } = await call(keys, ['proof', '--retired', file])

  const [current, ...retired] = JSON.parse(out).keys
  expect(current.kid).not.toBe(old.kid)
  expect(current.d).toEqual(expect.any(String))
  expect(retired).toEqual([published])
  expect(proofKeys.safeParse(out).success).toBe(true)
})

it.each([
  ['there is no file', ['proof', '--retired', 'nowhere.json'], 'There is no file nowhere.json.'],
  ['it has no keys', ['proof', '--retired', 'package.json'], 'package.json is not a set of public'],
  ['another secret has none', ['jwt', '--retired', 'published.json'], '--retired is for proof.'],
])('retires no keys if %s', async (_, args, says) => {
  const { out, errors, status } = await call(keys, args)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toContain(says)
})

it('prints another secret for delivery keys each time', async () => {
  const { out } = await call(keys, ['delivery'])
  expect(out).toMatch(/^[0-9a-f]{64}\n$/)
  expect((await call(keys, ['delivery'])).out).not.toBe(out)
})

it('prints the private key of a new account, and beside it the address', async () => {
  const { out, errors } = await call(keys, ['relayer'])
  expect(out).toMatch(/^0x[0-9a-f]{64}\n$/)
  const address = privateKeyToAddress(out.trim() as Hex)
  expect(errors).toBe(`Its address: ${address}\n`)
})

it('prints a secret key for backups, and beside it the public key', async () => {
  const { out, errors } = await call(keys, ['backup'])
  expect(out).toMatch(/^AGE-SECRET-KEY-1\w+\n$/)
  expect(errors).toBe(`BACKUP_PUBLIC_KEY: ${await identityToRecipient(out.trim())}\n`)
})

it.each([[[]], [['other']], [['toString']], [['jwt', 'delivery']]])('refuses %j', async (args) => {
  const { out, errors, status } = await call(keys, args)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toMatch(/^Name one of jwt, proof, delivery, relayer, backup\.\nusage: /)
})
