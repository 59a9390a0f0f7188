/**
 * What grows in the database, and by how much. `test/storage.test.ts` measures the bytes, and fails if a
 * table is missing. `npm run costs` prints it.
 */

/** Orders in a day: of a year without anybody looking, and of a drop. */
export const LOADS = { year: 1000, day: 1_000_000 }

export type Growth = {
  what: string
  tables: string[]
  /** Bytes of one with its indexes: an upper limit. */
  bytes: number
  /** Days for which it is kept; Infinity for ever. */
  days: number
  /** How many a day of each load makes. */
  perDay: { year: number; day: number }
  /** What ends it, or what limits it. */
  end: string
}

const perOrder = (count: number) => ({ year: count * LOADS.year, day: count * LOADS.day })

const MINUTE = 1 / (24 * 60)

export const growth = {
  order: {
    what: 'order with its item and delivery',
    tables: ['orders', 'orderItems', 'deliveries'],
    bytes: 720,
    days: Infinity,
    perDay: perOrder(1),
    end: 'nothing: it keeps its delivery key from being used again',
  },
  transaction: {
    what: 'transaction: of each item, or of 50',
    tables: ['transactions'],
    bytes: 1080,
    days: Infinity,
    perDay: { year: LOADS.year, day: LOADS.day / 50 },
    end: 'nothing: it proves the delivery',
  },
  buyer: {
    what: 'new buyer with a billing address',
    tables: ['users', 'addresses'],
    bytes: 700,
    days: Infinity,
    perDay: perOrder(1),
    end: '`npm run forget`, and the owner',
  },
  event: {
    what: 'event',
    tables: ['events'],
    bytes: 240,
    days: 30,
    perDay: perOrder(2),
    end: 'cron, after 30 days',
  },
  message: {
    what: 'message that was not accepted at once',
    tables: ['webhookMessages'],
    bytes: 350,
    days: 30,
    perDay: perOrder(0.02),
    end: 'cron, with its event; 1,000 of an endpoint wait at most',
  },
  key: {
    what: 'idempotency key',
    tables: ['idempotencyKeys'],
    bytes: 300,
    days: 2,
    perDay: perOrder(1),
    end: 'cron, after 24 to 48 hours',
  },
  session: {
    what: 'session of a buyer',
    tables: ['tokens'],
    bytes: 500,
    days: 31,
    perDay: perOrder(1),
    end: 'cron, 30 days after it has ended',
  },
  quota: {
    what: 'use of a quota',
    tables: ['quotas'],
    bytes: 230,
    days: 2,
    perDay: perOrder(4),
    end: 'cron, after yesterday',
  },
  mail: {
    what: 'mail that is sent once',
    tables: ['sentMails', 'mailOptOuts'],
    bytes: 400,
    days: Infinity,
    perDay: { year: 10, day: 10_000 },
    end: 'cron, after 30 days; opt-outs never',
  },
  reservation: {
    what: 'reservation with its pieces',
    tables: ['reservations', 'heldPieces'],
    bytes: 500,
    days: 32 * MINUTE,
    perDay: perOrder(1),
    end: 'cron, a minute after it has ended',
  },
  link: {
    what: 'mailed link, nonce of a wallet',
    tables: ['emailLinks', 'walletNonces'],
    bytes: 900,
    days: 16 * MINUTE,
    perDay: perOrder(1),
    end: 'cron, after 15 minutes',
  },
  hour: {
    what: 'thousand orders of an hour',
    tables: ['hourlyOrders'],
    bytes: 300,
    days: Infinity,
    perDay: { year: 24, day: 1024 },
    end: 'nothing: 24 a day at least',
  },
  action: {
    what: 'action of an operator',
    tables: ['auditLog'],
    bytes: 150,
    days: Infinity,
    perDay: { year: 100, day: 1000 },
    end: 'nothing: it is the audit log',
  },
  line: {
    what: 'line of an import',
    tables: ['catalogueImports', 'catalogueLines'],
    bytes: 1500,
    days: 1,
    perDay: { year: 10_000, day: 100_000 },
    end: 'the commit, or cron after a day; 20,000 in an import',
  },
} satisfies Record<string, Growth>

/** Bytes that a load leaves: at the end of its year, or of its day. */
export const bytesLeft = ({ bytes, days, perDay }: Growth, load: keyof typeof LOADS) =>
  bytes * perDay[load] * Math.min(days, load === 'year' ? 365 : 1)
