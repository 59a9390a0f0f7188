/** Signs transactions (EIP-1559) with the marketplace's key. */
import { type Hex, keccak256, parseTransaction } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Fees } from './fees.ts'
import type { StoredTransaction } from './state.ts'
import type { Call } from './token.ts'

export type Signer = PrivateKeyAccount

const signers = new Map<Hex, Signer>()

/** Returns the account of a key. Deriving it takes as long as a signature, so it is cached. */
export function signerOf(key: Hex): Signer {
  const signer = signers.get(key) ?? privateKeyToAccount(key)
  signers.set(key, signer)
  return signer
}

/** A transaction that is not signed yet. */
export type Unsigned = Pick<
  StoredTransaction,
  'transferId' | 'generation' | 'chainId' | 'nonce' | 'attempt' | 'kind'
> &
  Call &
  Fees & { gas: bigint }

/** Signs a transaction. The same draft always gives the same bytes (RFC 6979). */
export async function sign(signer: Signer, draft: Unsigned, now: Date): Promise<StoredTransaction> {
  const { to, data, gas, maxFeePerGas, maxPriorityFeePerGas, ...rest } = draft
  const { chainId, nonce } = rest
  const fees = { gas, maxFeePerGas, maxPriorityFeePerGas }
  const raw = await signer.signTransaction({ type: 'eip1559', chainId, nonce, to, data, ...fees })
  return {
    ...rest,
    hash: keccak256(raw),
    signer: signer.address,
    raw,
    gas: String(gas),
    maxFeePerGas: String(maxFeePerGas),
    maxPriorityFeePerGas: String(maxPriorityFeePerGas),
    createdAt: now.toISOString(),
  }
}

/** Returns what a signed transaction calls. */
export function callIn(raw: Hex): Call {
  const { to, data } = parseTransaction(raw)
  if (!to || !data) throw new Error('a stored transaction has no call')
  return { to, data }
}
