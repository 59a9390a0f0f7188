/** What a step has decided, and the statements that write it. */

import { type Database, jsonValues, toJsonSlices } from '../../db/client.ts'
import { giveCodes, oweCodes } from '../../db/codes.ts'
import { raw } from '../../db/statements.ts'
import { returnPieces, takePieces } from '../../db/stock.ts'
import type { KnownBlock, SignerRow } from '../model.ts'
import type { DeliveryChange } from '../rules/delivery-changes.ts'
import { findUndeliverable, stopSales } from '../stop-sales.ts'
import { writeDeliveryChanges } from '../transitions.ts'
import { type Finding, storeFindings } from './findings.ts'
import { type NewTransaction, type TransactionChange, writeTransactions } from './transactions.ts'

/** A transfer that has used up gas. Without a recipient, the token alone is to blame. */
export type Burn = { token: string; recipient: string | null }

/** What a step has decided. What is absent stays as it was. */
export type Changes = {
  transactions: (NewTransaction | TransactionChange)[]
  deliveries: DeliveryChange[]
  /** Whether one node of several has told alone how deliveries end. */
  isUnconfirmed?: boolean
  /** The newest block in which something was settled. */
  settled?: KnownBlock | undefined
  signers?: SignerRow[]
  burns?: Burn[]
  /** Since when no second node confirms records. */
  unconfirmedSince?: string | null
  /** How many transactions in flight one node alone calls mined. */
  minedByOne?: number
  /** Since when all nodes contradict what is stored. */
  contradictedSince?: string | null
  /** The last delivery that was compared, and the time if it was the last of all. */
  compared?: { id: number; at: string | null } | undefined
}

export const NO_CHANGES: Changes = { transactions: [], deliveries: [] }

/** Whether there is anything to write. `isUnconfirmed` alone is nothing: it says how deliveries end. */
export const hasChanges = (changes: Changes): boolean =>
  Object.entries(changes).some(([name, value]) =>
    Array.isArray(value) ? value.length > 0 : name !== 'isUnconfirmed' && value !== undefined,
  )

/** The statements that write changes. They renew the lease with the row of the network. */
export function writeChanges(
  db: Database,
  chainId: number,
  changes: Changes,
  { now, leaseUntil }: { now: Date; leaseUntil: string },
) {
  const idsOf = (flag: 'isUnrequested' | 'isReturned' | 'isTaken') =>
    changes.deliveries.flatMap((delivery) => (delivery[flag] ? delivery.id : []))
  const unrequested = idsOf('isUnrequested')
  const delivered = changes.deliveries.flatMap(({ id, transition }) =>
    transition === 'deliver' ? id : [],
  )
  return {
    transactions: writeTransactions(db, chainId, changes.transactions, now),
    deliveries: writeDeliveryChanges(db, changes.deliveries, changes.isUnconfirmed ?? false, now),
    stock: [
      ...toJsonSlices(idsOf('isReturned')).map((ids) => returnPieces(db, jsonValues(ids), now)),
      ...toJsonSlices(idsOf('isTaken')).map((ids) => takePieces(db, jsonValues(ids), now)),
    ],
    // Pieces that are taken again have no codes yet.
    codes: [
      ...toJsonSlices(delivered).map((ids) => oweCodes(db, jsonValues(ids), now)),
      ...(delivered.length > 0 ? giveCodes(db) : []),
    ],
    signers: writeSigners(db, chainId, changes, now),
    sales: stopSales(db, changes.isUnconfirmed ? [] : findUndeliverable(changes.deliveries), now),
    findings:
      unrequested.length > 0
        ? storeFindings(db, chainId, [unrequestedFinding(chainId, unrequested)], now)
        : undefined,
    network: writeNetwork(db, chainId, changes, leaseUntil),
  }
}

/** `ids`: deliveries whose keys were used up although nobody has asked for that. */
const unrequestedFinding = (chainId: number, ids: readonly number[]): Finding => ({
  key: `unrequested_cancellation:${chainId}`,
  detail: `Somebody has cancelled items on chain ${chainId} although nobody asked for that: ${ids.length}, such as ${ids[0]}.`,
  nodes: [],
})

function writeSigners(
  db: Database,
  chainId: number,
  { signers = [], burns = [], isUnconfirmed = false }: Changes,
  now: Date,
) {
  const at = now.toISOString()
  // What one node tells alone must hold no deliveries until an operator comes.
  const counted = isUnconfirmed ? [] : burns
  return [
    ...toJsonSlices(signers).map(
      (rows) => raw<never>(db)`INSERT INTO signers (chainId, address, reverts, pausedUntil)
        SELECT ${chainId}, value ->> 'address', value ->> 'reverts', value ->> 'pausedUntil'
        FROM json_each(${rows}) WHERE true
        ON CONFLICT (chainId, address) DO UPDATE SET
          reverts = excluded.reverts, pausedUntil = excluded.pausedUntil`,
    ),
    ...toJsonSlices(counted).map(
      (rows) => raw<never>(db)`INSERT INTO burns (chainId, token, recipient, times, updatedAt)
        SELECT ${chainId}, lower(value ->> 'token') AS token,
          lower(coalesce(value ->> 'recipient', '')) AS recipient, count(*), ${at}
        FROM json_each(${rows}) WHERE true GROUP BY token, recipient
        ON CONFLICT (chainId, token, recipient) DO UPDATE SET times = times + excluded.times,
          updatedAt = excluded.updatedAt`,
    ),
  ]
}

function writeNetwork(
  db: Database,
  chainId: number,
  { transactions, settled, compared, unconfirmedSince, minedByOne, contradictedSince }: Changes,
  leaseUntil: string,
) {
  const used = JSON.stringify(transactions.flatMap(({ contract }) => contract ?? []))
  const block = settled?.number ?? null
  return raw(db)`UPDATE networks SET leaseUntil = ${leaseUntil},
      unconfirmedSince = iif(${unconfirmedSince === undefined}, unconfirmedSince, ${unconfirmedSince ?? null}),
      contradictedSince = iif(${contradictedSince === undefined}, contradictedSince, ${contradictedSince ?? null}),
      minedByOne = coalesce(${minedByOne ?? null}, minedByOne),
      contracts = (SELECT json_group_array(value) FROM (
        SELECT value FROM json_each(contracts) UNION SELECT value FROM json_each(${used}))),
      settledHash = iif(${block ?? -1} >= coalesce(settledBlock, 0), ${settled?.hash ?? null}, settledHash),
      settledBlock = max(coalesce(settledBlock, ${block}), coalesce(${block}, settledBlock)),
      comparedId = coalesce(${compared?.id ?? null}, comparedId),
      comparedAt = coalesce(${compared?.at ?? null}, comparedAt)
    WHERE chainId = ${chainId}`
}
