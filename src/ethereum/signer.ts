/** Signs transactions (EIP-1559) with the keys of the relayers. */
import { type Address, concatHex, fromRlp, type Hex, keccak256, numberToHex, toRlp } from 'viem'
import type { Fees } from './fees.ts'
import { addressOf, signHash } from './secp256k1.ts'

/** A relayer. Its key is only in the closure of `sign`, so logging a signer does not show it. */
export type Signer = { address: Address; sign: (call: Unsigned) => Promise<Hex> }

const signers = new Map<Hex, Signer>()

/** Returns the account of a key. Deriving it takes as long as a signature, so it is cached. */
export function getSigner(key: Hex): Signer {
  const signer = signers.get(key) ?? {
    address: addressOf(key),
    sign: async (call) => {
      const { yParity, r, s } = await signHash(keccak256(encode(call)), key)
      return encode(call, [yParity, r, s])
    },
  }
  signers.set(key, signer)
  return signer
}

export type Unsigned = Fees & {
  chainId: number
  nonce: number
  to: Address
  data: Hex
  gas: bigint
}

/** RLP has numbers without leading zeros. */
const quantity = (number: number | bigint): Hex => (number ? numberToHex(number) : '0x')

/**
 * Encodes a transaction (EIP-1559) without value and access list, with its signature if it has one.
 * viem's encoder is for transactions of every type, and would make the bundle 4 KiB larger.
 */
const encode = (call: Unsigned, signature: readonly (number | bigint)[] = []): Hex => {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, data } = call
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(quantity)
  return concatHex(['0x02', toRlp([...numbers, to, '0x', data, [], ...signature.map(quantity)])])
}

/** Signs a transaction. The same input always gives the same bytes (RFC 6979). */
export async function sign(signer: Signer, call: Unsigned): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await signer.sign(call)
  return { raw, hash: keccak256(raw) }
}

/** Returns the call data of a transaction that `sign` returned: field 7 of its list (EIP-1559). */
export function decodeCallData(raw: Hex): Hex {
  const fields = fromRlp(`0x${raw.slice('0x02'.length)}`, 'hex')
  const data = typeof fields === 'string' ? undefined : fields[7]
  if (typeof data !== 'string' || data === '0x') throw new Error('a stored transaction has no call')
  return data
}
