import { expect, it } from 'vitest'
import { moveSql } from '../../../scripts/local/moved-sql.ts'

it('moves the time of SQLite, also in sessions, and no other text', () => {
  const prepared: string[] = []
  const session = { prepare: (query: string) => prepared.push(query) }
  const database = { ...session, withSession: () => session } as unknown as D1Database
  const moved = moveSql(database, () => 90_000_500)
  const query = `SELECT strftime('%Y', 'now'), strftime('%Y', 'now', '-60 seconds'), v ->> 'now'`
  moved.prepare(query)
  moved.withSession().prepare(query)
  const expected = `SELECT strftime('%Y', 'now', '+90000.5 seconds'), strftime('%Y', 'now', '+90000.5 seconds', '-60 seconds'), v ->> 'now'`
  expect(prepared).toEqual([expected, expected])
})
