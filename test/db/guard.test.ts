import { eq, exists, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { guardedBatch } from '../../src/db/guard.ts'
import { type Placeholders, preparedCondition } from '../../src/db/prepared.ts'
import { users } from '../../src/db/schema/users.ts'
import { aUser, db } from '../support/makers.ts'

const nameOf = async (id: number) =>
  (await db.select({ name: users.name }).from(users).where(eq(users.id, id)))[0]?.name

const neverHolds = { when: sql`${1} > ${2}`, error: () => new Error('never') }

it('writes nothing and throws the error of the first guard whose condition holds', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const rename = guardedBatch(
    db,
    [
      neverHolds,
      { when: sql`${id} = ${id}`, error: () => new Error('first') },
      { when: sql`${'a'} = ${'a'}`, error: () => new Error('second') },
    ],
    [db.update(users).set({ name: 'Bob' }).where(eq(users.id, id))],
  )
  await expect(rename).rejects.toThrow('first')
  expect(await nameOf(id)).toBe('Ann')
})

it('writes and returns the results if no condition holds', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const [renamed] = await guardedBatch(
    db,
    [neverHolds],
    [db.update(users).set({ name: 'Bob' }).where(eq(users.id, id)).returning({ name: users.name })],
  )
  expect(renamed).toEqual([{ name: 'Bob' }])
})

it('binds the values of each call to a prepared condition', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const nameExists = preparedCondition((builder, values: Placeholders<{ name: string }>) =>
    exists(builder.select({ id: users.id }).from(users).where(eq(users.name, values.name))),
  )
  const renameUnlessExists = (name: string) =>
    guardedBatch(
      db,
      [neverHolds, { when: nameExists({ name }), error: () => new Error(`${name} exists`) }],
      [db.update(users).set({ name: 'Zoe' }).where(eq(users.id, id))],
    )
  await expect(renameUnlessExists('Ann')).rejects.toThrow('Ann exists')
  expect(await nameOf(id)).toBe('Ann')
  await renameUnlessExists('an unused name')
  expect(await nameOf(id)).toBe('Zoe')
})
