import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { boolean, idColumn, reference, timestamp } from './columns.ts'
import { users } from './users.ts'

/** What a node told of a Delivery contract and its relayers in one block. */
export type NodeState = {
  seenAt: string
  contract: string
  block: number
  /** Time of the block, in seconds since 1970. */
  time: number
  /** The last blocks whose events were read: of the newest ones, and of those that were final. */
  seenTo: number
  eventsTo: number
  /** What was told of events, the newest last: they are read twice. */
  told: string[]
  /** What the owner of the contract can change, by its name in sentences. */
  facts: Record<string, string>
  /** The same of tokens, a few of which are read in a minute. */
  tokens: Record<string, string>
  /** By address. */
  relayers: Record<
    string,
    {
      /** Its transactions in blocks: all nonces below were compared with those of this instance. */
      nonce: number
      /** Nonces of open transactions that are used, although the node had no receipt. */
      missing: number[]
      hasCode: boolean
      /** Whether it may deliver now or later, or is a signer. */
      isActive: boolean
      /** Whether it was a relayer since this instance knows it. */
      wasRelayer: boolean
      /** Its bucket in the contract, in pieces. A capacity of 0: it is no relayer now. */
      capacity: number
      perDay: number
      /** The least that is in it if nobody else has used it, with fractions. */
      least: number
    }
  >
}

/** `time`: in seconds since 1970. */
type BlockPlace = { block: number; time: number }

/** `problem`: why a node that answers cannot do what deliveries need. `state`: what it told last. */
export type NodeRow = Record<'problem' | 'problemSince', string | null> & {
  /**
   * Another node whose newest or final block is ten minutes newer or more, or had a number for so long that
   * this node (`mine`) has not reached, whatever its time; that block, and since when it is so.
   */
  behind: ({ node: number; since: string; mine: BlockPlace } & BlockPlace) | null
  /**
   * The newest and the final block that another node had when this one was lower, and since when it has not
   * reached them. `isLate`: it needed too long for the last one.
   */
  lag: Record<'head' | 'finalBlock', { block: number; since: string; isLate: boolean } | null>
  state: NodeState | null
}

/** What the cron run last saw of each configured chain. */
export const networkChecks = sqliteTable('networkChecks', {
  chainId: integer().primaryKey(),
  /** When a node last answered; of the first check, if none ever did. */
  checkedAt: timestamp().notNull(),
  /** Why no node can be used since then; null if one answered. */
  problem: text(),
  headNumber: integer(),
  headAt: timestamp(),
  /** Wei for a unit of gas: base fee and tip. */
  gasPrice: text(),
  isPaused: boolean(),
  isRetired: boolean(),
  /** JSON: the signers. */
  signers: text({ mode: 'json' }).$type<
    {
      address: string
      /** Wei. */
      balance: string
      /** Deliveries that the balance pays for at the present price of gas. */
      deliveries: number
      /** Its bucket in the contract, in pieces; null if the signer is no relayer. */
      limit: {
        capacity: number
        /** Pieces that flow back in a day. */
        perDay: number
        available: number
      } | null
    }[]
  >(),
  /** The last token contract that was read; null to begin with the first. */
  tokensTo: text(),
  /** JSON: the nodes, by their position in `rpcUrls`. */
  nodes: text({ mode: 'json' }).$type<NodeRow[]>().notNull().default([]),
})

/**
 * What nobody but a thief should have done, unless an operator knows better, and the test of the setup
 * (`chainId` 0): an alarm lasts while there is one with its key that is not acknowledged. The newest of
 * each key and nodes are kept.
 */
export const findings = sqliteTable(
  'findings',
  {
    id: idColumn(),
    chainId: integer().notNull(),
    /** The key of the alarm. */
    key: text().notNull(),
    /** A sentence. */
    detail: text().notNull(),
    /** JSON: the nodes that said so, by their position in `rpcUrls`. Empty: a run has found it. */
    nodes: text({ mode: 'json' }).$type<number[]>().notNull(),
    seenAt: timestamp().notNull(),
    acknowledgedAt: timestamp(),
  },
  (t) => [
    index('findings_key').on(t.key),
    index('findings_open').on(t.id).where(sql`${t.acknowledgedAt} IS NULL`),
  ],
)

/**
 * What the nodes of a chain contradict each other in, as runs and checks have seen it: an alarm tells of it
 * while it lasts. At most 50 of a chain, kept for 15 minutes after they were seen last.
 */
export const disagreements = sqliteTable(
  'disagreements',
  {
    chainId: integer().notNull(),
    /** What was asked, as in `the balance of the signer 0x…`. */
    about: text().notNull(),
    /** What each node says, as in `node 0: 5, node 1: 0`. */
    answers: text().notNull(),
    since: timestamp().notNull(),
    seenAt: timestamp().notNull(),
  },
  (t) => [primaryKey({ columns: [t.chainId, t.about] })],
)

/** One row: the last cron run. */
export const cronRuns = sqliteTable('cronRuns', {
  id: integer().primaryKey(),
  startedAt: timestamp().notNull(),
  finishedAt: timestamp(),
  /** JSON: the names of the jobs that failed. */
  failedJobs: text({ mode: 'json' }).$type<string[]>().notNull(),
})

/** Open alarms. A row is deleted when its alarm is over. */
export const alarms = sqliteTable('alarms', {
  /** Name and subject, as in `signer_low:31337:0x…`. */
  key: text().primaryKey(),
  name: text().notNull(),
  /** A sentence with the numbers. */
  detail: text().notNull(),
  /** The newest finding that the sentence is about; null for an alarm that ends by itself. */
  version: integer(),
  raisedAt: timestamp().notNull(),
  /** When it was last reported to the log and the webhooks. */
  notifiedAt: timestamp().notNull(),
  /** When administrators were last mailed about it; `''` before. */
  mailedAt: timestamp().notNull().default(''),
})

