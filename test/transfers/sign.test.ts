import fc from 'fast-check'
import { type Address, type Hex, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { callIn, sign, signerOf } from '../../src/transfers/sign.ts'

const hex = (length: { minLength: number; maxLength: number }) =>
  fc.uint8Array(length).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)

const key = hex({ minLength: 32, maxLength: 32 }).filter((bytes) => !/^0x(0{64}|f{31})/.test(bytes))
const to = hex({ minLength: 20, maxLength: 20 }) as fc.Arbitrary<Address>
const data = hex({ minLength: 1, maxLength: 300 })
const wei = fc.bigInt({ min: 0n, max: 10n ** 15n })
const draft = fc.record({
  to,
  data,
  chainId: fc.integer({ min: 1, max: 2 ** 40 }),
  nonce: fc.nat(),
  gas: wei,
  maxFeePerGas: wei.map((fee) => fee + 10n ** 15n),
  maxPriorityFeePerGas: wei,
  transferId: fc.constant(1),
  generation: fc.constant(1),
  attempt: fc.constant(0),
  kind: fc.constant('transfer' as const),
})
const now = new Date('2026-01-01T00:00:00.000Z')

it('signs with the key, and reads the call of a signed transaction', async () => {
  await fc.assert(
    fc.asyncProperty(key, draft, async (privateKey, transaction) => {
      const { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
      const call = { to: transaction.to, data: transaction.data }
      const fees = { gas, maxFeePerGas, maxPriorityFeePerGas }
      const account = privateKeyToAccount(privateKey)
      const { raw, signer } = await sign(signerOf(privateKey), transaction, now)
      expect(signer).toBe(account.address)
      expect(raw).toBe(
        await account.signTransaction({ type: 'eip1559', chainId, nonce, ...call, ...fees }),
      )
      expect(callIn(raw)).toEqual(call)
    }),
    { seed: 1, numRuns: 300 },
  )
})

it('reads no call from a transaction that has none', async () => {
  const account = privateKeyToAccount(`0x${'1'.padStart(64, '0')}`)
  const fees = { gas: 21000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
  const toItself = { type: 'eip1559', chainId: 1, nonce: 0, to: account.address, ...fees } as const
  const raw = await account.signTransaction(toItself)
  expect(parseTransaction(raw).to).toBe(account.address.toLowerCase())
  expect(() => callIn(raw)).toThrow('no call')
})
