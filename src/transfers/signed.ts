import { type Hex, parseTransaction } from 'viem'
import type { Call } from './token.ts'

/** The call that a signed transaction makes. */
export function callIn(raw: Hex): Call {
  const { to, data } = parseTransaction(raw)
  if (!to || !data) throw new Error('a stored transaction has no call')
  return { to, data }
}
