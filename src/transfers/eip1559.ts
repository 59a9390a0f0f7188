/** Transactions of EIP-1559 as bytes: `0x02` (EIP-2718), then the RLP of their fields in order. */
import {
  concatHex,
  fromRlp,
  type Hex,
  isAddress,
  isHex,
  keccak256,
  sliceHex,
  toHex,
  toRlp,
} from 'viem'
import { sign } from 'viem/accounts'
import type { Draft } from './allot.ts'
import type { Call } from './token.ts'

type Unsigned = Pick<
  Draft,
  'chainId' | 'nonce' | 'maxPriorityFeePerGas' | 'maxFeePerGas' | 'gas' | 'to' | 'data'
>

/** The transaction with its signature, which is the same each time (RFC 6979). */
export async function signed(transaction: Unsigned, privateKey: Hex): Promise<Hex> {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, data } = transaction
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(quantity)
  const [value, accessList] = [quantity(0), []] as const
  const fields = [...numbers, to, value, data, accessList]
  const signature = await sign({ hash: keccak256(envelope(fields)), privateKey, to: 'hex' })
  const [r, s] = [BigInt(sliceHex(signature, 0, 32)), BigInt(sliceHex(signature, 32, 64))]
  const yParity = BigInt(sliceHex(signature, 64)) - 27n
  return envelope([...fields, ...[yParity, r, s].map(quantity)])
}

/** What a signed transaction calls. */
export function callIn(raw: Hex): Call {
  const [, , , , , to, , data] = fromRlp(sliceHex(raw, 1), 'hex')
  if (!isHex(to) || !isAddress(to) || !isHex(data) || data === '0x')
    throw new Error('a stored transaction has no call')
  return { to, data }
}

const envelope = (fields: (Hex | readonly Hex[])[]): Hex => concatHex(['0x02', toRlp(fields)])

/** Without leading zeros, so that zero is no bytes at all. */
const quantity = (value: number | bigint): Hex => (value ? toHex(value) : '0x')
