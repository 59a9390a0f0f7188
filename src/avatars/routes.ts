import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/user-param.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, publicEndpoint, requireToken, validate } from '../http/endpoint.ts'
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

const userParam = validate('param', UserParam)

export const avatarRoutes = new Hono<App>()
  .get(
    '/api/public/user/:user_id/profile/avatar',
    requireToken('getAvatar'),
    userParam,
    async (c) => {
      const { caller, settings } = c.var
      const user = await readAvatar(c.var, resolveUserId(caller, c.req.valid('param').user_id))
      return c.json({ avatarUrl: avatarUrl(settings.PUBLIC_URL, user) })
    },
  )
  .put(
    '/api/public/user/:user_id/profile/avatar',
    requireToken('replaceAvatar'),
    avatarRateLimit,
    userParam,
    validate('json', AvatarSource),
    (c) =>
      updateAvatar(c, c.req.valid('param'), () =>
        fetchPicture(c.req.valid('json').avatarUrl, {
          field: 'avatarUrl',
          loopbackHosts: c.var.settings.LOOPBACK_HOSTS,
        }),
      ),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarFile',
    requireToken('uploadAvatarFile'),
    avatarRateLimit,
    userParam,
    (c) => updateAvatar(c, c.req.valid('param'), () => pictureFromForm(c)),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarBytes',
    requireToken('uploadAvatarBytes'),
    avatarRateLimit,
    userParam,
    (c) => updateAvatar(c, c.req.valid('param'), () => pictureFromBody(c)),
  )
  .get(
    '/avatars/:user_id/:picture',
    publicEndpoint('getPicture'),
    // A cache that gets a 304 updates the headers of its copy, so a 304 needs all of them.
    etag({ retainedHeaders: ['etag', ...Object.keys(pictureHeaders)] }),
    validate('param', PictureParam),
    async (c) => {
      const { user_id, picture } = c.req.valid('param')
      const found = await findPicture(c.env.AVATARS, c.env.ASSETS, `${user_id}/${picture}`)
      if (!found) return c.notFound()
      return c.body(found.body, 200, { ...pictureHeaders, etag: found.etag })
    },
  )
