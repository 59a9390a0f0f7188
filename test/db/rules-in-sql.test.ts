/** Rules that TypeScript and SQL both say, for every combination of what they depend on. */
import { type SQL, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { whyNoOrders, whyNoOrdersSql } from '../../src/db/sale.ts'
import { amountTypes, listingTypes } from '../../src/db/schema/catalogue.ts'
import { deliveryStates, reasonCodes } from '../../src/db/schema/delivery.ts'
import { raw } from '../../src/db/statements.ts'
import { isUnlimited, isUnlimitedSql } from '../../src/db/stock.ts'
import { isUsedUp, isUsedUpSql } from '../../src/delivery/reasons.ts'
import { db } from '../support/makers.ts'

const NOW = '2026-06-15T12:00:00.000Z'
const TIMES = [null, '2026-06-15T11:59:59.999Z', NOW, '2026-06-15T12:00:00.001Z']

/** Returns what a condition says of each row of a table `r` that has these columns. */
async function inSql(rows: readonly object[], columns: readonly string[], condition: SQL) {
  const fields = sql.join(
    columns.map((name) => sql.raw(`value ->> '${name}' AS ${name}`)),
    sql`, `,
  )
  const { found } = await batch(db, {
    found: raw<{ said: unknown }>(db)`SELECT ${condition} AS said
      FROM (SELECT key, ${fields} FROM json_each(${JSON.stringify(rows)})) r ORDER BY key`,
  })
  return found.map(({ said }) => said)
}

it('say alike why a listing takes no orders', async () => {
  const rows = listingTypes.flatMap((type) =>
    [true, false].flatMap((active) =>
      TIMES.flatMap((activeTill) =>
        ([null, 'token_not_transferable'] as const).flatMap((obstacle) =>
          TIMES.map((untriedUntil) => ({ type, active, activeTill, obstacle, untriedUntil })),
        ),
      ),
    ),
  )
  const columns = ['type', 'active', 'activeTill', 'obstacle', 'untriedUntil']
  const reasons = rows.map((row) => whyNoOrders(row, NOW))
  expect(await inSql(rows, columns, whyNoOrdersSql('r', NOW))).toEqual(reasons)
  expect(new Set(reasons)).toEqual(
    new Set([
      null,
      'listing_is_auction',
      'listing_inactive',
      'listing_ended',
      'token_not_transferable',
      'listing_not_checked',
    ]),
  )
})

it('say alike whether the key of an item is used up', async () => {
  const rows = deliveryStates.flatMap((state) =>
    [null, ...reasonCodes].map((reasonCode) => ({ state, reasonCode })),
  )
  const areUsedUp = rows.map((row) => Number(isUsedUp(row)))
  expect(await inSql(rows, ['state', 'reasonCode'], isUsedUpSql('r'))).toEqual(areUsedUp)
  expect(new Set(areUsedUp)).toEqual(new Set([0, 1]))
})

it('say alike whether an NFT runs out', async () => {
  const rows = [null, ...amountTypes].map((amountType) => ({ amountType }))
  const areUnlimited = rows.map(({ amountType }) => Number(isUnlimited(amountType)))
  expect(await inSql(rows, ['amountType'], isUnlimitedSql('r'))).toEqual(areUnlimited)
})
