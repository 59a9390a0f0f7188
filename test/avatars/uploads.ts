/** Calls the avatar endpoints. */
import { call } from '../support/api.ts'
import { aToken, aUser } from '../support/makers.ts'
import { aPng } from './pictures.ts'

/** Returns the token of a new user. */
export const aCaller = async () => ({ token: await aToken(await aUser()) })

/** `to` is a user id or `me`; `type` is the media type of the picture. */
type Upload = { token: string; to?: number | 'me'; type?: string }

export const uploadBytes = (picture: BodyInit, { token, to = 'me', type }: Upload) =>
  call('PUT', `/api/public/user/${to}/profile/updateAvatarBytes`, {
    token,
    body: picture,
    headers: type === undefined ? {} : { 'content-type': type },
  })

/** A form with one file, in the part `avatar`. */
export function aForm(picture: Uint8Array<ArrayBuffer>, name = 'picture.jpg', type = 'image/jpeg') {
  const form = new FormData()
  form.append('avatar', new File([picture], name, { type }))
  return form
}

export function uploadForm(
  picture: Uint8Array<ArrayBuffer>,
  { token, to = 'me', type }: Upload,
  name?: string,
) {
  const body = aForm(picture, name, type)
  return call('PUT', `/api/public/user/${to}/profile/updateAvatarFile`, { token, body })
}

export const uploadUrl = (avatarUrl: unknown, { token, to = 'me' }: Upload) =>
  call('PUT', `/api/public/user/${to}/profile/avatar`, { token, json: { avatarUrl } })

/** Returns the `avatarUrl` of a response. Throws unless the status is 200. */
export async function avatarUrlIn(response: Response): Promise<string> {
  const body = await response.json<{ avatarUrl?: string }>()
  if (response.status !== 200 || !body.avatarUrl)
    throw new Error(`${response.status} ${JSON.stringify(body)}`)
  return body.avatarUrl
}

export const getAvatarUrl = async (user: number | 'me', token: string) =>
  avatarUrlIn(await call('GET', `/api/public/user/${user}/profile/avatar`, { token }))

/** Returns the key in R2 of the picture at an `avatarUrl`. */
export const keyIn = (avatarUrl: string) => new URL(avatarUrl).pathname.replace('/avatars/', '')

/** Gets the picture at an `avatarUrl`, without a token. */
export const download = (avatarUrl: string, headers: Record<string, string> = {}) =>
  call('GET', new URL(avatarUrl).pathname, { headers })

/** A user who has uploaded two pictures, and their URLs. */
export async function twoPictures() {
  const user = await aUser()
  const token = await aToken(user)
  const upload = async (...colour: [number, number, number]) =>
    avatarUrlIn(await uploadBytes(aPng({ colour }), { token }))
  return { user, token, first: await upload(250, 0, 0), second: await upload(0, 250, 0) }
}

/** Returns the bytes of the picture that an upload stored. */
export async function storedPicture(upload: Response): Promise<Uint8Array<ArrayBuffer>> {
  const response = await download(await avatarUrlIn(upload))
  if (response.status !== 200) throw new Error(`the download answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
