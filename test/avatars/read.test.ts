import { expect, it } from 'vitest'
import { BASE_URL, call } from '../support/api.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'
import { avatarOf, download } from './uploads.ts'

it('tells the address of a picture for a user who has given none, and that picture is there', async () => {
  const user = await aUser()
  const url = await avatarOf('me', await aToken(user))
  expect(url).toMatch(new RegExp(`^${BASE_URL}/avatars/${user.id}/[0-9a-f]{48}\\.jpg$`))
  expect(await avatarOf(user.id, await aToken(user))).toBe(url)
  const picture = await download(url)
  expect(picture.status).toBe(200)
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
})

it('shows any user’s picture to any caller, and to nobody without a token', async () => {
  const [ada, bob] = [await aUser(), await aUser()]
  expect(await avatarOf(ada.id, await aToken(bob))).toBe(await avatarOf('me', await aToken(ada)))
  const response = await call('GET', `/api/public/user/${ada.id}/profile/avatar`)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})

it('answers 404 for a user who is not there, and 400 for what is no user', async () => {
  const token = await aMasterToken()
  const unknown = await call('GET', '/api/public/user/987654321/profile/avatar', { token })
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ code: 'not_found' })
  for (const path of ['0', '-1', '1.5', '01', 'you', '99999999999999999999']) {
    const response = await call('GET', `/api/public/user/${path}/profile/avatar`, { token })
    expect(response.status, path).toBe(400)
  }
})

it('answers with the one field that the contract names', async () => {
  const response = await call('GET', '/api/public/user/me/profile/avatar', {
    token: await aToken(await aUser()),
  })
  expect(Object.keys(await response.json<object>())).toEqual(['avatarUrl'])
})
