import { eq } from 'drizzle-orm'
import { expect, inject, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { aPng } from '../avatars/pictures.ts'
import { aForm, download } from '../avatars/uploads.ts'
import { BASE_URL, call } from '../support/api.ts'
import { aUser, db } from '../support/makers.ts'
import { aSignedInVisitor, aVisitor, type Visitor } from '../support/visitor.ts'

const PAGE = '/settings/profile'

const rowOf = async ({ id }: { id: number }) => {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row
}

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

it('is the first page of the settings', async () => {
  const response = await aVisitor().get('/settings')
  expect(response.headers.get('location')).toBe(PAGE)
})

it('shows the names of the user in the form', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Ada "A" <b>', username: 'ada_1' })
  const html = await (await visitor.get(PAGE)).text()
  expect(html).toContain('value="Ada &quot;A&quot; &lt;b&gt;"')
  expect(html).toContain('value="ada_1"')
})

it('saves the names, which the header shows then', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await save(visitor, ' Ada Lovelace ', 'Ada_1815')
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(`${PAGE}?notice=profile-saved`)
  const row = await rowOf(user)
  expect(row).toMatchObject({ name: 'Ada Lovelace', username: 'Ada_1815' })
  expect(row?.updatedAt).not.toBe(user.updatedAt)
  const html = await (await visitor.get(`${PAGE}?notice=profile-saved`)).text()
  expect(html).toContain('Your names are saved.')
  expect(html).toContain('aria-label="Menu of Ada Lovelace"')
})

it('removes names that are empty', async () => {
  const { visitor, user } = await aSignedInVisitor({ name: 'Ada', username: 'to_be_removed' })
  await save(visitor, '  ', '')
  expect(await rowOf(user)).toMatchObject({ name: null, username: null })
})

it.each(['abc', 'A_1', 'z'.repeat(30)])('accepts the user name %s', async (username) => {
  const { visitor, user } = await aSignedInVisitor()
  expect((await save(visitor, '', `\u200e${username}\t`)).status).toBe(303)
  expect(await rowOf(user)).toMatchObject({ username })
})

it.each(['ab', 'z'.repeat(31), '1ab', '_ab', 'a-b', 'a b', 'äbc', 'ab\u212a', '../a'])(
  'rejects the user name %j and keeps what was entered',
  async (username) => {
    const { visitor, user } = await aSignedInVisitor()
    const response = await save(visitor, 'Ada', username)
    expect(response.status).toBe(400)
    const html = await response.text()
    expect(html).toContain('id="username-problem">Must be 3 to 30 characters')
    expect(html).toContain(`value="${username}"`)
    expect(html).toContain('value="Ada"')
    expect(await rowOf(user)).toMatchObject(unchanged)
  },
)

it.each([
  ['x'.repeat(101), 'Must be at most 100 characters'],
  ['Ada\u0000', 'Must not have U+0000 at position 4'],
])('rejects the name %j', async (name, problem) => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await save(visitor, name, '')
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(`id="name-problem">${problem}`)
  expect(await rowOf(user)).toMatchObject(unchanged)
})

it.each([
  ['Ada\u202eadA', 'AdaadA'],
  ['\u2066Ada\tB.\u2069', 'Ada B.'],
  ['\u200D', null],
])('stores what is seen of the name %j', async (name, stored) => {
  const { visitor, user } = await aSignedInVisitor()
  expect((await save(visitor, name, '')).status).toBe(303)
  expect(await rowOf(user)).toMatchObject({ name: stored })
})

it('rejects a user name that somebody else has, whatever the case of its letters', async () => {
  await aUser({ username: 'Grace' })
  const { visitor, user } = await aSignedInVisitor()
  const response = await save(visitor, 'Grace Hopper', 'gRACE')
  expect(response.status).toBe(409)
  const html = await response.text()
  expect(html).toContain('<p class="problem" id="username-problem">This user name is taken.</p>')
  expect(html).toContain('value="gRACE"')
  expect(html).toContain('value="Grace Hopper"')
  expect(await rowOf(user)).toMatchObject(unchanged)
})

it('lets users change the case of their own user name', async () => {
  const { visitor, user } = await aSignedInVisitor({ username: 'lovelace' })
  expect((await save(visitor, '', 'LoveLace')).status).toBe(303)
  expect(await rowOf(user)).toMatchObject({ username: 'LoveLace' })
})

it('stores the picture of a form, and shows it in the header', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await upload(visitor, aForm(aPng()))
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(`${PAGE}?notice=picture-saved`)
  const { avatarKey } = (await rowOf(user)) ?? {}
  expect(avatarKey).toMatch(new RegExp(`^${user.id}/[0-9a-f]{48}\\.jpg$`))
  expect((await download(`${BASE_URL}/avatars/${avatarKey}`)).status).toBe(200)
  const html = await (await visitor.get(`${PAGE}?notice=picture-saved`)).text()
  expect(html).toContain('Your new picture is saved.')
  expect(html.split(`src="/avatars/${avatarKey}"`)).toHaveLength(3)
})

it('stores the picture at a URL', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await useUrl(visitor, ` http://${inject('remoteHost')}/picture.jpg `)
  expect(response.headers.get('location')).toBe(`${PAGE}?notice=picture-saved`)
  expect((await rowOf(user))?.avatarKey).toMatch(/\.jpg$/)
})

it.each([
  [400, 'exactly one part with a file', new FormData()],
  [415, 'not as application/pdf', aForm(aPng(), 'a.pdf', 'application/pdf')],
  [415, 'cannot be converted', aForm(new Uint8Array([1, 2, 3]))],
  [413, 'too large', aForm(new Uint8Array(10 * 1024 * 1024 + 1))],
])('answers %i and says beside the field: %s', async (status, problem, form) => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await upload(visitor, form)
  expect(response.status).toBe(status)
  const html = await response.text()
  expect(html).toMatch(new RegExp(`id="avatar-problem">[A-Z][^<]*${problem}`))
  expect(html).toContain('<h2>Profile</h2>')
  expect(await rowOf(user)).toMatchObject(unchanged)
})

it.each([
  [400, 'Must point to a public host.', 'http://10.0.0.1/picture.jpg'],
  [400, 'Must be a URL.', 'picture'],
  [400, 'The server must answer 200, but answered 404.', '/status?code=404'],
  [415, 'The picture cannot be converted', '/page'],
  [413, 'The picture is too large', '/declares-too-much'],
])('answers %i and says beside the URL: %s', async (status, problem, url) => {
  const { visitor, user } = await aSignedInVisitor()
  const avatarUrl = url.startsWith('/') ? `http://${inject('remoteHost')}${url}` : url
  const response = await useUrl(visitor, avatarUrl)
  expect(response.status).toBe(status)
  const html = await response.text()
  expect(html).toContain(`id="avatarUrl-problem">${problem}`)
  expect(html).toContain(`value="${avatarUrl}"`)
  expect(await rowOf(user)).toMatchObject(unchanged)
})

it('limits how often a picture is changed', async () => {
  const { visitor } = await aSignedInVisitor()
  const AVATAR_LIMIT: RateLimit = { limit: async () => ({ success: false }) }
  const form = { avatarUrl: 'http://example.com/picture.jpg' }
  const response = await visitor.post(`${PAGE}/avatar-url`, { form, env: { AVATAR_LIMIT } })
  expect(response.status).toBe(429)
})

it('rejects user names that would speak for the marketplace', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const response = await save(visitor, '', 'Admin')
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('id="username-problem">Is reserved.')
  expect(await rowOf(user)).toMatchObject(unchanged)
})
