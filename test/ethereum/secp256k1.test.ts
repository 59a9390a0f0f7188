import fc from 'fast-check'
import { type Hex, hashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { isSignedBy } from '../../src/ethereum/signer.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const { address: other } = privateKeyToAccount(`0x${'22'.repeat(32)}`)

it('knows every signature that viem makes, and whose it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (message) => {
      const signature = await account.signMessage({ message })
      expect(isSignedBy(account.address, hashMessage(message), signature)).toBe(true)
      expect(isSignedBy(other, hashMessage(message), signature)).toBe(false)
      expect(isSignedBy(account.address, hashMessage(`${message}.`), signature)).toBe(false)
    }),
    { seed: 1, numRuns: 100 },
  )
})

describe('a signature', async () => {
  const hash = hashMessage('Sign in')
  const signature = await account.signMessage({ message: 'Sign in' })
  const rs = signature.slice(2, 130)
  const yParity = Number(`0x${signature.slice(130)}`) - 27
  const check = (text: string) => isSignedBy(account.address, hash, `0x${text}` as Hex)
  const byte = (value: number) => value.toString(16).padStart(2, '0')

  it('may have the parity in place of v', () => {
    expect(check(`${rs}${byte(yParity)}`)).toBe(true)
    expect(check(`${rs}${byte(yParity + 27)}`)).toBe(true)
  })

  it.each([
    ['is empty', ''],
    ['has no v', rs],
    ['has another byte', `${rs}${byte(yParity + 27)}00`],
    ['has the other parity', `${rs}${byte(1 - yParity)}`],
    ['has a v of more than one bit', `${rs}${byte(yParity + 2)}`],
    ['has another v', `${rs}${byte(yParity + 29)}`],
    ['is zero', '00'.repeat(65)],
    ['is above the order of the curve', `${'ff'.repeat(64)}1b`],
  ])('is of nobody if it %s', (_, text) => expect(check(text)).toBe(false))
})
