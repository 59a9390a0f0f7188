/**
 * Writes planned orders in one transaction. Each statement takes its rows from one bound JSON, whose elements
 * have values by column name. So the number of statements is constant, and D1's limit of 100 bound values
 * does not matter.
 *
 * Ids come from the database: SQLite's rowid, in the order of the call. A statement finds a row that an
 * earlier one has added. It searches by the row's key in the plan: a user by `identityHash`, an address by
 * `placementKey`, an order by `payprovWebhookToken`. The last two have no index: the search begins at the
 * newest row, and ends at a row of this transaction. A delivery has the id of its order item. The ids of
 * events are in `events/append.ts`.
 */
import { inArray, sql } from 'drizzle-orm'
import { BillingFields } from '../../addresses/schema.ts'
import { actsForAll } from '../../auth/access.ts'
import { type Database, jsonValues } from '../../db/client.ts'
import { reservations } from '../../db/schema/orders.ts'
import { prepared, raw } from '../../db/statements.ts'
import { isUnlimitedSql } from '../../db/stock.ts'
import { hashKeySecret, refuseOtherSecret, storeInstance } from '../../delivery/key.ts'
import { appendFirstEvents, insertDeliveries } from '../../delivery/transitions.ts'
import type { DueEndpoint } from '../../events/wake.ts'
import { unusedHash } from '../../identity/namespace.ts'
import { type NftRow, withoutSecrets } from '../reading/nft.ts'
import {
  buildOrder,
  byId,
  type OrderItemRow,
  type OrderRow,
  orderColumns,
  orderItemColumns,
  requireRow,
} from '../reading/order.ts'
import type { PlacedOrder } from '../reading/schema.ts'
import type { Viewer } from '../reading/viewer.ts'
import { type OrderData, type PlaceCtx, requireRows } from './data.ts'
import { writeChecked } from './guards.ts'
import type { IdempotentCall } from './idempotency.ts'
import type { Plan } from './plan.ts'

/** `rows`: a JSON array; of order items an object, by the token of their order. */
type Rows = { rows: string; now: string }

/** As an import creates them: without a sign-in. The unique indexes fail if an address is taken. */
const insertUsers = prepared((db, { rows, now }: Rows) =>
  db.all<never>(sql`INSERT INTO users
      (provider, email, ethereumPublicAddr, walletChainId, identityHash, locale, createdAt, updatedAt)
    SELECT value ->> 'provider', value ->> 'email', value ->> 'ethereumPublicAddr',
      value ->> 'walletChainId', ${unusedHash(sql`value ->> 'identityHash'`)}, coalesce(value ->> 'locale', 'en'), ${now}, ${now}
    FROM json_each(${rows}) ORDER BY json_each.key`),
)

/**
 * The user to whom a `UserReference` refers. Of users who have had the same identity it is the newest;
 * `unusedHash` has extended its hash.
 */
const referencedUser = sql`coalesce(value ->> 'userId', (SELECT max(id) FROM users
  WHERE identityHash BETWEEN value ->> 'identityHash' AND value ->> 'identityHash' || '~'))`

const billingTexts = BillingFields.keyof().options
const billingColumns = sql.raw(billingTexts.join(', '))
const billingValues = sql.raw(billingTexts.map((name) => `value ->> '${name}'`).join(', '))

const insertAddresses = prepared(
  (db, { rows, now, origin }: Rows & { origin: 'order' | 'seller_order' }) =>
    db.all<never>(sql`INSERT INTO addresses (userId, kind, origin, placementKey, ${billingColumns},
        createdAt, updatedAt)
      SELECT ${referencedUser}, 'billing', ${origin}, value ->> 'placementKey', ${billingValues},
        ${now}, ${now}
      FROM json_each(${rows}) ORDER BY json_each.key`),
)

/**
 * The CHECK `nfts_stock` fails if there are not enough pieces. Returns the limited NFTs, with the pieces that
 * are left.
 */
const reduceStock = prepared((db, { rows, now }: Rows) =>
  db.all<Pick<NftRow, 'id' | 'availableAmount'>>(sql`UPDATE nfts
    SET availableAmount = availableAmount - sold.quantity, updatedAt = ${now}
    FROM (SELECT value ->> 'nftId' AS nftId, sum(value ->> 'quantity') AS quantity
      FROM json_each(${rows}) GROUP BY 1) AS sold
    WHERE nfts.id = sold.nftId AND NOT ${isUnlimitedSql('nfts')}
    RETURNING id, availableAmount`),
)

const namesOf = (columns: object) => sql.raw(Object.keys(columns).join(', '))

const insertOrders = prepared((db, { rows, now, namespace }: Rows & { namespace: string }) =>
  db.all<OrderRow>(sql`INSERT INTO orders (buyerId, billingAddressId, providerId,
      payprovWebhookToken, claimSecret, totalPriceCents, totalPriceCurrency, totalPriceEth, custom,
      paid, namespace, createdAt)
    SELECT ${referencedUser}, coalesce(value ->> 'billingAddressId', (SELECT id FROM addresses
        WHERE placementKey = value ->> 'placementKey' ORDER BY id DESC LIMIT 1)),
      value ->> 'providerId', value ->> 'payprovWebhookToken', value ->> 'claimSecret',
      value ->> 'totalPriceCents', value ->> 'totalPriceCurrency', value ->> 'totalPriceEth', value ->> 'custom', value ->> 'paid',
      ${namespace}, ${now}
    FROM json_each(${rows}) ORDER BY json_each.key
    RETURNING ${namesOf(orderColumns)}`),
)

