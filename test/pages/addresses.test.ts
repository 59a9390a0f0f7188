import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { delivery, textsOf } from '../addresses/kinds.ts'
import { anAddress, aUser, db } from '../support/makers.ts'
import { aSignedInVisitor, htmlAt, locationOf, pageOf } from '../support/visitor.ts'

const BOOK = '/settings/addresses'

/** The fields without which the form is not accepted. */
const place = { street: 'Road 1', city: 'Oslo', country: 'NO' }

const rowsOf = ({ id }: { id: number }) =>
  db.select().from(addresses).where(eq(addresses.userId, id)).orderBy(addresses.id)

/** The values of the fields of a form, by name. */
const valuesIn = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]* name="(\w+)"[^>]* value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

it('shows the live addresses of the user, and nobody else’s', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await anAddress(user, { kind: 'delivery', name: 'Ada', street: 'Road 1', city: 'Oslo' })
  await anAddress(user, { companyName: 'Engines', origin: 'order', isDefault: true })
  await anAddress(user, { city: 'Deleted', deletedAt: '2026-01-02T00:00:00.000Z' })
  await anAddress(user, { city: 'Hidden', origin: 'seller_order' })
  await anAddress(await aUser(), { city: 'Foreign' })
  const html = await htmlAt(visitor, BOOK)
  expect(html).toContain('<h4>Ada</h4>')
  expect(html).toContain('<span>Road 1, Oslo</span>')
  expect(html).toContain('<h4>Engines</h4><span class="badge strong">Default</span>')
  expect(html).not.toMatch(/Deleted|Hidden|Foreign/)
})

it('adds a delivery address', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const html = await htmlAt(visitor, `${BOOK}/delivery/new`)
  expect(html).toContain('autocomplete="shipping address-line1"')
  expect(html).toContain('autocomplete="shipping tel"')
  const form = { ...textsOf(delivery), name: ' Ada Lovelace ' }
  const location = await locationOf(visitor.post(`${BOOK}/delivery/new`, { form }))
  expect(location).toBe(`${BOOK}?notice=address-added`)
  expect(await htmlAt(visitor, location)).toContain('The address is added.')
  expect(await rowsOf(user)).toMatchObject([
    { ...form, name: 'Ada Lovelace', kind: 'delivery', origin: 'request', isDefault: false },
  ])
})

it('returns 400 with the entered values and a problem beside each wrong field', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const form = { name: 'Ada', city: 'x'.repeat(256), email: 'nobody', isDefault: 'on' }
  const { status, html } = await pageOf(visitor.post(`${BOOK}/delivery/new`, { form }))
  expect(status).toBe(400)
  expect(valuesIn(html)).toMatchObject({ name: 'Ada', city: 'x'.repeat(256), email: 'nobody' })
  expect(html).toMatch(/name="isDefault"[^>]* checked/)
  expect(html).toContain('<p class="problem" id="email-problem">Must be an e-mail address.</p>')
  expect(html).toContain('id="city-problem">Must be at most 255 characters')
  for (const name of ['street', 'country'])
    expect(html).toContain(`<p class="problem" id="${name}-problem">Is required.</p>`)
  expect(html).toMatch(/id="email"[^>]*aria-invalid="true"[^>]*aria-describedby="email-problem"/)
  expect(html).not.toContain('id="name-problem"')
  expect(await rowsOf(user)).toEqual([])
})

it('changes an address, and clears the fields that are empty', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const values = { kind: 'delivery', name: 'Ada', postal: '0154', isDefault: true } as const
  const { id } = await anAddress(user, values)
  const html = await htmlAt(visitor, `${BOOK}/delivery/${id}`)
  expect(valuesIn(html)).toMatchObject({ name: 'Ada', postal: '0154', street: '' })
  expect(html).toMatch(/name="isDefault"[^>]* checked/)
  const form = { ...place, name: 'Grace', postal: '' }
  const saving = visitor.post(`${BOOK}/delivery/${id}`, { form })
  expect(await locationOf(saving)).toBe(`${BOOK}?notice=address-saved`)
  expect(await rowsOf(user)).toMatchObject([
    { ...place, name: 'Grace', postal: null, isDefault: false },
  ])
})

it('makes an address the default', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await anAddress(user, { isDefault: true })
  const { id } = await anAddress(user)
  const changed = `${BOOK}?notice=default-changed`
  expect(await locationOf(visitor.post(`${BOOK}/billing/${id}/default`))).toBe(changed)
  expect(await rowsOf(user)).toMatchObject([{ isDefault: false }, { isDefault: true }])
})

it('deletes an address, also one of an order, and undoes that', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user, { origin: 'order', city: 'Oslo' })
  const path = `${BOOK}/billing/${id}`
  const deleted = `${BOOK}?kind=billing&deleted=${id}`
  // A second click still offers to undo it.
  for (const _ of ['first', 'second']) {
    expect(await locationOf(visitor.post(`${path}/delete`))).toBe(deleted)
    const html = await htmlAt(visitor, deleted)
    expect(html).toContain('The address is deleted.')
    expect(html).toContain(`action="${path}/restore"`)
    expect(html).not.toContain('Oslo')
  }
  const restored = `${BOOK}?notice=address-restored`
  expect(await locationOf(visitor.post(`${path}/restore`))).toBe(restored)
  expect(await htmlAt(visitor, restored)).toContain('Oslo')
  expect(await htmlAt(visitor, deleted)).not.toContain('Undo')
})

it('returns 404 for an address of another user, kind or order, and for a deleted one', async () => {
  const { visitor, user } = await aSignedInVisitor()
  for (const { id } of [
    await anAddress(await aUser(), { kind: 'delivery', city: 'Foreign' }),
    await anAddress(user, { kind: 'billing' }),
    await anAddress(user, { kind: 'delivery', origin: 'seller_order' }),
    await anAddress(user, { kind: 'delivery', deletedAt: '2026-01-02T00:00:00.000Z' }),
    { id: 987654321 },
  ]) {
    const path = `${BOOK}/delivery/${id}`
    expect((await visitor.get(path)).status).toBe(404)
    for (const form of [place, { email: 'not one' }])
      expect((await visitor.post(path, { form })).status).toBe(404)
    expect((await visitor.post(`${path}/default`)).status).toBe(404)
  }
})

it('deletes nothing of others, and says nothing about it', async () => {
  const { visitor } = await aSignedInVisitor()
  const owner = await aUser()
  for (const deletedAt of [null, new Date().toISOString()]) {
    const { id } = await anAddress(owner, { deletedAt })
    const location = await locationOf(visitor.post(`${BOOK}/billing/${id}/delete`))
    expect(await htmlAt(visitor, location)).not.toMatch(/Undo|is deleted/)
  }
  expect(await rowsOf(owner)).toMatchObject([{ deletedAt: null }, {}])
})
