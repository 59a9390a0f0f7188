import type { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { type LastIds, NO_IDS, synthetic } from '../../../scripts/local/catalogue/synthetic.ts'
import { aDatabase } from '../../support/sqlite.ts'

const SIZE = { users: 30, nfts: 20, orders: 500 }

const all = (database: DatabaseSync, query: string) =>
  database
    .prepare(query)
    .all()
    .map((row) => ({ ...row }))

const fill = (database: DatabaseSync, lastIds = NO_IDS) => {
  for (const statement of synthetic(SIZE, lastIds)) database.exec(statement)
}

const TABLES = [...Object.keys(NO_IDS), 'deliveries']

it('generates the requested number of rows, also into a filled database', () => {
  const database = aDatabase()
  fill(database)
  const [last] = all(
    database,
    `SELECT ${Object.keys(NO_IDS).map((t) => `(SELECT max(id) FROM ${t}) AS ${t}`)}`,
  )
  fill(database, last as LastIds)
  const count = (table: string) => all(database, `SELECT count(*) AS n FROM ${table}`)[0]?.n
  expect(TABLES.map(count)).toEqual([60, 120, 40, 40, 1000, 1000, 20, 1000])
})

it('subtracts the ordered quantities from the stock, and orders no unique NFT', () => {
  const database = aDatabase()
  fill(database)
  const wrong = `SELECT nfts.id FROM nfts LEFT JOIN orderItems ON nftId = nfts.id GROUP BY nfts.id
    HAVING amount - availableAmount <> iif(amountType = 'limited', total(quantity), 0)
      OR (amountType = 'unique' AND count(orderItems.id) > 0)`
  expect(all(database, wrong)).toEqual([])
})

it('generates only finished deliveries, and no broken foreign key', () => {
  const database = aDatabase()
  fill(database)
  const outcomes = `SELECT DISTINCT state, reasonCode IS NOT NULL AS hasReason,
      deliveries.id IN (SELECT value FROM json_each(items)) AS isCarried
    FROM deliveries LEFT JOIN transactions ON transactions.id = transactionId ORDER BY 1`
  expect(all(database, outcomes)).toEqual([
    { state: 'failed', hasReason: 1, isCarried: 0 },
    { state: 'transferred', hasReason: 0, isCarried: 1 },
  ])
  expect(all(database, 'PRAGMA foreign_key_check')).toEqual([])
})

it('keeps the counts of released NFTs correct', () => {
  const database = aDatabase()
  fill(database)
  expect(all(database, 'SELECT amountType, nfts FROM nftCounts ORDER BY 1')).toEqual(
    all(database, 'SELECT amountType, count(*) AS nfts FROM nfts GROUP BY 1 ORDER BY 1'),
  )
})
