import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { identicon } from '../../src/avatars/identicon.ts'
import { DRAWN } from '../../src/avatars/url.ts'
import { aToken, aUser } from '../support/makers.ts'
import { sizeOf } from './pictures.ts'
import { avatarOf, download } from './uploads.ts'

const drawnFor = async (user: { id: number }) => {
  const response = await download(await avatarOf(user.id, await aToken(user)))
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

it('is a JPEG like any other, the same each time, and each user’s own', async () => {
  const [ada, bob] = [await aUser(), await aUser()]
  const picture = await drawnFor(ada)
  expect(await sizeOf(picture)).toBe('image/jpeg 512×512')
  expect(await drawnFor(ada)).toEqual(picture)
  expect(await drawnFor(bob)).not.toEqual(picture)
})

it('is converted when it is first asked for, and then kept', async () => {
  const user = await aUser()
  const url = await avatarOf(user.id, await aToken(user))
  const converted = vi.spyOn(env.IMAGES, 'input')
  await download(url)
  await download(url)
  expect(converted).toHaveBeenCalledTimes(1)
  converted.mockRestore()
})

it('is what its address stands for: other drawings want another DRAWN', async () => {
  const { palette, lines } = await identicon('user 1')
  const hash = createHash('sha256').update(JSON.stringify(palette))
  for (const line of lines) hash.update(line)
  expect(hash.digest('hex').slice(0, DRAWN.length)).toBe(DRAWN)
})
