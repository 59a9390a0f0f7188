import fc from 'fast-check'
import { bytesToHex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { decodeCallData, getSigner, sign } from '../../src/ethereum/signer.ts'

/** The first account of anvil, and its address. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const hex = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => bytesToHex(bytes))
const tip = fc.bigInt({ min: 0n, max: 10n ** 12n })
const unsigned = fc.record({
  chainId: fc.integer({ min: 1, max: 2 ** 40 }),
  nonce: fc.integer({ min: 0, max: 2 ** 40 }),
  to: hex(20),
  data: hex(1, 300),
  gas: fc.bigInt({ min: 1n, max: 16_777_216n }),
  maxFeePerGas: tip.map((fee) => fee + 10n ** 12n),
  maxPriorityFeePerGas: tip,
})

it('derives the address of a key, once', () => {
  expect(getSigner(KEY).address).toBe(ADDRESS)
  expect(getSigner(KEY)).toBe(getSigner(KEY))
})

it('signs every transaction as viem does', async () => {
  await fc.assert(
    fc.asyncProperty(unsigned, async (call) => {
      const { raw, hash } = await sign(getSigner(KEY), call)
      expect(raw).toBe(await privateKeyToAccount(KEY).signTransaction({ type: 'eip1559', ...call }))
      expect(hash).toBe(keccak256(raw))
      expect(decodeCallData(raw)).toBe(call.data)
    }),
    // Some signatures have numbers with a leading zero.
    { seed: 1, numRuns: 600 },
  )
})

it('reads no call from a transaction that has none', async () => {
  const transfer = { chainId: 1, nonce: 0, to: ADDRESS, gas: 21_000n, maxFeePerGas: 1n } as const
  const raw = await privateKeyToAccount(KEY).signTransaction({ type: 'eip1559', ...transfer })
  expect(() => decodeCallData(raw)).toThrow('a stored transaction has no call')
})
