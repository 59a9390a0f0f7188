/** Keys and signatures of accounts, and transactions (EIP-1559) that the keys of the relayers sign. */
import { type Address, type Hex, keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { isAddressEqual, parseTransaction, recoverAddress } from 'viem/utils'
import type { Fees } from './fees.ts'

/** A relayer. Its key is only in closures, so logging a signer does not show it. */
export type Signer = PrivateKeyAccount

const signers = new Map<Hex, Signer>()

/** Returns the account of a key. Deriving it takes as long as a signature, so it is cached. */
export function getSigner(key: Hex): Signer {
  const signer = signers.get(key) ?? privateKeyToAccount(key)
  signers.set(key, signer)
  return signer
}

type Unsigned = Fees & { chainId: number; nonce: number; to: Address; data: Hex; gas: bigint }

/** Signs a transaction. The same input always gives the same bytes (RFC 6979). */
export async function sign(signer: Signer, call: Unsigned): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await signer.signTransaction({ ...call, type: 'eip1559' })
  return { raw, hash: keccak256(raw) }
}

/** Returns the call data of a transaction that `sign` returned. */
export function decodeCallData(raw: Hex): Hex {
  const { data } = parseTransaction(raw)
  if (!data) throw new Error('a stored transaction has no call')
  return data
}

/** Whether a signature (`r`, `s` and `v`, 65 bytes) of a hash is of the key of an account. */
export async function isSignedBy(account: Address, hash: Hex, signature: Hex): Promise<boolean> {
  try {
    return isAddressEqual(await recoverAddress({ hash, signature }), account)
  } catch {
    return false
  }
}
