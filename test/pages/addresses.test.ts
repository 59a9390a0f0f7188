import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { delivery, textsOf } from '../addresses/kinds.ts'
import { anAddress, aUser, db } from '../support/makers.ts'
import { aSignedInVisitor, type Visitor } from '../support/visitor.ts'

const BOOK = '/settings/addresses'

/** The fields without which the form is not accepted. */
const place = { street: 'Road 1', city: 'Oslo', country: 'NO' }

const rowsOf = ({ id }: { id: number }) =>
  db.select().from(addresses).where(eq(addresses.userId, id)).orderBy(addresses.id)

const textOf = async (visitor: Visitor, path: string) => {
  const response = await visitor.get(path)
  expect(response.status).toBe(200)
  return response.text()
}

/** The values of the fields of a form, by name. */
const valuesIn = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]* name="(\w+)"[^>]* value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

it('shows both lists of a user who has no address', async () => {
  const { visitor } = await aSignedInVisitor()
  const html = await textOf(visitor, BOOK)
  expect(html).toContain('You have no delivery address yet.')
  expect(html).toContain('You have no billing address yet.')
  expect(html).toContain('href="/settings/addresses/delivery/new"')
  expect(html).toContain('href="/settings/addresses/billing/new"')
})

it('shows the live addresses of the user, and nobody else’s', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await anAddress(user, { kind: 'delivery', name: 'Ada', street: 'Road 1', city: 'Oslo' })
  await anAddress(user, { companyName: 'Engines', origin: 'order', isDefault: true })
  await anAddress(user, { city: 'Deleted', deletedAt: '2026-01-02T00:00:00.000Z' })
  await anAddress(user, { city: 'Hidden', origin: 'seller_order' })
  await anAddress(await aUser(), { city: 'Foreign' })
  const html = await textOf(visitor, BOOK)
  expect(html).toContain('<h4>Ada</h4>')
  expect(html).toContain('<span>Road 1, Oslo</span>')
  expect(html).toContain('<h4>Engines</h4><span class="badge strong">Default</span>')
  expect(html).not.toMatch(/Deleted|Hidden|Foreign/)
})

it('escapes what a user has entered', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user, { kind: 'delivery', name: '<b>"Ada"' })
  for (const path of [BOOK, `${BOOK}/delivery/${id}`])
    expect(await textOf(visitor, path)).not.toContain('<b>')
})

it('adds a delivery address', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const html = await textOf(visitor, `${BOOK}/delivery/new`)
  expect(html).toContain('autocomplete="shipping address-line1"')
  expect(html).toContain('autocomplete="shipping tel"')
  const form = { ...textsOf(delivery), name: ' Ada Lovelace ' }
  const response = await visitor.post(`${BOOK}/delivery/new`, { form })
  expect(response.status).toBe(303)
  const location = response.headers.get('location') ?? ''
  expect(location).toBe(`${BOOK}?notice=address-added`)
  expect(await textOf(visitor, location)).toContain('The address is added.')
  expect(await rowsOf(user)).toMatchObject([
    { ...form, name: 'Ada Lovelace', kind: 'delivery', origin: 'request', isDefault: false },
  ])
})

it('adds a billing address without the fields of a delivery address', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const html = await textOf(visitor, `${BOOK}/billing/new`)
  expect(html).toContain('autocomplete="billing country-name"')
  expect(html).not.toContain('name="mobilePhone"')
  const form = { ...place, name: 'Ada', email: 'ada@example.com' }
  await visitor.post(`${BOOK}/billing/new`, { form })
  expect(await rowsOf(user)).toMatchObject([{ kind: 'billing', ...place, name: null, email: null }])
})

it('adds a default address in place of the previous one of its kind', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await anAddress(user, { kind: 'delivery', isDefault: true })
  await anAddress(user, { kind: 'billing', isDefault: true })
  await visitor.post(`${BOOK}/delivery/new`, { form: { ...place, isDefault: 'on' } })
  expect(await rowsOf(user)).toMatchObject([
    { kind: 'delivery', isDefault: false },
    { kind: 'billing', isDefault: true },
    { kind: 'delivery', isDefault: true, city: 'Oslo' },
  ])
})

