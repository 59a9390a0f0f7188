import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/user-param.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, publicEndpoint, requireToken, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { inputText } from '../http/inputs.ts'
import { describeOperations } from '../http/openapi.ts'
import { avatarRateLimit } from '../http/rate-limit.ts'
import { avatarContext } from './context.ts'
import { MAX_BYTES } from './limits.ts'
import { MAX_EDGE, MAX_PIXELS } from './picture.ts'
import { fetchPicture, MAX_REDIRECTS, TIMEOUT } from './remote.ts'
import { readAvatar, replaceAvatar } from './replace.ts'
import { findPicture, pictureHeaders } from './serve.ts'
import { pictureFromBody, pictureFromForm } from './upload.ts'
import { avatarUrl } from './url.ts'

const AvatarSource = z
  .object({
    avatarUrl: inputText(2048).trim().min(1).describe(docs('URL of the picture to download.')),
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

/* @__PURE__ */ describeOperations('Avatars', () => {
  const Avatar = z
    .object({
      avatarUrl: z
        .url()
        .describe('URL of the avatar. Users without an avatar have a default picture.'),
    })
    .meta({ id: 'Avatar', description: 'Where the avatar is.' })

  const replacing = {
    answer: Avatar,
    errors: ['forbidden', 'not_found', 'payload_too_large', 'unsupported_media_type'],
  } as const
  const storedDescription =
    'The picture is a JPEG, PNG, GIF or WebP file. AVIF and HEIC are converted if the plan of the ' +
    `instance includes them. It has at most ${MAX_BYTES / 1024 / 1024} MiB and ${MAX_PIXELS / 1e6} megapixels. ` +
    `It is stored as a JPEG of at most ${MAX_EDGE} × ${MAX_EDGE} pixels without metadata, and ` +
    'replaces the previous avatar.'
  return {
    getAvatar: {
      summary: "Get the URL of a user's avatar",
      description: 'Any token may read the avatar of any user.',
      answer: Avatar,
      errors: ['not_found'],
    },
    replaceAvatar: {
      ...replacing,
      summary: "Replace a user's avatar with the picture at a URL",
      description:
        'The URL is http or https, and points to a public host. The download ' +
        `follows up to ${MAX_REDIRECTS} redirects and takes at most ${TIMEOUT / 1000} seconds. ${storedDescription}`,
    },
    uploadAvatarFile: {
      ...replacing,
      summary: "Replace a user's avatar with a file in a form",
      description: storedDescription,
      body: {
        type: 'multipart/form-data',
        schema: z
          .object({ avatar: z.file().describe('The picture.') })
          .meta({ id: 'AvatarForm', description: 'A form with the new avatar.' }),
      },
    },
    uploadAvatarBytes: {
      ...replacing,
      summary: "Replace a user's avatar with the bytes of the body",
      description: `The bytes decide, whatever \`Content-Type\` says. ${storedDescription}`,
      body: { type: 'application/octet-stream', schema: z.file().describe('The picture.') },
    },
    getPicture: {
      summary: 'Get a picture',
      description: 'Serves the picture at an `avatarUrl`. The picture at a URL never changes.',
      answer: z.file().mime('image/jpeg').describe('The picture.'),
      headers: {
        ETag: 'Identifies the picture, for `If-None-Match`.',
        'Cache-Control': 'For how long caches may keep the response.',
      },
      bodiless: { 304: 'The picture has the ETag that `If-None-Match` names.' },
      errors: ['not_found'],
    },
  }
})
