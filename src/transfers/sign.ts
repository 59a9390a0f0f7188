/** Signs transactions of EIP-1559 with the marketplace's key. */
import { type Hex, keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Draft } from './allot.ts'
import type { StoredTransaction } from './state.ts'

const accounts = new Map<Hex, PrivateKeyAccount>()

/** The account of a key; deriving its address costs as much as a signature, so it is kept. */
export function accountOf(key: Hex): PrivateKeyAccount {
  const known = accounts.get(key)
  if (known) return known
  const account = privateKeyToAccount(key)
  accounts.set(key, account)
  return account
}

export async function sign(
  account: PrivateKeyAccount,
  { to, data, gas, maxFeePerGas, maxPriorityFeePerGas, ...draft }: Draft,
  now: Date,
): Promise<StoredTransaction> {
  const { chainId, nonce } = draft
  const fees = { gas, maxFeePerGas, maxPriorityFeePerGas }
  const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, data, ...fees })
  return {
    ...draft,
    hash: keccak256(raw),
    signer: account.address,
    raw,
    gas: String(gas),
    maxFeePerGas: String(maxFeePerGas),
    maxPriorityFeePerGas: String(maxPriorityFeePerGas),
    createdAt: now.toISOString(),
  }
}
