import { expect, it } from 'vitest'
import { restoreAddress } from '../../src/addresses/change.ts'
import { toDelivery } from '../../src/addresses/schema.ts'
import { addresses } from '../../src/db/schema/users.ts'
import { callerOf } from '../orders/shop.ts'
import { anAddress, aToken, aUser, db, findRow } from '../support/makers.ts'
import { delivery, list, remove } from './kinds.ts'

const MINUTE = 60_000
const now = new Date()
const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE).toISOString()

async function anOwner() {
  const user = await aUser()
  const token = await aToken(user)
  const caller = await callerOf(token)
  const restore = (id: number, kind: 'delivery' | 'billing' = 'delivery') =>
    restoreAddress({ db, caller, now }, { kind, id })
  const deleted = (values: Partial<typeof addresses.$inferInsert> = {}) =>
    anAddress(user, { kind: 'delivery', deletedAt: ago(1), ...values })
  return { user, token, restore, deleted }
}

const notFound = { code: 'not_found' }

it('restores what was deleted', async () => {
  const { user, token, restore } = await anOwner()
  const { id } = await anAddress(user, { kind: 'delivery', name: 'Ada', isDefault: true })
  await remove(delivery, token, id)
  expect(await list(delivery, token)).toEqual([])
  const restored = await restore(id)
  expect(restored).toMatchObject({ id, name: 'Ada', isDefault: true, deletedAt: null })
  expect(restored.updatedAt).toBe(now.toISOString())
  expect(await list(delivery, token)).toEqual([toDelivery(restored)])
})

it('restores an address for an hour', async () => {
  const { restore, deleted } = await anOwner()
  await restore((await deleted({ deletedAt: ago(59) })).id)
  const late = await deleted({ deletedAt: ago(60) })
  await expect(restore(late.id)).rejects.toMatchObject(notFound)
  expect(await findRow(addresses, late.id)).toEqual(late)
})

it('throws not_found for an address that the user has not deleted', async () => {
  const { restore, deleted } = await anOwner()
  const others = [
    await deleted({ kind: 'billing' }),
    await deleted({ origin: 'seller_order' }),
    await anAddress(await aUser(), { kind: 'delivery', deletedAt: ago(1) }),
  ]
  for (const { id } of others) await expect(restore(id)).rejects.toMatchObject(notFound)
  await expect(restore(987654321)).rejects.toMatchObject(notFound)
  for (const address of others) expect(await findRow(addresses, address.id)).toEqual(address)
})

it('restores the default address, as an ordinary one if there is another default now', async () => {
  const { user, restore, deleted } = await anOwner()
  await anAddress(user, { kind: 'billing', isDefault: true })
  await anAddress(await aUser(), { kind: 'delivery', isDefault: true })
  const first = await deleted({ isDefault: true })
  expect(await restore((await deleted({ isDefault: true })).id)).toMatchObject({ isDefault: true })
  expect(await restore(first.id)).toMatchObject({ isDefault: false })
})

it('restores no more addresses than a user may have, but those of orders', async () => {
  const { user, restore, deleted } = await anOwner()
  for (let i = 0; i < 100; i++) await anAddress(user, { kind: 'delivery' })
  const own = await deleted()
  await expect(restore(own.id)).rejects.toMatchObject({ code: 'too_many_addresses' })
  expect(await findRow(addresses, own.id)).toEqual(own)
  expect(await restore((await deleted({ origin: 'order' })).id)).toMatchObject({ deletedAt: null })
  const billing = await deleted({ kind: 'billing' })
  expect(await restore(billing.id, 'billing')).toMatchObject({ deletedAt: null })
  await expect(restore(987654321)).rejects.toMatchObject(notFound)
})

it('leaves one default if several deleted ones are restored at once', async () => {
  const { token, restore, deleted } = await anOwner()
  const all = await Promise.all(Array.from({ length: 5 }, () => deleted({ isDefault: true })))
  await Promise.all(all.map(({ id }) => restore(id)))
  const restored = await list(delivery, token)
  expect(restored).toHaveLength(5)
  expect(restored.filter((address) => address.default)).toHaveLength(1)
})
