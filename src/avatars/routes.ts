import type { Context } from 'hono'
import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/access.ts'
import { MAX_REDIRECTS, TIMEOUT } from '../http/download.ts'
import { type AppWithCaller, Endpoints } from '../http/endpoint.ts'
import { model } from '../http/fields.ts'
import { cacheControl } from '../http/headers.ts'
import { writtenText } from '../http/inputs.ts'
import { avatarRateLimit } from '../http/rate-limit.ts'
import { describeLimit, peopleLimits } from '../limits.ts'
import { DAY, SECOND } from '../time.ts'
import { MAX_EDGE } from './picture.ts'
import { avatarContext, readAvatar, replaceAvatar } from './replace.ts'
import { avatarUrl, findPicture, pictureAnswer, pictureHeaders } from './serve.ts'
import { fetchPicture, pictureFromBody, pictureFromForm } from './source.ts'

const AvatarSource = z
  .object({
    avatarUrl: writtenText(2048, 1).describe('URL of the picture to download.'),
  })
  .meta({ id: 'AvatarSource', description: 'Where the new avatar is.' })
const AvatarForm = model('AvatarForm', 'A form with the new avatar.', () => ({
  avatar: z.file().describe('The picture.'),
}))
const PictureParam = z.object({
  user_id: z.string().meta({ description: 'Id of the user.', examples: ['3'] }),
  picture: z.string().describe('The last segment of an `avatarUrl`.'),
})

const Avatar = model('Avatar', 'Where the avatar is.', () => ({
  avatarUrl: z.url().describe('URL of the avatar. Users without an avatar have a default picture.'),
}))

/** What the endpoints that change an avatar have in common. */
const changesAvatar = {
  access: 'token',
  reads: 'primary',
  checks: [avatarRateLimit],
  answer: Avatar,
  errors: ['not_found', 'payload_too_large', 'unsupported_media_type'],
} as const
const storedDescription =
  'The picture is a JPEG, PNG, GIF or WebP file. AVIF and HEIC are converted if the plan of the ' +
  `instance includes them. It has at most ${describeLimit(peopleLimits.picture)} and ${peopleLimits.pixels.max / 1e6} megapixels. ` +
  `It is stored as a JPEG of at most ${MAX_EDGE} × ${MAX_EDGE} pixels without metadata, and ` +
  'replaces the previous avatar.'

/** Stores the picture that `readPicture` returns as the avatar of the user in the path. */
async function updateAvatar(
  c: Context<AppWithCaller>,
  { user_id }: z.infer<typeof UserParam>,
  readPicture: () => Promise<Blob>,
) {
  const userId = resolveUserId(c.var.caller, user_id)
  const user = await replaceAvatar(avatarContext(c), { userId, readPicture })
  return { avatarUrl: avatarUrl(c.var.settings.PUBLIC_URL, user) }
}

export const avatarRoutes = new Endpoints({ tag: 'Avatars' })
  .get(
    '/api/public/user/:user_id/profile/avatar',
    {
      id: 'getAvatar',
      summary: "Get the URL of a user's avatar",
      description: 'Any token may read the avatar of any user.',
      access: 'token',
      reads: 'nearest',
      input: { param: UserParam },
      answer: Avatar,
      errors: ['not_found'],
    },
    async (c, { param }) => {
      const { caller, settings } = c.var
      const user = await readAvatar(c.var, resolveUserId(caller, param.user_id))
      return { avatarUrl: avatarUrl(settings.PUBLIC_URL, user) }
    },
  )
  .put(
    '/api/public/user/:user_id/profile/avatar',
    {
      id: 'replaceAvatar',
      summary: "Replace a user's avatar with the picture at a URL",
      description:
        'The URL is http or https, and points to a public host. The download follows up to ' +
        `${MAX_REDIRECTS} redirects and takes at most ${TIMEOUT / 1000} seconds. ${storedDescription}`,
      ...changesAvatar,
      input: { param: UserParam, json: AvatarSource },
    },
    (c, { param, json }) => {
      const source = { field: 'avatarUrl', loopbackHosts: c.var.settings.LOOPBACK_HOSTS }
      return updateAvatar(c, param, () => fetchPicture(json.avatarUrl, source))
    },
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarFile',
    {
      id: 'uploadAvatarFile',
      summary: "Replace a user's avatar with a file in a form",
      description: storedDescription,
      ...changesAvatar,
      input: { param: UserParam },
      body: { type: 'multipart/form-data', schema: AvatarForm },
    },
    (c, { param }) => updateAvatar(c, param, () => pictureFromForm(c)),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarBytes',
    {
      id: 'uploadAvatarBytes',
      summary: "Replace a user's avatar with the bytes of the body",
      description: `The bytes decide, whatever \`Content-Type\` says. ${storedDescription}`,
      ...changesAvatar,
      input: { param: UserParam },
      body: { type: 'application/octet-stream', schema: z.file().describe('The picture.') },
    },
    (c, { param }) => updateAvatar(c, param, () => pictureFromBody(c)),
  )
  .get(
    '/avatars/:user_id/:picture',
    {
      id: 'getPicture',
      summary: 'Get a picture',
      description: 'Serves the picture at an `avatarUrl`. The picture at a URL never changes.',
      access: 'public',
      reads: 'nearest',
      input: { param: PictureParam },
      cache: `${cacheControl((365 * DAY) / SECOND)}, immutable`,
      ...pictureAnswer,
    },
    async (c, { param: { user_id, picture } }) => {
      const found = await findPicture(c.env.AVATARS, c.env.ASSETS, `${user_id}/${picture}`)
      if (!found) return c.notFound()
      return c.body(found.body, 200, { ...pictureHeaders, etag: found.etag })
    },
  )
