/** The avatar endpoints as a client uses them. */
import { call } from '../support/api.ts'

/** How a picture is sent; `to` is a user id or `me`. */
export type Upload = { token: string; to?: number | 'me'; type?: string }

export const uploadBytes = (picture: BodyInit, { token, to = 'me', type }: Upload) =>
  call('PUT', `/api/public/user/${to}/profile/updateAvatarBytes`, {
    token,
    body: picture,
    headers: type === undefined ? {} : { 'content-type': type },
  })

/** A form with one file in its part `avatar`. */
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

/** The `avatarUrl` of an answer that must be a 200. */
export async function urlIn(response: Response): Promise<string> {
  const body = await response.json<{ avatarUrl?: string }>()
  if (response.status !== 200 || !body.avatarUrl)
    throw new Error(`${response.status} ${JSON.stringify(body)}`)
  return body.avatarUrl
}

export const avatarOf = async (id: number | 'me', token: string) =>
  urlIn(await call('GET', `/api/public/user/${id}/profile/avatar`, { token }))

/** The picture behind an `avatarUrl`, as anyone gets it. */
export const download = (avatarUrl: string, headers: Record<string, string> = {}) =>
  call('GET', new URL(avatarUrl).pathname, { headers })

/** The bytes of the picture that an upload left. */
export async function stored(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const picture = await download(await urlIn(response))
  if (picture.status !== 200) throw new Error(`the picture is not there: ${picture.status}`)
  return new Uint8Array(await picture.arrayBuffer())
}
