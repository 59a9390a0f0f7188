/** What is stored of transfers and of the signer's affairs, as the other rooms see it. */
import { type SQL, sql } from 'drizzle-orm'
import type { Address, Hex } from 'viem'
import type { transactions, transfers } from '../db/schema.ts'
import type { Piece } from './token.ts'

export type Row = typeof transfers.$inferSelect

export type StoredTransaction = Omit<
  typeof transactions.$inferSelect,
  'hash' | 'signer' | 'raw'
> & {
  hash: Hex
  signer: Address
  raw: Hex
}

/** A transfer with all that is needed to decide about it. */
export type Transfer = Piece &
  Pick<
    Row,
    'id' | 'status' | 'generation' | 'version' | 'reason' | 'cancelRequestedAt' | 'updatedAt'
  > & {
    orderId: number
    contractNetwork: string
    txId: Hex | null
    /** Of every generation, oldest first. */
    transactions: StoredTransaction[]
  }

/** What is stored of the signer's affairs on a chain. */
export type Account = {
  chainId: number
  /** The lowest nonce that was never given out. */
  nextNonce: number
  /** The newest maxInFlight nonces, with the most that each may cost in wei (rounded). */
  recent: { nonce: number; cost: number }[]
  /** A nonce was used by somebody else: nothing is signed until the operator has looked. */
  isStopped: boolean
}

/** The condition of the index `transfers_attention`: it serves a query that says so word by word. */
export const isIndexed = sql.raw(`t.status IN ('awaiting_wallet', 'failed', 'review')`)

/** A nonce of the signer was used by somebody else, and the operator has not looked yet. */
export const stopped = (signer: Address, chainId: SQL): SQL => sql`EXISTS (
  SELECT 1 FROM transfers t
  WHERE t.status = 'review' AND ${isIndexed} AND EXISTS (
    SELECT 1 FROM transactions x WHERE x.transferId = t.id AND x.generation = t.generation
      AND x.signer = ${signer} AND x.chainId = ${chainId}))`
