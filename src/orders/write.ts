/**
 * Writes planned orders in one transaction. Each statement takes its rows from one JSON array, whose
 * elements have values by column name. So the number of statements is constant, and D1's limit of 100
 * bound values does not matter.
 *
 * SQLite assigns consecutive ids in the order of the array: the id of row i of n is
 * `max(id) - n + 1 + i`.
 */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { writeAs } from '../auth/access.ts'
import type { Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { addresses, users } from '../db/schema/users.ts'
import { hashSecret, requireSameSecret, storeInstance } from '../delivery/key.ts'
import { appendFirstEvents, insertDeliveries } from '../delivery/transitions.ts'
import type { Settings } from '../env.ts'
import type { DueEndpoint } from '../events/wake.ts'
import type { Ctx } from '../http/context.ts'
import { unusedHash } from '../identity/sign-in.ts'
import type { Plan, Written } from './plan.ts'

type Values = {
  /** JSON: an array of rows. */
  rows: string
  now: string
  namespace: string
  /** `addresses.origin` of new billing addresses. */
  origin: 'order' | 'seller_order'
  /** `deliveries.placedBy`. */
  placedBy: number | null
  orderCount: number
  newUserCount: number
  newAddressCount: number
}

/**
 * Prepares the INSERT of JSON rows. Their values fill `columns`; `others` are the expressions of
 * the other columns.
 */
const insertRows = (
  table: SQLiteTable,
  columns: readonly string[],
  others: (values: Placeholders<Values>) => Record<string, SQL | Placeholder>,
) =>
  prepared((db, values: Placeholders<Values>) => {
    const expressions = others(values)
    const names = [...columns, ...Object.keys(expressions)].map((name) => sql.identifier(name))
    const selected = [
      ...columns.map((name) => sql.raw(`value ->> '${name}'`)),
      ...Object.values(expressions),
    ]
    return db.all<never>(sql`INSERT INTO ${table} (${sql.join(names, sql`, `)})
      SELECT ${sql.join(selected, sql`, `)} FROM json_each(${values.rows}) ORDER BY json_each.key`)
  })

const times = ({ now }: Pick<Placeholders<Values>, 'now'>) => ({ createdAt: now, updatedAt: now })

/** As an import creates them: without a sign-in. The unique indexes fail if an address is taken. */
const insertUsers = insertRows(users, ['provider', 'email', 'ethereumPublicAddr'], (values) => ({
  identityHash: unusedHash(sql`value ->> 'hash'`),
  approvedAt: values.now,
  ...times(values),
}))

/** The user to whom a `UserReference` refers. */
const referencedUser = ({
  newUserCount,
}: Pick<Placeholders<Values>, 'newUserCount'>) => sql`coalesce(value ->> 'userId',
  (SELECT max(id) FROM users) - ${newUserCount} + 1 + (value ->> 'newUser'))`

const insertAddresses = insertRows(
  addresses,
  ['city', 'country', 'postal', 'street', 'companyName', 'taxId'],
  (values) => ({
    userId: referencedUser(values),
    kind: sql`'billing'`,
    origin: values.origin,
    ...times(values),
  }),
)

/** The CHECK `nfts_stock` fails if there are not enough pieces. */
const reduceStock = prepared((db, { rows, now }: Placeholders<Values>) =>
  db.all<never>(sql`UPDATE nfts SET availableAmount = availableAmount - sold.quantity, updatedAt = ${now}
    FROM (SELECT value ->> 'nftId' AS nftId, sum(value ->> 'quantity') AS quantity
      FROM json_each(${rows}) GROUP BY 1) AS sold
    WHERE nfts.id = sold.nftId AND nfts.amountType IS NOT 'unlimited'`),
)

/** A row has the id of its billing address, or the position of a new one. */
const insertOrders = insertRows(
  orders,
  [
    'providerId',
    'payprovWebhookToken',
    'totalPriceCents',
    'totalPriceCurrency',
    'totalPriceEth',
    'custom',
  ],
  (values) => ({
    createdAt: values.now,
    namespace: values.namespace,
    buyerId: referencedUser(values),
    billingAddressId: sql`coalesce(value ->> 'billingAddressId',
      (SELECT max(id) FROM addresses) - ${values.newAddressCount} + 1 + (value ->> 'newAddress'))`,
  }),
)

const insertItems = insertRows(
  orderItems,
  [
    'nftId',
    'listingId',
    'sellerId',
    'quantity',
    'priceCents',
    'priceEths',
    'ethRecipient',
    'recipientChainId',
    'priceCurrency',
  ],
  ({ orderCount }) => ({
    orderId: sql`(SELECT max(id) FROM orders) - ${orderCount} + 1 + json_each.key`,
  }),
)

/** The statements that write the orders of a plan. */
function insertPlan({ db, caller }: Ctx, plan: Plan, namespace: string): Statement[] {
  const withRows = (rows: readonly object[]): Values => ({
    rows: JSON.stringify(rows),
    now: plan.placedAt,
    namespace,
    origin: caller.role === 'master' ? 'order' : 'seller_order',
    placedBy: caller.role === 'master' ? null : caller.userId,
    orderCount: plan.orders.length,
    newUserCount: plan.newUsers.length,
    newAddressCount: plan.newAddresses.length,
  })
  const orders = plan.orders.map(({ order, buyer, billing, custom }) => {
    return { ...order, ...buyer, ...billing, custom }
  })
  const items = withRows(plan.orders.map(({ item, hidden }) => ({ ...item, ...hidden })))
  return [
    ...(plan.newUsers.length > 0 ? [insertUsers(db, withRows(plan.newUsers))] : []),
    ...(plan.newAddresses.length > 0 ? [insertAddresses(db, withRows(plan.newAddresses))] : []),
    reduceStock(db, items),
    insertOrders(db, withRows(orders)),
    insertItems(db, items),
    insertDeliveries(db, withRows(plan.orders.map(({ delivery }) => delivery))),
    ...appendFirstEvents(db, { now: plan.placedAt, orderCount: plan.orders.length }),
  ]
}

/** JSON of a `Written`, once the rows of the plan are inserted. */
export const writtenJson = (nftIds: Placeholder) => sql`json_object(
  'lastOrderId', (SELECT max(id) FROM orders),
  'lastItemId', (SELECT max(id) FROM "orderItems"),
  'lastUserId', (SELECT max(id) FROM users),
  'lastAddressId', (SELECT max(id) FROM addresses),
  'available', (SELECT json_group_object(id, availableAmount) FROM nfts
    WHERE id IN (SELECT value FROM json_each(${nftIds}))))`

/** Returns the ids of the NFTs of a plan, as a JSON array. */
export const nftIdsJson = ({ nfts }: Plan) => JSON.stringify(nfts.map(({ id }) => id))

/** An endpoint for which the log had nothing is due at the time of the orders. */
const selectWritten = prepared(
  (db, { nftIds, now }: Placeholders<{ nftIds: string; now: string }>) =>
    db.all<{ written: string; endpoints: string }>(sql`SELECT ${writtenJson(nftIds)} AS written,
      (SELECT json_group_array(json_object('id', id, 'role', role)) FROM webhookEndpoints
        WHERE dueAt = ${now} AND disabledAt IS NULL AND coalesce(leaseUntil, '') <= ${now}) AS endpoints`),
)

type Write = {
  plan: Plan
  namespace: string
  guards: readonly Guard[]
  /** Statements that follow those of the plan. */
  others: readonly Statement[]
}

/**
 * Writes the orders of a plan. Returns what the database has added, and the webhook endpoints that
 * are to be woken. Throws `unauthenticated`, `forbidden`, `not_ready`, the errors of the guards, and
 * what `inTwoTrips` takes for a lost race.
 */
export async function writePlan(
  ctx: Ctx & { settings: Pick<Settings, 'DELIVERY_KEY_SECRET' | 'PUBLIC_URL'> },
  { plan, namespace, guards, others }: Write,
): Promise<{ written: Written; endpoints: DueEndpoint[] }> {
  const { db, caller, settings } = ctx
  const secretHash = hashSecret(settings.DELIVERY_KEY_SECRET)
  const statements = [
    storeInstance(db, { secretHash, publicUrl: settings.PUBLIC_URL }),
    ...insertPlan(ctx, plan, namespace),
    ...others,
    selectWritten(db, { nftIds: nftIdsJson(plan), now: plan.placedAt }),
  ]
  const results = await writeAs(db, caller, [requireSameSecret(secretHash), ...guards], statements)
  // Only the last statement returns a row.
  const [row] = results.flat()
  if (!row) throw new Error('the transaction returned no row')
  return { written: JSON.parse(row.written), endpoints: JSON.parse(row.endpoints) }
}
