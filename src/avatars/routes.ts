import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod/mini'
import { UserParam, userIdOf } from '../auth/user-param.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, publicEndpoint, requireToken, validate } from '../http/endpoint.ts'
import { avatarRateLimit } from '../http/rate-limit.ts'
import { avatarDepsOf } from './deps.ts'
import { fetchPicture } from './remote.ts'
import { readAvatar, replaceAvatar } from './replace.ts'
import { findPicture, pictureHeaders } from './serve.ts'
import { pictureFromBody, pictureFromForm } from './upload.ts'
import { avatarUrlOf } from './url.ts'

const AvatarSource = z
  .object({
    avatarUrl: z
      .string()
      .check(
        z.trim(),
        z.minLength(1),
        z.maxLength(2048),
        z.describe('URL of the picture to download.'),
      ),
  })
  .check(z.meta({ id: 'AvatarSource', description: 'Where the new avatar is.' }))
const PictureParam = z.object({
  user_id: z.string().check(z.meta({ description: 'Id of the user.', examples: ['3'] })),
  picture: z.string().check(z.describe('The last segment of an `avatarUrl`.')),
})

/** Stores the picture that `readPicture` returns as the avatar of the user in the path. */
async function updateAvatar(
  c: Context<AppWithCaller>,
  { user_id }: z.infer<typeof UserParam>,
  readPicture: () => Promise<Blob>,
) {
  const { caller, settings, now } = c.var
  const userId = userIdOf(caller, user_id)
  const user = await replaceAvatar(avatarDepsOf(c), caller, userId, readPicture, now)
  return c.json({ avatarUrl: avatarUrlOf(settings.PUBLIC_URL, user) })
}

export const avatarRoutes = new Hono<App>()
  .get(
    '/api/public/user/:user_id/profile/avatar',
    requireToken(),
    validate('param', UserParam),
    async (c) => {
      const { db, caller, settings } = c.var
      const user = await readAvatar(db, caller, userIdOf(caller, c.req.valid('param').user_id))
      return c.json({ avatarUrl: avatarUrlOf(settings.PUBLIC_URL, user) })
    },
  )
  .put(
    '/api/public/user/:user_id/profile/avatar',
    requireToken(),
    avatarRateLimit,
    validate('param', UserParam),
    validate('json', AvatarSource),
    (c) =>
      updateAvatar(c, c.req.valid('param'), () =>
        fetchPicture(c.req.valid('json').avatarUrl, {
          loopbackHosts: c.var.settings.LOOPBACK_HOSTS,
        }),
      ),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarFile',
    requireToken(),
    avatarRateLimit,
    validate('param', UserParam),
    (c) => updateAvatar(c, c.req.valid('param'), () => pictureFromForm(c.req.raw)),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarBytes',
    requireToken(),
    avatarRateLimit,
    validate('param', UserParam),
    (c) => updateAvatar(c, c.req.valid('param'), () => pictureFromBody(c.req.raw)),
  )
  .get(
    '/avatars/:user_id/:picture',
    publicEndpoint(),
    // A cache that gets a 304 updates the headers of its copy, so a 304 needs all of them.
    etag({ retainedHeaders: ['etag', 'x-request-id', ...Object.keys(pictureHeaders)] }),
    validate('param', PictureParam),
    async (c) => {
      const { user_id, picture } = c.req.valid('param')
      const found = await findPicture(c.env.AVATARS, c.env.ASSETS, `${user_id}/${picture}`)
      if (!found) return c.notFound()
      return c.body(found.body, 200, { ...pictureHeaders, etag: found.etag })
    },
  )
