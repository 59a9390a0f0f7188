import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { type Placeholders, prepared } from '../../src/db/prepared.ts'
import { users } from '../../src/db/schema.ts'
import { aUser, db } from '../support/makers.ts'

it('builds its SQL once and answers each call for its own values', async () => {
  const build = vi.fn((on: typeof db, at: Placeholders<{ id: number }>) =>
    on
      .select({ name: users.name, approved: users.approved })
      .from(users)
      .where(eq(users.id, at.id)),
  )
  const userById = prepared(build)
  const [ann, bob] = [await aUser({ name: 'Ann' }), await aUser({ name: 'Bob', approved: false })]
  const answers = await db.batch([userById(db, { id: ann.id }), userById(db, { id: bob.id })])
  expect(answers).toEqual([[{ name: 'Ann', approved: true }], [{ name: 'Bob', approved: false }]])
  expect(build).toHaveBeenCalledTimes(1)
})

it('encodes the values of an insert as the columns want them', async () => {
  const add = prepared((on, at: Placeholders<{ name: string; approved: boolean; at: string }>) =>
    on
      .insert(users)
      .values({
        provider: 'email',
        name: at.name,
        approved: at.approved,
        createdAt: at.at,
        updatedAt: at.at,
      })
      .returning({ name: users.name, approved: users.approved }),
  )
  const values = { name: 'Eve', approved: false, at: '2026-01-01T00:00:00.000Z' }
  expect(await db.batch([add(db, values)])).toEqual([[{ name: 'Eve', approved: false }]])
})

it('refuses to be bound without one of its values', () => {
  const userById = prepared((on, at: Placeholders<Record<string, number>>) =>
    on
      .select()
      .from(users)
      .where(eq(users.id, at.id as never)),
  )
  expect(() => userById(db, {})).toThrow('id')
})
