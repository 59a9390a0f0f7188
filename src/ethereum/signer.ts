/** Signs transactions (EIP-1559) with the keys of the relayers. */
import { type Address, fromRlp, type Hex, keccak256 } from 'viem'
import { privateKeyToAddress, signTransaction } from 'viem/accounts'
import type { Fees } from './fees.ts'

/** A relayer. Its key is only in the closure of `sign`, so logging a signer does not show it. */
export type Signer = { address: Address; sign: (call: Unsigned) => Promise<Hex> }

const signers = new Map<Hex, Signer>()

/** Returns the account of a key. Deriving it takes as long as a signature, so it is cached. */
export function getSigner(key: Hex): Signer {
  const signer = signers.get(key) ?? {
    address: privateKeyToAddress(key),
    sign: (call) => signTransaction({ privateKey: key, transaction: { type: 'eip1559', ...call } }),
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
