import { expect, it } from 'vitest'
import { BASE_URL, call } from '../support/api.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'
import { download, getAvatarUrl } from './uploads.ts'

it('answers the URL of the default picture for a user without an avatar', async () => {
  const user = await aUser()
  const url = await getAvatarUrl('me', await aToken(user))
  expect(url).toMatch(new RegExp(`^${BASE_URL}/avatars/${user.id}/[0-9a-f]{48}\\.jpg$`))
  expect(await getAvatarUrl(user.id, await aToken(user))).toBe(url)
  const picture = await download(url)
  expect(picture.status).toBe(200)
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
})

it('answers 404 for an unknown user, and 400 for an invalid id', async () => {
  const token = await aMasterToken()
  const unknown = await call('GET', '/api/public/user/987654321/profile/avatar', { token })
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ code: 'not_found' })
  for (const path of ['0', '-1', '1.5', '01', 'you', '99999999999999999999']) {
    const response = await call('GET', `/api/public/user/${path}/profile/avatar`, { token })
    expect(response.status, path).toBe(400)
  }
})