it('returns 400 with the entered values and a problem beside each wrong field', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const form = { name: 'Ada', city: 'x'.repeat(256), email: 'nobody', isDefault: 'on' }
  const response = await visitor.post(`${BOOK}/delivery/new`, { form })
  expect(response.status).toBe(400)
  const html = await response.text()
  expect(valuesIn(html)).toMatchObject({ name: 'Ada', city: 'x'.repeat(256), email: 'nobody' })
  expect(html).toMatch(/name="isDefault"[^>]* checked/)
  expect(html).toContain('<p class="problem" id="email-problem">Must be an e-mail address.</p>')
  expect(html).toContain('id="city-problem">Must be at most 255 characters')
  expect(html).toMatch(/id="email"[^>]*aria-invalid="true"[^>]*aria-describedby="email-problem"/)
  expect(html).not.toContain('id="name-problem"')
  expect(await rowsOf(user)).toEqual([])
})

it.each(['delivery', 'billing'] as const)(
  'keeps the entered %s address if the user has too many',
  async (kind) => {
    const { visitor, user } = await aSignedInVisitor()
    for (let i = 0; i < 100; i++) await anAddress(user, { kind })
    const response = await visitor.post(`${BOOK}/${kind}/new`, { form: place })
    expect(response.status).toBe(409)
    const html = await response.text()
    expect(html).toContain(`The user has 100 ${kind} addresses; delete one first.`)
    expect(valuesIn(html)).toMatchObject({ city: 'Oslo' })
    expect(await rowsOf(user)).toHaveLength(100)
  },
)

it('changes an address, and clears the fields that are empty', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const values = { kind: 'delivery', name: 'Ada', postal: '0154', isDefault: true } as const
  const { id } = await anAddress(user, values)
  const html = await textOf(visitor, `${BOOK}/delivery/${id}`)
  expect(valuesIn(html)).toMatchObject({ name: 'Ada', postal: '0154', street: '' })
  expect(html).toMatch(/name="isDefault"[^>]* checked/)
  const form = { ...place, name: 'Grace', postal: '' }
  const response = await visitor.post(`${BOOK}/delivery/${id}`, { form })
  expect(response.headers.get('location')).toBe(`${BOOK}?notice=address-saved`)
  expect(await rowsOf(user)).toMatchObject([
    { ...place, name: 'Grace', postal: null, isDefault: false },
  ])
})

it('returns 400 with the entered values of an address to change', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user, { kind: 'delivery', email: 'ada@example.com' })
  const form = { email: 'nobody' }
  const response = await visitor.post(`${BOOK}/delivery/${id}`, { form })
  expect(response.status).toBe(400)
  expect(valuesIn(await response.text())).toMatchObject({ email: 'nobody' })
  expect(await rowsOf(user)).toMatchObject([{ email: 'ada@example.com' }])
})

it('makes an address the default', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await anAddress(user, { isDefault: true })
  const { id } = await anAddress(user)
  const response = await visitor.post(`${BOOK}/billing/${id}/default`)
  expect(response.headers.get('location')).toBe(`${BOOK}?notice=default-changed`)
  expect(await rowsOf(user)).toMatchObject([{ isDefault: false }, { isDefault: true }])
})

it.each(['request', 'order'] as const)('deletes an address of origin %s', async (origin) => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user, { origin, city: 'Oslo' })
  const response = await visitor.post(`${BOOK}/billing/${id}/delete`)
  expect(response.status).toBe(303)
  const location = response.headers.get('location') ?? ''
  expect(location).toBe(`${BOOK}?kind=billing&deleted=${id}`)
  const html = await textOf(visitor, location)
  expect(html).toContain('The address is deleted.')
  expect(html).toContain(`action="${BOOK}/billing/${id}/restore"`)
  expect(html).not.toContain('Oslo')
})

