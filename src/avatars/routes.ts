import type { Context } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/user-param.ts'
import { type AppWithCaller, Endpoints } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { writtenText } from '../http/inputs.ts'
import { avatarRateLimit } from '../http/rate-limit.ts'
import { avatarContext } from './context.ts'
import { fetchPicture } from './remote.ts'
import { readAvatar, replaceAvatar } from './replace.ts'
import { findPicture, pictureHeaders } from './serve.ts'
import { pictureFromBody, pictureFromForm } from './upload.ts'
import { avatarUrl } from './url.ts'

const AvatarSource = z
  .object({
    avatarUrl: writtenText(2048, 1).describe(docs('URL of the picture to download.')),
  })
  .meta({ id: 'AvatarSource', description: docs('Where the new avatar is.') })
const PictureParam = z.object({
  user_id: z.string().meta({ description: docs('Id of the user.'), examples: ['3'] }),
  picture: z.string().describe(docs('The last segment of an `avatarUrl`.')),
})
/** Stores the picture that `readPicture` returns as the avatar of the user in the path. */
async function updateAvatar(
  c: Context<AppWithCaller>,
  { user_id }: z.infer<typeof UserParam>,
  readPicture: () => Promise<Blob>,
) {
  const userId = resolveUserId(c.var.caller, user_id)
  const user = await replaceAvatar(avatarContext(c), { userId, readPicture })
  return c.json({ avatarUrl: avatarUrl(c.var.settings.PUBLIC_URL, user) })
}

export const avatarRoutes = new Endpoints()
  .get(
    '/api/public/user/:user_id/profile/avatar',
    { id: 'getAvatar', access: 'token', reads: 'nearest', input: { param: UserParam } },
    async (c, { param }) => {
      const { caller, settings } = c.var
      const user = await readAvatar(c.var, resolveUserId(caller, param.user_id))
      return c.json({ avatarUrl: avatarUrl(settings.PUBLIC_URL, user) })
    },
  )
  .put(
    '/api/public/user/:user_id/profile/avatar',
    {
      id: 'replaceAvatar',
      access: 'token',
      reads: 'primary',
      checks: [avatarRateLimit],
      input: { param: UserParam, json: AvatarSource },
    },
    (c, { param, json }) =>
      updateAvatar(c, param, () =>
        fetchPicture(json.avatarUrl, {
          field: 'avatarUrl',
          loopbackHosts: c.var.settings.LOOPBACK_HOSTS,
        }),
      ),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarFile',
    {
      id: 'uploadAvatarFile',
      access: 'token',
      reads: 'primary',
      checks: [avatarRateLimit],
      input: { param: UserParam },
    },
    (c, { param }) => updateAvatar(c, param, () => pictureFromForm(c)),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarBytes',
    {
      id: 'uploadAvatarBytes',
      access: 'token',
      reads: 'primary',
      checks: [avatarRateLimit],
      input: { param: UserParam },
    },
    (c, { param }) => updateAvatar(c, param, () => pictureFromBody(c)),
  )
  .get(
    '/avatars/:user_id/:picture',
    {
      id: 'getPicture',
      access: 'public',
      reads: 'nearest',
      input: { param: PictureParam },
      // A cache that gets a 304 updates the headers of its copy, so a 304 needs all of them.
      middleware: [etag({ retainedHeaders: ['etag', ...Object.keys(pictureHeaders)] })],
    },
    async (c, { param: { user_id, picture } }) => {
      const found = await findPicture(c.env.AVATARS, c.env.ASSETS, `${user_id}/${picture}`)
      if (!found) return c.notFound()
      return c.body(found.body, 200, { ...pictureHeaders, etag: found.etag })
    },
  )
