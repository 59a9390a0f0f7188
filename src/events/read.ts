/** Reads endpoints. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import { shownColumns } from '../db/columns.ts'
import { type events, webhookEndpoints } from '../db/schema/webhooks.ts'
import { webhookLimits } from '../limits.ts'
import { type EndpointReadCtx, endpointNotFound, isAccessibleSql, isEndpointSql } from './access.ts'
import { takes } from './event.ts'
import { type Webhook, webhookFields } from './schema.ts'

/** A verified and enabled endpoint that is not due has nothing to get. */
const isIdle = sql`dueAt IS NULL AND verifiedAt IS NOT NULL AND disabledAt IS NULL`

/**
 * What `toWebhook` needs. `nextKinds`: JSON of the types and sources of the events of its user among
 * the next ones; `hasFurther`: whether there are more than it has looked at.
 */
export const endpointColumns = {
  ...shownColumns(webhookEndpoints, { shape: webhookFields }),
  nextKinds: sql<string>`iif(${isIdle}, '[]', (
    SELECT json_group_array(DISTINCT json_object('type', type, 'source', source))
    FROM (SELECT * FROM events WHERE id > position ORDER BY id
      LIMIT ${webhookLimits.window.max}) AS nextEvents
    WHERE endpointId IS NULL AND (role = 'master' OR userId IN (buyerId, sellerId))))`,
  hasFurther: sql<0 | 1>`(NOT (${isIdle})
    AND EXISTS (SELECT 1 FROM events WHERE id > position LIMIT 1 OFFSET ${webhookLimits.window.max}))`,
}

/** Selects endpoints, for `toWebhook`. Add a condition. */
export const selectWebhooks = (db: Database) => db.select(endpointColumns).from(webhookEndpoints)

type EndpointRow = Omit<Webhook, 'hasEvents' | 'enabled'> & { nextKinds: string; hasFurther: 0 | 1 }

export function toWebhook({ nextKinds, hasFurther, ...row }: EndpointRow): Webhook {
  const kinds: Pick<typeof events.$inferSelect, 'type' | 'source'>[] = JSON.parse(nextKinds)
  const ofUser = { buyerId: row.userId, sellerId: null, endpointId: null }
  const hasEvents = hasFurther === 1 || kinds.some((kind) => takes(row, { ...ofUser, ...kind }))
  return { ...row, hasEvents, enabled: row.disabledAt === null }
}

type Page = { cursor?: string | undefined; limit: number }

/** Returns a page of the endpoints that the caller may see, by id. */
export async function listWebhooks(ctx: EndpointReadCtx, { cursor = '', limit }: Page) {
  const { rows } = await readAs(ctx.db, ctx.caller, {
    rows: selectWebhooks(ctx.db)
      .where(and(gt(webhookEndpoints.id, cursor), isAccessibleSql(ctx)))
      .orderBy(asc(webhookEndpoints.id))
      .limit(limit + 1),
  })
  const page = rows.slice(0, limit).map(toWebhook)
  return { webhooks: page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}

export async function readWebhook(ctx: EndpointReadCtx, id: string): Promise<Webhook> {
  const { rows } = await readAs(ctx.db, ctx.caller, {
    rows: selectWebhooks(ctx.db).where(isEndpointSql(ctx, id)),
  })
  const [row] = rows
  if (!row) throw endpointNotFound()
  return toWebhook(row)
}

/** Returns the signed-in user and all own endpoints, oldest first. */
export async function readOwnWebhooks(ctx: EndpointReadCtx) {
  const { account, rows } = await readAsUser(ctx, {
    rows: selectWebhooks(ctx.db)
      .where(and(eq(webhookEndpoints.userId, ctx.caller.userId), isAccessibleSql(ctx)))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id)),
  })
  return { account, webhooks: rows.map(toWebhook) }
}
