/** Signs transactions of EIP-1559 with the marketplace's key. */
import { type Address, type Hex, keccak256 } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Draft } from './allot.ts'
import { signed } from './eip1559.ts'
import type { StoredTransaction } from './state.ts'

export type Signer = { key: Hex; address: Address }

const signers = new Map<Hex, Signer>()

/** The signer of a key; deriving its address costs as much as a signature, so it is kept. */
export function signerOf(key: Hex): Signer {
  const known = signers.get(key)
  if (known) return known
  const signer = { key, address: privateKeyToAddress(key) }
  signers.set(key, signer)
  return signer
}

export async function sign(
  { key, address }: Signer,
  draft: Draft,
  now: Date,
): Promise<StoredTransaction> {
  const raw = await signed(draft, key)
  const { to, data, gas, maxFeePerGas, maxPriorityFeePerGas, ...rest } = draft
  return {
    ...rest,
    hash: keccak256(raw),
    signer: address,
    raw,
    gas: String(gas),
    maxFeePerGas: String(maxFeePerGas),
    maxPriorityFeePerGas: String(maxPriorityFeePerGas),
    createdAt: now.toISOString(),
  }
}
