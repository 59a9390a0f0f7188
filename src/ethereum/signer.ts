/**
 * Keys and signatures of accounts, and transactions (EIP-1559) that the keys of the relayers sign. viem's
 * library for curves would make the bundle 10 KiB larger than its limit.
 */
import { getPublicKey, recoverPublicKey, signAsync } from '@noble/secp256k1'
import { type Address, type Hex, keccak256 } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import {
  bytesToHex,
  hexToBytes,
  isAddressEqual,
  parseTransaction,
  serializeTransaction,
} from 'viem/utils'
import type { Fees } from './fees.ts'

type Unsigned = Fees & { chainId: number; nonce: number; to: Address; data: Hex; gas: bigint }

/** A relayer. Its key is only in the closure of `sign`, so logging a signer does not show it. */
export type Signer = { address: Address; sign: (call: Unsigned) => Promise<Hex> }

const signers = new Map<Hex, Signer>()

/** Returns the account of a key. Deriving it takes as long as a signature, so it is cached. */
export function getSigner(key: Hex): Signer {
  const signer = signers.get(key) ?? {
    address: publicKeyToAddress(bytesToHex(getPublicKey(hexToBytes(key), false))),
    sign: async (call) => {
      const transaction = { ...call, type: 'eip1559' } as const
      const signature = await signHash(keccak256(serializeTransaction(transaction)), key)
      return serializeTransaction(transaction, signature)
    },
  }
  signers.set(key, signer)
  return signer
}

/** Signs a hash. The same input always gives the same signature (RFC 6979). */
async function signHash(hash: Hex, key: Hex) {
  const options = { prehash: false, format: 'recovered' } as const
  const bytes = await signAsync(hexToBytes(hash), hexToBytes(key), options)
  const [yParity = 0] = bytes
  return { yParity, r: bytesToHex(bytes.slice(1, 33)), s: bytesToHex(bytes.slice(33)) }
}

/** Signs a transaction. The same input always gives the same bytes. */
export async function sign(signer: Signer, call: Unsigned): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await signer.sign(call)
  return { raw, hash: keccak256(raw) }
}

/** Returns the call data of a transaction that `sign` returned. */
export function decodeCallData(raw: Hex): Hex {
  const { data } = parseTransaction(raw)
  if (!data) throw new Error('a stored transaction has no call')
  return data
}

/** Whether a signature (`r`, `s` and `v`, 65 bytes) of a hash is of the key of an account. */
export function isSignedBy(account: Address, hash: Hex, signature: Hex): boolean {
  try {
    const bytes = hexToBytes(signature)
    const v = bytes[64] ?? 0
    const yParity = v < 27 ? v : v - 27
    if (bytes.length !== 65 || yParity > 1) return false
    const recoverable = new Uint8Array([yParity, ...bytes.slice(0, 64)])
    const options = { prehash: false, isCompressed: false }
    const key = recoverPublicKey(recoverable, hexToBytes(hash), options)
    return isAddressEqual(publicKeyToAddress(bytesToHex(key)), account)
  } catch {
    return false
  }
}
