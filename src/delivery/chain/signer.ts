/** Signs transactions (EIP-1559) with the keys of the relayers. */
import { type Address, type Hex, keccak256, parseTransaction } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Fees } from './fees.ts'

export type Signer = PrivateKeyAccount

const signers = new Map<Hex, Signer>()

/** Returns the account of a key. Deriving it takes as long as a signature, so it is cached. */
export function signerOf(key: Hex): Signer {
  const signer = signers.get(key) ?? privateKeyToAccount(key)
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

/** Signs a transaction. The same input always gives the same bytes (RFC 6979). */
export async function sign(signer: Signer, call: Unsigned): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await signer.signTransaction({ type: 'eip1559', ...call })
  return { raw, hash: keccak256(raw) }
}

/** Returns the call data of a signed transaction. */
export function callDataOf(raw: Hex): Hex {
  const { data } = parseTransaction(raw)
  if (!data) throw new Error('a stored transaction has no call')
  return data
}
