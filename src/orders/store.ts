import type { Context } from 'hono'
import type { Database } from '../db/client.ts'
import type { App } from '../http/context.ts'

/** Where orders are: the rows in D1, and what archived ones had in R2. */
export type OrderStore = { db: Database; bucket: R2Bucket }

export const storeOf = <E extends App>(c: Context<E>): OrderStore => ({
  db: c.var.db,
  bucket: c.env.AVATARS,
})