it('returns 404 for an address of another user, kind or order, and for a deleted one', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const found = [
    await anAddress(await aUser(), { kind: 'delivery', city: 'Foreign' }),
    await anAddress(user, { kind: 'billing' }),
    await anAddress(user, { kind: 'delivery', origin: 'seller_order' }),
    await anAddress(user, { kind: 'delivery', deletedAt: '2026-01-02T00:00:00.000Z' }),
    { id: 987654321 },
  ]
  for (const { id } of found) {
    const path = `${BOOK}/delivery/${id}`
    expect((await visitor.get(path)).status).toBe(404)
    for (const [suffix, form] of [
      ['', place],
      ['', { email: 'not one' }],
      ['/default', {}],
    ] as const)
      expect((await visitor.post(path + suffix, { form })).status).toBe(404)
  }
})

it('requires a street, a city and a country', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await visitor.post(`${BOOK}/delivery/new`, { form: { name: 'Ada', city: ' ' } })
  expect(response.status).toBe(400)
  const html = await response.text()
  for (const name of ['street', 'city', 'country'])
    expect(html).toContain(`<p class="problem" id="${name}-problem">Is required.</p>`)
  expect(valuesIn(html)).toMatchObject({ name: 'Ada' })
  expect(await rowsOf(user)).toEqual([])
})

it('returns to the list after a second click on delete, and still offers to undo it', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user)
  for (const _ of ['first', 'second']) {
    const response = await visitor.post(`${BOOK}/billing/${id}/delete`)
    const html = await textOf(visitor, response.headers.get('location') ?? '')
    expect(html).toContain(`action="${BOOK}/billing/${id}/restore"`)
  }
})

it('deletes nothing of others, and says nothing about it', async () => {
  const { visitor } = await aSignedInVisitor()
  const owner = await aUser()
  for (const deletedAt of [null, new Date().toISOString()]) {
    const { id } = await anAddress(owner, { deletedAt })
    const response = await visitor.post(`${BOOK}/billing/${id}/delete`)
    const html = await textOf(visitor, response.headers.get('location') ?? '')
    expect(html).not.toMatch(/Undo|is deleted/)
  }
  expect(await rowsOf(owner)).toMatchObject([{ deletedAt: null }, {}])
})

it('undoes a deletion', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user, { city: 'Oslo' })
  await visitor.post(`${BOOK}/billing/${id}/delete`)
  const response = await visitor.post(`${BOOK}/billing/${id}/restore`)
  expect(response.status).toBe(303)
  const location = response.headers.get('location') ?? ''
  expect(location).toBe(`${BOOK}?notice=address-restored`)
  expect(await textOf(visitor, location)).toContain('Oslo')
  const again = await visitor.post(`${BOOK}/billing/${id}/restore`)
  expect(again.headers.get('location')).toBe(`${BOOK}?notice=address-restored`)
  expect(await textOf(visitor, `${BOOK}?kind=billing&deleted=${id}`)).not.toContain('Undo')
})

it('says on the page that a deletion cannot be undone if the user has too many', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id } = await anAddress(user, { deletedAt: new Date().toISOString() })
  for (let i = 0; i < 100; i++) await anAddress(user)
  const response = await visitor.post(`${BOOK}/billing/${id}/restore`)
  expect(response.status).toBe(409)
  const html = await response.text()
  expect(html).toContain('The user has 100 billing addresses; delete one first.')
  expect(html).toContain('id="billing">Billing addresses</h3>')
})

it('says beside the field which character is refused, and drops what nobody sees', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const save = (form: object) =>
    visitor.post(`${BOOK}/delivery/new`, { form: { ...place, ...form } })
  const refused = await save({ city: 'Os\u0000lo' })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('id="city-problem">Must not have U+0000 at position 3.')
  const pasted = { mobilePhone: '\u202a+47\u00a01\u202c', email: "o'ada&bo@bücher.example" }
  expect((await save(pasted)).status).toBe(303)
  expect(await rowsOf(user)).toMatchObject([
    { mobilePhone: '+47 1', email: "o'ada&bo@xn--bcher-kva.example" },
  ])
})
