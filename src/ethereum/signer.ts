/**
 * Keys and signatures of accounts, and calls (EIP-1559) that the keys of the relayers sign. What viem has for
 * all kinds of transactions, and its library for curves, would add 16 KiB to the bundle.
 */
import { getPublicKey, recoverPublicKey, signAsync } from '@noble/secp256k1'
import { type Address, type Hex, keccak256 } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import {
  bytesToHex,
  concatHex,
  fromRlp,
  hexToBytes,
  isAddressEqual,
  isHex,
  numberToHex,
  sliceHex,
  toRlp,
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
      const signature = await signHash(keccak256(serialize(call)), key)
      return serialize(call, signature)
    },
  }
  signers.set(key, signer)
  return signer
}

/** The type of a transaction, before its fields. */
const EIP_1559 = '0x02'

/** The index of the call data among the fields. */
const DATA = 7

/** RLP gives an integer no leading zeros, and zero no bytes. */
const integer = (value: number | bigint): Hex => (BigInt(value) === 0n ? '0x' : numberToHex(value))

/** Returns the bytes of a transaction: without a signature those that are signed, with one those that are sent. */
function serialize(call: Unsigned, signature: readonly bigint[] = []): Hex {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, data } = call
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(integer)
  const value = integer(0)
  const accessList: Hex[] = []
  const fields = [...numbers, to, value, data, accessList, ...signature.map(integer)]
  return concatHex([EIP_1559, toRlp(fields)])
}

/** Returns the signature of a hash: y parity, r and s. The same input always gives the same one (RFC 6979). */
async function signHash(hash: Hex, key: Hex): Promise<bigint[]> {
  const options = { prehash: false, format: 'recovered' } as const
  const bytes = await signAsync(hexToBytes(hash), hexToBytes(key), options)
  const parts = [bytes.slice(0, 1), bytes.slice(1, 33), bytes.slice(33)]
  return parts.map((part) => BigInt(bytesToHex(part)))
}

/** Signs a transaction. The same input always gives the same bytes. */
export async function sign(signer: Signer, call: Unsigned): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await signer.sign(call)
  return { raw, hash: keccak256(raw) }
}

/** Returns the call data of a transaction that `sign` returned. */
export function decodeCallData(raw: Hex): Hex {
  const data = fromRlp(sliceHex(raw, 1), 'hex')[DATA]
  if (!isHex(data) || data === '0x') throw new Error('a stored transaction has no call')
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
