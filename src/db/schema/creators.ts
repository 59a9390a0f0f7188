import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { nfts } from './catalogue.ts'
import { isOneOfSql, reference, timestamp } from './columns.ts'
import { users } from './users.ts'

export const proposalKinds = ['nft', 'listing'] as const
export const proposalStates = ['draft', 'in_review', 'rejected'] as const

/**
 * What somebody wants to list, or to change of it, until it is approved. Of what is on sale already it has the
 * fields that are to change; what is on sale stays as it was. WITHOUT ROWID.
 */
export const proposals = sqliteTable(
  'proposals',
  {
    kind: text({ enum: proposalKinds }).notNull(),
    /** No foreign key: the id of an NFT or of a listing. */
    subjectId: integer().notNull(),
    userId: reference(() => users.id),
    state: text({ enum: proposalStates }).notNull(),
    /** JSON: fields of the record, as an export has them. */
    fields: text().notNull(),
    /** Random, and new after each change: an approval names what was looked at. */
    version: text().notNull(),
    /** Why it was rejected. */
    reason: text(),
    submittedAt: timestamp().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.subjectId] }),
    index('proposals_waiting').on(t.submittedAt).where(sql`${t.state} = 'in_review'`),
    index('proposals_user').on(t.userId),
    check('proposals_kind', isOneOfSql(t.kind, proposalKinds)),
    check('proposals_state', isOneOfSql(t.state, proposalStates)),
  ],
)

/** Contracts of which an administrator lets somebody list pieces that are to be minted. WITHOUT ROWID. */
export const mintPermissions = sqliteTable(
  'mintPermissions',
  {
    userId: reference(() => users.id),
    network: text().notNull(),
    /** Checksummed (EIP-55). */
    contract: text().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.network, t.contract] })],
)

/** What people say who think that an NFT is not its creator's: one for each person. WITHOUT ROWID. */
export const reports = sqliteTable(
  'reports',
  {
    nftId: reference(() => nfts.id),
    userId: reference(() => users.id),
    text: text().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.nftId, t.userId] }),
    index('reports_user').on(t.userId),
    index('reports_newest').on(t.createdAt),
  ],
)
