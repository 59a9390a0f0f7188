import { eq, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { batch, guarded } from '../../src/db/batch.ts'
import { users } from '../../src/db/schema/users.ts'
import { aUser, db } from '../support/makers.ts'

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