/**
 * Alarms that an operator leaves as they are. One with this key is raised again when its version is higher. A
 * row is deleted when its alarm is over.
 */
export const acknowledgements = sqliteTable('acknowledgements', {
  key: text().primaryKey(),
  version: integer().notNull(),
})

/** What failed, by kind. Written when something fails, and never else. */
export const failures = sqliteTable('failures', {
  /** See `http/failures.ts`. */
  kind: text().primaryKey(),
  /** Since the instance exists. */
  total: integer().notNull(),
  /** Those since `since`, each soon after the one before. */
  recent: integer().notNull(),
  since: timestamp().notNull(),
  lastAt: timestamp().notNull(),
})

/** Deliveries that a signer has signed for on a day (UTC). See `monitoring/counting/signed-items.ts`. */
export const signedItems = sqliteTable(
  'signedItems',
  {
    chainId: integer().notNull(),
    signer: text().notNull(),
    /** As in `2026-01-31`. */
    day: text().notNull(),
    items: integer().notNull(),
    /** The last transaction that was counted. */
    lastId: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.chainId, t.signer, t.day] })],
)

/** One row: when the database was backed up last, and before that. */
export const backups = sqliteTable('backups', {
  id: integer().primaryKey(),
  at: timestamp().notNull(),
  /** Null after the first one. */
  previousAt: timestamp(),
})

/**
 * Orders by the hour in which they were placed, and what has become of them: a row for each range of
 * up to 1,000 orders. See `monitoring/counting/hourly-orders.ts`.
 */
export const hourlyOrders = sqliteTable(
  'hourlyOrders',
  {
    /** Begin of the hour. */
    hour: timestamp().notNull(),
    /** The first and the last delivery. Their ids have no gaps. */
    firstId: integer().notNull(),
    lastId: integer().notNull(),
    transferred: integer().notNull(),
    /** What was cancelled or written off is in no column. */
    failed: integer().notNull(),
    awaitingWallet: integer().notNull(),
    /** Queued or in flight. */
    underWay: integer().notNull(),
    /** Milliseconds from the order to the end of the delivery, of those transferred. */
    p50: integer(),
    p95: integer(),
    updatedAt: timestamp().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.hour, t.firstId] }),
    index('hourlyOrders_underWay').on(t.updatedAt).where(sql`${t.underWay} > 0`),
    index('hourlyOrders_waiting')
      .on(t.updatedAt)
      .where(sql`${t.underWay} = 0 AND ${t.failed} + ${t.awaitingWallet} > 0`),
  ],
)

/** What the audit log records. `admin/components/audit-list.tsx` has a sentence for each. */
export type AuditAction =
  | `transfer.${'retry' | 'cancel' | 'write_off'}`
  | `token.${'generate' | 'roll' | 'revoke'}`
  | `webhook.${'create' | 'change' | 'rotate' | 'replay' | 'delete'}`
  | `administrator.${'appoint' | 'dismiss'}`
  | 'alarm.acknowledge'
  | 'shop.change'
  | `user.${'approve' | 'disapprove'}`
  | 'user.correct_email'
  | `user.${'permit' | 'forbid'}_mint`
  | 'order.mail'
  | 'user.forget'
  | 'catalogue.import'
  | `${'nft' | 'listing'}.${'change' | 'approve' | 'reject'}`
  | 'report.dismiss'
  | 'content.store'
  | `codes.${'store' | 'read' | 'remove'}`

/** What administrators did. Never deleted. No personal data but the id of the administrator. */
export const auditLog = sqliteTable(
  'auditLog',
  {
    id: idColumn(),
    at: timestamp().notNull(),
    /** The administrator. */
    userId: reference(() => users.id),
    /** Name of the API token; null for a session. */
    tokenName: text(),
    action: text().$type<AuditAction>().notNull(),
    /** What it was done to, as in `7`; null if `details` says it. */
    subject: text(),
    /** JSON. */
    details: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  },
  (t) => [index('auditLog_subject').on(t.subject), index('auditLog_user').on(t.userId)],
)

/** What was used of a quota in a period. Kept for two days. */
export const quotas = sqliteTable(
  'quotas',
  {
    /** As in `mails`, or `addresses:7` for one user. */
    name: text().notNull(),
    /** A day or an hour (UTC), as in `2026-01-31` and `2026-01-31T12`. */
    period: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.period, t.name] })],
)

/** Mails about orders that are sent once, by their subject, as in `approval:<seller>:<chain>:<contract>`. */
export const sentMails = sqliteTable(
  'sentMails',
  { subject: text().primaryKey(), createdAt: timestamp().notNull() },
  (t) => [index('sentMails_age').on(t.createdAt)],
)

/** Deliveries that a buyer was not told of, because of too many mails: see `order-mails/summary.ts`. */
export const heldMails = sqliteTable(
  'heldMails',
  {
    itemId: integer().primaryKey(),
    /** The buyer. */
    userId: integer().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [
    index('heldMails_user').on(t.userId, t.createdAt),
    index('heldMails_age').on(t.createdAt),
  ],
)

/** Recipients who want no mails about orders. */
export const mailOptOuts = sqliteTable('mailOptOuts', {
  /** SHA-256 of the address (lower case), hex. */
  addressHash: text().primaryKey(),
  createdAt: timestamp().notNull(),
})
