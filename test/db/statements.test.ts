import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { prepared, raw } from '../../src/db/statements.ts'
import { db } from '../support/makers.ts'

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
