/** Prices that an import changes by so much that it may be a mistake: somebody confirms them. */
import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import type { LineProblem } from './line.ts'
import { value, withLines } from './sql.ts'

/** Changes that are listed, as the issues of an error. */
const MAX_LISTED = 100

/** Whether a number is more than double or less than half of another one. */
const isFar = (one: string, other: string) => `${one} > 2 * ${other} OR 2 * ${one} < ${other}`

/** What a piece costs, in minor units and in ETH. */
type Price = { priceCents: number; priceEths: string; priceCurrency: string }

export type PriceChange = {
  line: number
  type: 'nft' | 'listing'
  externalId: string
  before: Price
  after: Price
}

/** Selects the prices of a table that change by much. */
const changesOf = (type: 'nft' | 'listing', cents: string) => `
  SELECT r.line, r.type, r.externalId, t.${cents} AS cents, t.priceEths, t.priceCurrency,
    ${value('priceCents')} AS newCents, ${value('priceEths')} AS newEths,
    ${value('priceCurrency')} AS newCurrency
  FROM r JOIN ${type}s t ON t.externalId = r.externalId
  WHERE r.type = '${type}' AND r.record IS NOT NULL AND (t.priceCurrency <> ${value('priceCurrency')}
    OR ${isFar(value('priceCents'), `t.${cents}`)}
    OR ${isFar(`CAST(${value('priceEths')} AS REAL)`, 'CAST(t.priceEths AS REAL)')})`

const changes = `${changesOf('nft', 'price')} UNION ALL ${changesOf('listing', 'priceCents')}`

/** Whether the staged lines change a price to more than double or less than half, or its currency. */
export const hasPriceChangesSql = (importId: string): SQL =>
  sql`(${withLines(importId)} SELECT EXISTS (${sql.raw(changes)}))`

type Row = Pick<PriceChange, 'line' | 'type' | 'externalId'> & {
  cents: number
  newCents: number
  total: number
} & Record<'priceEths' | 'priceCurrency' | 'newEths' | 'newCurrency', string>

/** Returns the first of these changes, and how many there are. */
export async function findPriceChanges({ db, importId }: { db: Database; importId: string }) {
  const { rows } = await batch(db, {
    rows: raw<Row>(db)`${withLines(importId)} SELECT *, count(*) OVER () AS total
      FROM (${sql.raw(changes)}) ORDER BY line LIMIT ${MAX_LISTED}`,
  })
  const listed = rows.map(
    ({ line, type, externalId, ...row }): PriceChange => ({
      ...{ line, type, externalId },
      before: { priceCents: row.cents, priceEths: row.priceEths, priceCurrency: row.priceCurrency },
      after: { priceCents: row.newCents, priceEths: row.newEths, priceCurrency: row.newCurrency },
    }),
  )
  return { total: rows[0]?.total ?? 0, listed }
}

export type PriceChanges = Awaited<ReturnType<typeof findPriceChanges>>

const describePrice = ({ priceCents, priceEths, priceCurrency }: Price) =>
  `${priceCents} ${priceCurrency} (${priceEths} ETH)`

/** Says what a price is and would be. */
export const toProblem = ({ line, before, after }: PriceChange): LineProblem => ({
  line,
  path: 'priceCents',
  code: 'confirmation_required',
  message: `is ${describePrice(before)}, and would be ${describePrice(after)}`,
  priceCents: before.priceCents,
  priceCurrency: before.priceCurrency,
  expectedPriceCents: after.priceCents,
  expectedCurrency: after.priceCurrency,
})

/** Asks for a confirmation, with the number of prices. */
export const describeNumber = ({ total }: PriceChanges): string =>
  `prices that would be more than double or less than half of what they are, or in another currency: ${total}`
