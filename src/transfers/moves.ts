/** The new state of a transfer after a step, and when to look at it again. */
import type { Hex } from 'viem'
import type { Step } from './allot.ts'
import type { StoredTransaction, Transfer } from './state.ts'
import type { Move } from './store.ts'

/**
 * The longest wait between two looks, in seconds, by status: waits grow with the time in which
 * nothing has changed. What is not here is looked at no more.
 */
const longest: Partial<Record<Transfer['status'], number>> = {
  queued: 300,
  signed: 60,
  sent: 60,
  mined: 60,
}

/** Of a transaction that is stored and not sent yet: who finds it so is to send it. */
export const signedMove = (
  { id, version }: Transfer,
  { hash }: StoredTransaction,
  now: Date,
): Move => ({ id, version, status: 'signed', reason: null, txId: hash, lookAt: now })

/**
 * Of a transaction that was handed to the node: whether it was stored just now, which is a version
 * of its own, and what the operator may want to know.
 */
export type Sent = { hash: Hex; isStored: boolean; remark: string | null }

export function moveOf(step: Step, sent: Sent | null, pollSeconds: number, now: Date): Move {
  const { transfer } = step
  const next = sent ? sentState(step, sent) : stateAfter(step)
  const version = transfer.version + (sent?.isStored ? 1 : 0)
  return { id: transfer.id, version, ...next, lookAt: lookAt(transfer, next, pollSeconds, now) }
}

type State = Pick<Move, 'status' | 'reason' | 'txId'>

const sentState = ({ action }: Step, { hash, remark }: Sent): State => {
  const reason = remark ?? ('reason' in action ? action.reason : null)
  return { status: 'sent', reason, txId: hash }
}

function stateAfter({ transfer, action }: Step): State {
  const { status, txId } = transfer
  switch (action.do) {
    case 'settle':
      return { status: action.status, reason: null, txId: action.hash }
    case 'fail':
      return { status: 'failed', reason: action.reason, txId: action.hash }
    case 'review':
      return { status: 'review', reason: action.reason, txId }
    default:
      return { status, reason: 'reason' in action ? action.reason : null, txId }
  }
}

function lookAt(transfer: Transfer, next: State, pollSeconds: number, now: Date): Date | null {
  const limit = longest[next.status]
  if (limit === undefined) return null
  const isSame = transfer.status === next.status && transfer.reason === next.reason
  const unchanged = isSame ? (now.getTime() - Date.parse(transfer.updatedAt)) / 1000 : 0
  const delay = Math.max(pollSeconds, Math.min(limit, Math.floor(unchanged / 4)))
  return new Date(now.getTime() + delay * 1000)
}
