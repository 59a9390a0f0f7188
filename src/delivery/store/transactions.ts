/** The rows of transactions, as a step writes them. */

import { sql } from 'drizzle-orm'
import { type Database, toJsonSlices } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import type { DeliveryTransaction } from '../model.ts'

/** `fee`: wei. */
type TransactionRow = DeliveryTransaction & {
  isOpen: boolean
  gasUsed: number
  fee: bigint
  createdAt: string
}

/** The new values of a transaction. Its other columns stay as they are. */
export type TransactionChange = { id: number } & Partial<TransactionRow>

type Absent = 'block' | 'blockHash' | 'nonceUsedAt' | 'gasUsed' | 'fee'

/** A transaction that is new to the database. */
export type NewTransaction = Omit<TransactionRow, 'id' | Absent> &
  Partial<Pick<TransactionRow, Absent>>

/** The columns that change in the life of a transaction. */
const columns = [
  'contract',
  'items',
  'hash',
  'replaced',
  'raw',
  'gas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'deadline',
  'signedAtBlock',
  'signedAt',
  'createdAt',
  'block',
  'blockHash',
  'nonceUsedAt',
  'gasUsed',
  'fee',
  'isOpen',
] as const satisfies (keyof TransactionRow)[]

const names = columns.join(', ')
const values = columns.map((name) => `value ->> '${name}'`).join(', ')
const changed = columns
  .map(
    (name) => `${name} = iif(json_type(value, '$.${name}') IS NULL, ${name}, value ->> '${name}')`,
  )
  .join(', ')

/** The statements that write transactions. */
export function writeTransactions(
  db: Database,
  chainId: number,
  transactions: readonly (NewTransaction | TransactionChange)[],
  now: Date,
) {
  const at = now.toISOString()
  const known = transactions.filter((transaction) => 'id' in transaction)
  const added = transactions.filter((transaction) => !('id' in transaction))
  return [
    ...toJsonSlices(known).map(
      (rows) => raw<never>(db)`UPDATE transactions SET ${sql.raw(changed)}, updatedAt = ${at}
        FROM json_each(${rows}) WHERE transactions.id = value ->> 'id'`,
    ),
    ...toJsonSlices(added).map(
      (rows) => raw<never>(
        db,
      )`INSERT INTO transactions (chainId, signer, nonce, ${sql.raw(names)}, updatedAt)
        SELECT ${chainId}, value ->> 'signer', value ->> 'nonce', ${sql.raw(values)}, ${at}
        FROM json_each(${rows}) ORDER BY json_each.key`,
    ),
  ]
}