/**
 * The order of an order item, which this transaction has added. `json_each.key` is its token: SQLite would
 * take the token out of the JSON again for each order that it compares.
 */
const referencedOrder = sql`(SELECT id FROM orders
  WHERE payprovWebhookToken = json_each.key ORDER BY id DESC LIMIT 1)`

const insertOrderItems = prepared((db, { rows }: Rows) =>
  db.all<OrderItemRow>(sql`INSERT INTO orderItems (orderId, nftId, listingId, sellerId,
      quantity, priceCents, priceEths, ethRecipient, recipientChainId, priceCurrency)
    SELECT ${referencedOrder}, value ->> 'nftId', value ->> 'listingId', value ->> 'sellerId',
      value ->> 'quantity', value ->> 'priceCents', value ->> 'priceEths', value ->> 'ethRecipient',
      value ->> 'recipientChainId', value ->> 'priceCurrency'
    FROM json_each(${rows}) ORDER BY json_each.id
    RETURNING ${namesOf(orderItemColumns)}`),
)

/** JSON of the ids of the orders with these tokens: the newest ones. */
const orderIds = (tokens: readonly string[]) =>
  sql`(SELECT json_group_array((SELECT id FROM orders
      WHERE payprovWebhookToken = value ORDER BY id DESC LIMIT 1))
    FROM (SELECT value FROM json_each(${JSON.stringify(tokens)}) ORDER BY key))`

/** An endpoint for which the log had nothing is due at the time of the orders. */
const selectDueEndpoints = (db: Database, now: string) =>
  raw<DueEndpoint>(db)`SELECT id, role FROM webhookEndpoints
    WHERE dueAt = ${now} AND disabledAt IS NULL AND coalesce(leaseUntil, '') <= ${now}`

type Write = { data: OrderData; plan: Plan; call: IdempotentCall | null }

/**
 * Writes the orders of a plan. Returns them as the answer shows them, and the webhook endpoints that
 * are to be woken; null if another call has changed what the plan depends on.
 */
export async function writePlan(ctx: PlaceCtx, { data, plan, call }: Write) {
  const { db, caller, settings } = ctx
  const { namespace } = data
  const { placedAt: now, newUsers, newAddresses } = plan
  const secretHash = hashKeySecret(settings.DELIVERY_KEY_SECRET)
  const orders = plan.orders.map(({ order }) => order)
  const tokens = orders.map(({ payprovWebhookToken }) => payprovWebhookToken)
  const states = plan.orders.map(({ orderItem }) => orderItem.state)
  const holds = data.orders.flatMap(({ hold }) => hold?.id ?? [])
  const isHold = inArray(reservations.id, jsonValues(JSON.stringify(holds)))
  const orderItems = plan.orders.map(({ order, orderItem }) => [
    order.payprovWebhookToken,
    orderItem,
  ])
  const orderItemRows = { rows: JSON.stringify(Object.fromEntries(orderItems)), now }
  const guards = [refuseOtherSecret(secretHash)]
  const written = await writeChecked(
    ctx,
    { data, call, result: orderIds(tokens), guards },
    {
      instance: storeInstance(db, { secretHash, publicUrl: settings.PUBLIC_URL }),
      users:
        newUsers.length > 0 ? insertUsers(db, { rows: JSON.stringify(newUsers), now }) : undefined,
      addresses:
        newAddresses.length > 0
          ? insertAddresses(db, {
              rows: JSON.stringify(newAddresses),
              now,
              origin: actsForAll(caller) ? 'order' : 'seller_order',
            })
          : undefined,
      stock: reduceStock(db, orderItemRows),
      orders: insertOrders(db, { rows: JSON.stringify(orders), now, namespace }),
      orderItems: insertOrderItems(db, orderItemRows),
      deliveries: insertDeliveries(db, {
        ...orderItemRows,
        namespace,
        placedBy: caller.role === 'master' ? null : caller.userId,
      }),
      events: appendFirstEvents(db, states, now),
      // A trigger reduces what is held.
      holds: holds.length > 0 ? db.delete(reservations).where(isHold) : undefined,
      endpoints: selectDueEndpoints(db, now),
    },
  )
  return (
    written && {
      orders: placedOrders(caller, { data, plan, written }),
      endpoints: written.endpoints,
    }
  )
}

/** What is shown of a delivery that has not begun: a reason is shown of failed ones only. */
const unsent = { reasonCode: null, reasonDetail: null, txId: null, sentAt: null }

type Written = {
  orders: readonly OrderRow[]
  orderItems: readonly OrderItemRow[]
  stock: readonly Pick<NftRow, 'id' | 'availableAmount'>[]
}

/** Builds the orders of a plan as the answer shows them. */
function placedOrders(
  viewer: Viewer,
  { data, plan, written }: { data: OrderData; plan: Plan; written: Written },
): PlacedOrder[] {
  const { placedAt } = plan
  const rows = new Map(written.orders.map((row) => [row.payprovWebhookToken, row]))
  const orderItems = new Map(written.orderItems.map((row) => [row.orderId, row]))
  const stock = byId(written.stock)
  return plan.orders.map(({ order: planned, orderItem: { state } }, i) => {
    const { nft, listing } = requireRows(data.orders[i])
    const left = stock.get(nft.id)
    const order = requireRow(rows, planned.payprovWebhookToken)
    return buildOrder(viewer, {
      order,
      orderItem: requireRow(orderItems, order.id),
      delivery: { ...unsent, state, changedAt: placedAt },
      nft: withoutSecrets(left ? { ...nft, ...left, updatedAt: placedAt } : nft),
      listing,
    })
  })
}
