/** Keys and signatures of accounts. viem's library for curves would make the bundle 10 KiB larger. */
import { getPublicKey, recoverPublicKey, signAsync } from '@noble/secp256k1'
import type { Address, Hex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { bytesToHex, hexToBytes, isAddressEqual } from 'viem/utils'

/** Returns the address of a private key. */
export const addressOf = (key: Hex): Address =>
  publicKeyToAddress(bytesToHex(getPublicKey(hexToBytes(key), false)))

/** Signs a hash. The same input always gives the same signature (RFC 6979). */
export async function signHash(hash: Hex, key: Hex) {
  const options = { prehash: false, format: 'recovered' } as const
  const bytes = await signAsync(hexToBytes(hash), hexToBytes(key), options)
  const [yParity = 0] = bytes
  return { yParity, r: bytesToHex(bytes.slice(1, 33)), s: bytesToHex(bytes.slice(33)) }
}

/** Whether a signature (`r`, `s` and `v`, 65 bytes) of a hash is of the key of an account. */
export function isSignedBy(account: Address, hash: Hex, signature: Hex): boolean {
  const bytes = hexToBytes(signature)
  const v = bytes[64] ?? 0
  const yParity = v < 27 ? v : v - 27
  if (bytes.length !== 65 || yParity > 1) return false
  const recoverable = new Uint8Array([yParity, ...bytes.slice(0, 64)])
  try {
    const options = { prehash: false, isCompressed: false }
    const key = recoverPublicKey(recoverable, hexToBytes(hash), options)
    return isAddressEqual(publicKeyToAddress(bytesToHex(key)), account)
  } catch {
    return false
  }
}
