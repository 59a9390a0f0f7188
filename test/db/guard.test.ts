import { eq, exists, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { guarded } from '../../src/db/guard.ts'
import { condition, type Placeholders } from '../../src/db/prepared.ts'
import { users } from '../../src/db/schema.ts'
import { aUser, db } from '../support/makers.ts'

const nameOf = async (id: number) =>
  (await db.select({ name: users.name }).from(users).where(eq(users.id, id)))[0]?.name

it('writes nothing when a refusal holds, and throws the first that does', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const rename = guarded(
    db,
    [
      { when: sql`${1} > ${2}`, because: () => new Error('arithmetic') },
      { when: sql`${id} = ${id}`, because: () => new Error('the same') },
      { when: sql`${'a'} = ${'a'}`, because: () => new Error('too late') },
    ],
    [db.update(users).set({ name: 'Bob' }).where(eq(users.id, id))],
  )
  await expect(rename).rejects.toThrow('the same')
  expect(await nameOf(id)).toBe('Ann')
})

it('writes and answers when no refusal holds', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const [renamed] = await guarded(
    db,
    [{ when: sql`${1} > ${2}`, because: () => new Error('arithmetic') }],
    [db.update(users).set({ name: 'Bob' }).where(eq(users.id, id)).returning({ name: users.name })],
  )
  expect(renamed).toEqual([{ name: 'Bob' }])
})

it('asks a condition that was built before for the values of each call', async () => {
  const { id } = await aUser({ name: 'Ann' })
  const isCalled = condition((on, at: Placeholders<{ name: string }>) =>
    exists(on.select({ id: users.id }).from(users).where(eq(users.name, at.name))),
  )
  const renameUnless = (name: string) =>
    guarded(
      db,
      [
        { when: sql`${1} > ${2}`, because: () => new Error('arithmetic') },
        { when: isCalled({ name }), because: () => new Error(`there is ${name}`) },
      ],
      [db.update(users).set({ name: 'Zoe' }).where(eq(users.id, id))],
    )
  await expect(renameUnless('Ann')).rejects.toThrow('there is Ann')
  expect(await nameOf(id)).toBe('Ann')
  await renameUnless('nobody of this name')
  expect(await nameOf(id)).toBe('Zoe')
})
