/**
 * Rolls orders up by the hour in which they were placed. The ids of deliveries grow with the time
 * of the order, so an hour is a range of ids. Computed by the cron run, so that no delivery writes
 * a row more.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'

/** Hours that one run computes after the newest one. A database without roll-ups has more of them. */
const NEW_HOURS = 24

/** Items after which an hour ends, so that a run reads few rows. The others count for the next one. */
const MAX_ITEMS = 50_000

/**
 * Computes the two newest hours again, those after them, and one older hour with items that may
 * still change: the one that was computed longest ago.
 */
export const rollUpHours = (db: Database, now: Date) =>
  db.batch([rollUp(db, newHours, now), rollUp(db, oldestOpenHour, now)])

const newest = sql`SELECT hour, firstId FROM hourlyOrders ORDER BY hour DESC LIMIT 2`

const oldestOpenHour = sql`SELECT hour, firstId, lastId FROM hourlyOrders
  WHERE failed + awaitingWallet + underWay > 0 AND hour NOT IN (SELECT hour FROM (${newest}))
  ORDER BY updatedAt LIMIT 1`

const truncateToHour = (time: SQL) => sql`substr(${time}, 1, 13) || ':00:00.000Z'`

const after = (hour: SQL) => sql`strftime('%Y-%m-%dT%H:00:00.000Z', ${hour}, '+1 hour')`

/** Id of the first delivery after an hour; null if there is none. `id` is the first of the hour. */
const nextId = (hour: SQL, id: SQL) => sql`coalesce(
  (SELECT id FROM deliveries n WHERE n.id > ${id} AND n.id < ${id} + ${MAX_ITEMS}
    AND n.createdAt >= ${after(hour)} ORDER BY n.id LIMIT 1),
  (SELECT min(id) FROM deliveries n WHERE n.id >= ${id} + ${MAX_ITEMS}))`

/** Later than the hour before, whatever the clock said. */
const nextHour = sql`max(${truncateToHour(sql`d.createdAt`)}, ${after(sql`h.hour`)})`

const newHours = sql`SELECT hour, firstId,
    coalesce(nextId - 1, (SELECT max(id) FROM deliveries)) AS lastId FROM (
  WITH RECURSIVE start (hour, firstId) AS (
      SELECT * FROM (${newest})
      UNION ALL SELECT ${truncateToHour(sql`createdAt`)}, id
        FROM (SELECT id, createdAt FROM deliveries ORDER BY id LIMIT 1)
        WHERE NOT EXISTS (SELECT 1 FROM hourlyOrders)),
    hours (hour, firstId, nextId, number) AS (
      SELECT hour, firstId, ${nextId(sql`hour`, sql`firstId`)}, 0
        FROM (SELECT * FROM start ORDER BY hour LIMIT 1)
      UNION ALL SELECT ${nextHour}, d.id, ${nextId(nextHour, sql`d.id`)}, number + 1
        FROM hours h JOIN deliveries d ON d.id = h.nextId WHERE number <= ${NEW_HOURS})
  SELECT * FROM hours)`

const rollUp = (db: Database, hours: SQL, now: Date) =>
  raw<never>(
    db,
    sql`INSERT INTO hourlyOrders (hour, firstId, lastId, transferred, failed, awaitingWallet, underWay,
        p50, p95, updatedAt)
      SELECT hour, firstId, lastId,
        count(*) FILTER (WHERE state = 'transferred'),
        count(*) FILTER (WHERE state = 'failed'),
        count(*) FILTER (WHERE state = 'awaiting_wallet'),
        count(*) FILTER (WHERE state IN ('queued', 'in_flight')),
        min(duration) FILTER (WHERE state = 'transferred' AND share >= 0.5),
        min(duration) FILTER (WHERE state = 'transferred' AND share >= 0.95),
        ${now.toISOString()}
      FROM (
        SELECT *, cume_dist() OVER (PARTITION BY hour, state ORDER BY duration) AS share
        FROM (
          SELECT h.*, d.state,
            CAST(round((julianday(d.updatedAt) - julianday(d.createdAt)) * 86400000) AS INTEGER) AS duration
          FROM (${hours}) h LEFT JOIN deliveries d ON d.id BETWEEN h.firstId AND h.lastId))
      WHERE true GROUP BY hour
      ON CONFLICT (hour) DO UPDATE SET lastId = excluded.lastId, transferred = excluded.transferred,
        failed = excluded.failed, awaitingWallet = excluded.awaitingWallet, underWay = excluded.underWay,
        p50 = excluded.p50, p95 = excluded.p95, updatedAt = excluded.updatedAt`,
  )
