import { eq, type Placeholder, sql } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import type { Database } from '../../src/db/client.ts'
import { tokens, users } from '../../src/db/schema/users.ts'
import { prepared, raw } from '../../src/db/statements.ts'
import { aUser, db } from '../support/makers.ts'

it('builds the SQL once and binds the values of each call', async () => {
  const build = vi.fn((builder: Database, values: { id: number }) =>
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

it('maps rows as Drizzle does, by the columns of tables, expressions and joined tables', async () => {
  const { id } = await aUser({ name: 'Ann', approved: false })
  const approved = sql`${users.approved}`.mapWith(users.approved)
  const select = (on: Database, values: { id: number | Placeholder }) =>
    on
      .select({
        id: users.id,
        text: sql<string>`'x'`.as('text'),
        decoded: approved.as('decoded'),
        user: {
          name: sql<string>`${users.name}`.as('user_name'),
          none: sql<null>`NULL`.as('none'),
        },
      })
      .from(users)
      .where(eq(users.id, values.id))
  const joined = (on: Database, values: { id: number | Placeholder }) =>
    on
      .select({ user: { name: users.name }, token: { namespace: tokens.namespace } })
      .from(users)
      .leftJoin(tokens, eq(tokens.id, 'none'))
      .where(eq(users.id, values.id))
  const found = await batch(db, {
    mapped: prepared(select)(db, { id }),
    drizzle: select(db, { id }),
    joined: prepared(joined)(db, { id }),
  })
  const row = { id, text: 'x', decoded: false, user: { name: 'Ann', none: null } }
  expect(found.mapped).toEqual([row])
  expect(found.mapped).toEqual(found.drizzle)
  expect(found.joined).toEqual([{ user: { name: 'Ann' }, token: null }])
})

it('builds the text of handwritten SQL once', async () => {
  const part = { getSQL: vi.fn(() => sql`1`) }
  const select = prepared((on) => on.all<{ one: number }>(sql`SELECT ${part} AS one`))
  expect(await db.batch([select(db, {})])).toEqual([[{ one: 1 }]])
  const calls = part.getSQL.mock.calls.length
  await db.batch([select(db, {})])
  expect(part.getSQL).toHaveBeenCalledTimes(calls)
})

it('throws if a value is missing', () => {
  const userById = prepared((builder, values: { id?: number }) =>
    builder
      .select()
      .from(users)
      .where(eq(users.id, values.id ?? 0)),
  )
  expect(() => userById(db, {})).toThrow('id')
})

it('throws if the SQL would depend on a value', () => {
  const select = prepared(
    (on, { count }: { count: number }) => raw<unknown>(on)`SELECT ${count + 1}`,
  )
  expect(() => select(db, { count: 1 })).toThrow('must not depend on a value')
})
