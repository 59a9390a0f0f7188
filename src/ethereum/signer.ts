/** Signs transactions (EIP-1559) with the keys of the relayers. */
import { type Address, type Hex, keccak256 } from 'viem'
import { parseTransaction, serializeTransaction } from 'viem/utils'
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
      const transaction = { ...call, type: 'eip1559' } as const
      const signature = await signHash(keccak256(serializeTransaction(transaction)), key)
      return serializeTransaction(transaction, signature)
    },
  }
  signers.set(key, signer)
  return signer
}

type Unsigned = Fees & { chainId: number; nonce: number; to: Address; data: Hex; gas: bigint }

/** Signs a transaction. The same input always gives the same bytes (RFC 6979). */
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
