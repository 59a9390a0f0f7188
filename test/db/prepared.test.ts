import { eq, sql } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { type Placeholders, prepared } from '../../src/db/prepared.ts'
import { users } from '../../src/db/schema/users.ts'
import { aUser, db } from '../support/makers.ts'

it('builds the SQL once and binds the values of each call', async () => {
  const build = vi.fn((builder: Database, values: Placeholders<{ id: number }>) =>
    builder
      .select({ name: users.name, approved: users.approved })
      .from(users)
      .where(eq(users.id, values.id)),
  )
  const userById = prepared(build)
  const [ann, bob] = [await aUser({ name: 'Ann' }), await aUser({ name: 'Bob', approved: false })]
  const results = await db.batch([userById(db, { id: ann.id }), userById(db, { id: bob.id })])
  expect(results).toEqual([[{ name: 'Ann', approved: true }], [{ name: 'Bob', approved: false }]])
  expect(build).toHaveBeenCalledTimes(1)
})

it('builds the text of handwritten SQL once', async () => {
  const part = { getSQL: vi.fn(() => sql`1`) }
  const select = prepared((on) => on.all<{ one: number }>(sql`SELECT ${part} AS one`))
  expect(await db.batch([select(db, {})])).toEqual([[{ one: 1 }]])
  const calls = part.getSQL.mock.calls.length
  await db.batch([select(db, {})])
  expect(part.getSQL).toHaveBeenCalledTimes(calls)
})

it('encodes the values of an INSERT by their columns', async () => {
  const constants = { provider: 'email', identityHash: 'eve' }
  type User = { name: string; approved: boolean; now: string }
  const insertUser = prepared((builder, { name, approved, now }: Placeholders<User>) =>
    builder
      .insert(users)
      .values({ ...constants, name, approved, createdAt: now, updatedAt: now })
      .returning({ name: users.name, approved: users.approved }),
  )
  const user = { name: 'Eve', approved: false, now: '2026-01-01T00:00:00.000Z' }
  expect(await db.batch([insertUser(db, user)])).toEqual([[{ name: 'Eve', approved: false }]])
})

it('throws if a value is missing', () => {
  const userById = prepared((builder, values: Placeholders<{ id?: number }>) =>
    builder
      .select()
      .from(users)
      .where(eq(users.id, values.id ?? 0)),
  )
  expect(() => userById(db, {})).toThrow('id')
})
