import { hashMessage, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { decodeCallData, getSigner, isSignedBy, sign } from '../../src/ethereum/signer.ts'

/** The first account of anvil, and its address. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

it('shows no key of a signer', () => {
  expect(JSON.stringify(getSigner(KEY))).not.toContain(KEY.slice(2))
})

it.each([
  ['a nonce of zero', 0, 1n],
  ['no tip', 7, 0n],
  ['an `r` that begins with a zero', 975, 1n],
  ['an `s` that begins with a zero', 354, 1n],
])('signs the bytes that viem signs: %s', async (_, nonce, maxPriorityFeePerGas) => {
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas }
  const call = { chainId: 1, nonce, to: ADDRESS, data: '0xabcd', gas: 30_000n, ...fees } as const
  const { raw, hash } = await sign(getSigner(KEY), call)
  expect(hash).toBe(keccak256(raw))
  expect(decodeCallData(raw)).toBe('0xabcd')
  const account = privateKeyToAccount(KEY)
  expect(raw).toBe(await account.signTransaction({ type: 'eip1559', ...call }))
})

it('reads no call from a transaction that has none', async () => {
  const transfer = { chainId: 1, nonce: 0, to: ADDRESS, gas: 21_000n, maxFeePerGas: 1n } as const
  const raw = await privateKeyToAccount(KEY).signTransaction({ type: 'eip1559', ...transfer })
  expect(() => decodeCallData(raw)).toThrow('a stored transaction has no call')
})

it('knows whose a signature is', async () => {
  const hash = hashMessage('Sign in')
  const signature = await privateKeyToAccount(KEY).signMessage({ message: 'Sign in' })
  expect(isSignedBy(ADDRESS, hash, signature)).toBe(true)
  expect(isSignedBy(ADDRESS, hashMessage('Sign out'), signature)).toBe(false)
  expect(isSignedBy(`0x${'11'.repeat(20)}`, hash, signature)).toBe(false)
  for (const wrong of ['0x', signature.slice(0, 130), `${signature}00`, `0x${'00'.repeat(65)}`])
    expect(isSignedBy(ADDRESS, hash, wrong as `0x${string}`)).toBe(false)
})
