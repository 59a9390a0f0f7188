/** What nobody but a thief should have done: how it is stored. */
import { beforeEach, expect, it } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { findings } from '../../src/db/schema/operations.ts'
import { storeFindings } from '../../src/delivery/store/findings.ts'
import { db } from '../support/makers.ts'

beforeEach(async () => void (await db.delete(findings)))

const at = (minutes: number) => new Date(Date.parse('2026-01-01T12:00:00.000Z') + minutes * 60_000)

const store = (detail: string, nodes: number[], minutes = 0) =>
  batch(db, { stored: storeFindings(db, 5, [{ key: 'key', detail, nodes }], at(minutes)) })

const acknowledge = (minutes: number) =>
  db.update(findings).set({ acknowledgedAt: at(minutes).toISOString() })

const stored = async () =>
  (await db.select().from(findings).orderBy(findings.id)).map(({ detail, nodes }) => [
    detail,
    nodes,
  ])

it('is one while it repeats, and names all nodes that said so', async () => {
  await store('A', [1])
  const [first] = await db.select().from(findings)
  for (const minutes of [1, 2, 60]) await store('A', [1], minutes)
  await store('A', [0], 61)
  expect(await stored()).toEqual([['A', [0, 1]]])
  expect(await db.select().from(findings)).toMatchObject([
    { id: first?.id, seenAt: at(61).toISOString() },
  ])
})

it('is another one once it is acknowledged, but of another node only ten minutes later', async () => {
  await store('A', [1])
  await acknowledge(1)
  await store('A', [0], 9)
  expect(await stored()).toEqual([['A', [1]]])
  await store('A', [1], 9)
  expect(await stored()).toEqual([
    ['A', [1]],
    ['A', [1]],
  ])
  await acknowledge(9)
  await store('A', [0], 20)
  expect(await stored()).toHaveLength(3)
})

it('of a run is stored once', async () => {
  for (const minutes of [0, 60]) {
    await store('A', [], minutes)
    await acknowledge(minutes)
  }
  expect(await stored()).toEqual([['A', []]])
})

it('of one node is not driven out by what another one makes up', async () => {
  await store('true', [0])
  for (let i = 0; i < 9; i++) await store(`lie ${i}`, [1], i)
  expect(await stored()).toEqual([['true', [0]], ...[4, 5, 6, 7, 8].map((i) => [`lie ${i}`, [1]])])
})
