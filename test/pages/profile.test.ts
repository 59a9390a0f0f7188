import { expect, inject, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { aPng } from '../avatars/pictures.ts'
import { aForm, download } from '../avatars/uploads.ts'
import { BASE_URL, call } from '../support/api.ts'
import { aUser, findRow } from '../support/makers.ts'
import { aSignedInVisitor, locationOf, pageOf, type Visitor } from '../support/visitor.ts'

const PAGE = '/settings/profile'

const profileOf = ({ id }: { id: number }) => findRow(users, id)

/** The columns of a new user. */
const unchanged = { name: null, username: null, avatarKey: null }

const save = (visitor: Visitor, name: string, username: string) =>
  visitor.post(PAGE, { form: { name, username } })

/** Sends a multipart form, as a browser without scripts does. */
const upload = ({ cookies }: Visitor, body: FormData) =>
  call('POST', `${PAGE}/avatar`, {
    body,
    headers: {
      accept: 'text/html',
      origin: BASE_URL,
      cookie: `token=${cookies.get('token')}`,
    },
  })

const useUrl = (visitor: Visitor, avatarUrl: string) =>
  visitor.post(`${PAGE}/avatar-url`, { form: { avatarUrl } })

it('shows the names of the user in the form', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Ada "A" <b>', username: 'ada_1' })
  const html = await (await visitor.get(PAGE)).text()
  expect(html).toContain('value="Ada &quot;A&quot; &lt;b&gt;"')
  expect(html).toContain('value="ada_1"')
})

it('saves the names, which the header shows then', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const saved = `${PAGE}?notice=profile-saved`
  expect(await locationOf(save(visitor, ' Ada Lovelace ', 'Ada_1815'))).toBe(saved)
  const row = await profileOf(user)
  expect(row).toMatchObject({ name: 'Ada Lovelace', username: 'Ada_1815' })
  expect(row?.updatedAt).not.toBe(user.updatedAt)
  const { html } = await pageOf(visitor.get(saved))
  expect(html).toContain('Your names are saved.')
  expect(html).toContain('aria-label="Menu of Ada Lovelace"')
  // Names that are empty are removed.
  await save(visitor, '  ', '')
  expect(await profileOf(user)).toMatchObject({ name: null, username: null })
})

it('accepts the user names that fit', async () => {
  const { visitor, user } = await aSignedInVisitor()
  for (const username of ['abc', 'A_1', 'a_1', 'z'.repeat(30)]) {
    expect((await save(visitor, '', `\u200e${username}\t`)).status).toBe(303)
    expect(await profileOf(user)).toMatchObject({ username })
  }
})

it('rejects other user names, and keeps what was entered', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await aUser({ username: 'Grace' })
  const form = 'Must be 3 to 30 characters'
  const wrong = ['ab', 'z'.repeat(31), '1ab', '_ab', 'a-b', 'a b', 'äbc', 'ab\u212a', '../a']
  const cases = wrong.map((username) => [username, 400, form] as const)
  for (const [username, expected, problem] of [
    ...cases,
    // Would speak for the marketplace.
    ['Admin', 400, 'Is reserved.'],
    // Whatever the case of its letters.
    ['gRACE', 400, 'This user name is taken.'],
  ] as const) {
    const { status, html } = await pageOf(save(visitor, 'Ada', username))
    expect([username, status]).toEqual([username, expected])
    expect(html).toContain(`id="username-problem">${problem}`)
    expect(html).toContain(`value="${username}"`)
    expect(html).toContain('value="Ada"')
    expect(await profileOf(user)).toMatchObject(unchanged)
  }
})

it('stores the picture of a form, and shows it in the header', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const saved = `${PAGE}?notice=picture-saved`
  expect(await locationOf(upload(visitor, aForm(aPng())))).toBe(saved)
  const { avatarKey } = (await profileOf(user)) ?? {}
  expect(avatarKey).toMatch(new RegExp(`^${user.id}/[0-9a-f]{48}\\.jpg$`))
  expect((await download(`${BASE_URL}/avatars/${avatarKey}`)).status).toBe(200)
  const { html } = await pageOf(visitor.get(saved))
  expect(html).toContain('Your new picture is saved.')
  expect(html.split(`src="/avatars/${avatarKey}"`)).toHaveLength(3)
})

it('stores the picture at a URL', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const saving = useUrl(visitor, ` http://${inject('remoteHost')}/picture.jpg `)
  expect(await locationOf(saving)).toBe(`${PAGE}?notice=picture-saved`)
  expect((await profileOf(user))?.avatarKey).toMatch(/\.jpg$/)
})

it.each([
  [400, 'exactly one part with a file', new FormData()],
  [415, 'not as application/pdf', aForm(aPng(), 'a.pdf', 'application/pdf')],
])('answers %i and says beside the field: %s', async (status, problem, form) => {
  const { visitor, user } = await aSignedInVisitor()
  const { html, ...page } = await pageOf(upload(visitor, form))
  expect(page.status).toBe(status)
  expect(html).toMatch(new RegExp(`id="avatar-problem">[A-Z][^<]*${problem}`))
  expect(html).toContain('<h2>Profile</h2>')
  expect(await profileOf(user)).toMatchObject(unchanged)
})

it.each([
  [400, 'Must point to a public host.', 'http://10.0.0.1/picture.jpg'],
  [415, 'The picture cannot be converted', '/page'],
])('answers %i and says beside the URL: %s', async (status, problem, url) => {
  const { visitor, user } = await aSignedInVisitor()
  const avatarUrl = url.startsWith('/') ? `http://${inject('remoteHost')}${url}` : url
  const { html, ...page } = await pageOf(useUrl(visitor, avatarUrl))
  expect(page.status).toBe(status)
  expect(html).toContain(`id="avatarUrl-problem">${problem}`)
  expect(html).toContain(`value="${avatarUrl}"`)
  expect(await profileOf(user)).toMatchObject(unchanged)
})
