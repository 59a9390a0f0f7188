import { eq, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { batch, guarded } from '../../src/db/batch.ts'
import { users } from '../../src/db/schema/users.ts'
import { raw } from '../../src/db/statements.ts'
import { aUser, db } from '../support/makers.ts'

const select = (number: number) => raw<{ number: number }>(db)`SELECT ${number} AS number`

it('joins the rows of a list, and has none for what is left out', async () => {
  const results = await batch(db, {
    none: undefined,
    list: [select(1), select(2)],
    empty: [],
    last: select(3),
  })
  expect(results).toEqual({
    none: [],
    list: [{ number: 1 }, { number: 2 }],
    empty: [],
    last: [{ number: 3 }],
  })
})

it('makes no trip without statements', async () => {
  expect(await batch(db, { none: undefined })).toEqual({ none: [] })
})

it('writes nothing and throws the error of the first guard whose condition holds', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const rename = guarded(
    db,
    [
      { when: sql`1 > 2`, error: () => new Error('never') },
      { when: sql`${id} = ${id}`, error: () => new Error('first') },
    ],
    { update: db.update(users).set({ name: 'Bob' }).where(eq(users.id, id)) },
  )
  await expect(rename).rejects.toThrow('first')
  const { user } = await batch(db, {
    user: db.select({ name: users.name }).from(users).where(eq(users.id, id)),
  })
  expect(user).toEqual([{ name: 'Ann' }])
})
