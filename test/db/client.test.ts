import { eq, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { guarded } from '../../src/db/client.ts'
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
