import { identityToRecipient } from 'age-encryption'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, it } from 'vitest'
import { command as keys } from '../../scripts/operate/keys.ts'
import { call } from '../support/call.ts'

it('prints signing keys of tokens', async () => {
  const { out } = await call(keys, ['jwt'])
  expect(JSON.parse(out)).toMatchObject({ keys: [{ kty: 'OKP', crv: 'Ed25519' }] })
})

it('prints keys for codes of NFTs', async () => {
  const { out } = await call(keys, ['codes'])
  expect(JSON.parse(out).keys).toEqual([
    {
      kty: 'oct',
      kid: expect.stringMatching(/^[0-9a-f]{8}$/),
      k: expect.stringMatching(/^[\w-]{43}$/),
    },
  ])
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

it.each([[[]], [['toString']], [['jwt', 'delivery']]])('refuses %j', async (args) => {
  const { out, errors, status } = await call(keys, args)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toMatch(/^Name one of jwt, delivery, codes, relayer, backup\.\nusage: /)
})
