/** Why a call would revert, in words. */
import { decodeErrorResult } from 'viem'
import { standardErrors } from './abi.ts'
import type { NodeError, Reply } from './rpc.ts'

/** How nodes say that the call itself failed: geth and anvil use code 3, others only words. */
const isExecution = /revert|invalid opcode|out of gas|stack (under|over)flow|gas required exceeds/i

/** Whether the node ran the call and it failed, rather than the node having failed. */
export const isRevert = ({ code, message }: NodeError): boolean =>
  code === 3 || isExecution.test(message)

/** Why a reply decides nothing: the node was not heard, or could not run the call. */
export function unheard(reply: Reply): string | null {
  if ('fault' in reply) return reply.fault
  if ('error' in reply && !isRevert(reply.error))
    return `the node answered: ${withoutAddresses(reply.error.message).slice(0, 200)}`
  return null
}

/** The reason that the contract gave, without addresses. */
export function revertReason(error: NodeError): string {
  const data = revertData(error.data)
  const reason = (data && decoded(data)) || error.message.replace(/^execution reverted:? */i, '')
  return withoutAddresses(reason || 'no reason given').slice(0, 200)
}

/** Wallets are personal data; reasons are logged. */
export const withoutAddresses = (text: string): string =>
  text.replace(/0x[0-9a-f]{40,}/gi, (hex) => `${hex.slice(0, 6)}…`)

/** Most nodes put the bytes into `data`, some an object that holds them. */
function revertData(data: unknown): `0x${string}` | null {
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data)
  return typeof data === 'string' && /^0x[0-9a-f]{8,}$/i.test(data) ? (data as `0x${string}`) : null
}

function decoded(data: `0x${string}`): string {
  try {
    const { errorName, args, abiItem } = decodeErrorResult({ abi: standardErrors, data })
    const values: readonly unknown[] = args ?? []
    if (errorName === 'Error') return String(values[0])
    const named = abiItem.inputs.flatMap((input, i) =>
      input.type === 'address' ? [] : [`${input.name}: ${values[i]}`],
    )
    return named.length > 0 ? `${errorName} (${named.join(', ')})` : errorName
  } catch {
    return `error ${data.slice(0, 10)}`
  }
}
