/** Avatars. Contract, "Avatar"; decisions, "Avatars". */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { connect, type Database } from '../db/client.ts'
import type { App, Caller } from '../http/context.ts'
import { anyone, callers, valid } from '../http/door.ts'
import { subjectOf, UserParam } from '../identity/subject.ts'
import { readAvatar } from './read.ts'
import { fetchPicture } from './remote.ts'
import { replaceAvatar } from './replace.ts'
import { avatarAt } from './store.ts'
import { pictureInBody, pictureInForm } from './upload.ts'
import { avatarUrlOf } from './url.ts'

const Avatar = z.object({ avatarUrl: z.url() })
const AvatarBody = z.object({ avatarUrl: z.string().trim().min(1).max(2048) })
const PictureParam = z.object({
  user_id: z.string().meta({ description: 'Whose picture.', examples: ['3'] }),
  picture: z.string().describe('The last part of an `avatarUrl`.'),
})

const tag = 'Avatars'
const errors = ['forbidden', 'not_found', 'payload_too_large', 'unsupported_media_type'] as const

const studioOf = (c: Pick<Context<App>, 'env' | 'executionCtx'>, db: Database) => ({
  db,
  bucket: c.env.AVATARS,
  images: c.env.IMAGES,
  later: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
})

type Called = Context<App & { Variables: { caller: Caller } }>

/** Replaces the picture of the user whom the path names by the one that `read` brings. */
async function replaced(
  c: Called,
  { user_id }: z.infer<typeof UserParam>,
  read: () => Promise<Blob>,
) {
  const { db, caller, settings, now } = c.var
  const subject = subjectOf(caller, user_id)
  const user = await replaceAvatar(studioOf(c, db), caller, subject, read, now)
  return c.json({ avatarUrl: avatarUrlOf(settings.PUBLIC_URL, user) })
}

export const avatars = new Hono<App>()
  .get(
    '/api/public/user/:user_id/profile/avatar',
    callers({
      tag,
      summary: 'The address of a user’s picture',
      answer: () => Avatar,
      errors: ['not_found'],
    }),
    valid('param', UserParam),
    async (c) => {
      const { db, caller, settings } = c.var
      const user = await readAvatar(db, caller, subjectOf(caller, c.req.valid('param').user_id))
      return c.json({ avatarUrl: avatarUrlOf(settings.PUBLIC_URL, user) })
    },
  )
  .put(
    '/api/public/user/:user_id/profile/avatar',
    callers({
      tag,
      summary: 'Replace a user’s picture by the one at a URL',
      answer: () => Avatar,
      errors,
    }),
    valid('param', UserParam),
    valid('json', AvatarBody),
    (c) =>
      replaced(c, c.req.valid('param'), () =>
        fetchPicture(c.req.valid('json').avatarUrl, {
          loopbackHosts: c.var.settings.AVATAR_LOOPBACK_HOSTS,
        }),
      ),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarFile',
    callers({
      tag,
      summary: 'Replace a user’s picture by the part `avatar` of a form',
      answer: () => Avatar,
      body: { type: 'multipart/form-data', schema: z.object({ avatar: z.file() }) },
      errors,
    }),
    valid('param', UserParam),
    (c) => replaced(c, c.req.valid('param'), () => pictureInForm(c.req.raw)),
  )
  .put(
    '/api/public/user/:user_id/profile/updateAvatarBytes',
    callers({
      tag,
      summary: 'Replace a user’s picture by the bytes of the body',
      answer: () => Avatar,
      body: { type: 'application/octet-stream', schema: z.file() },
      errors,
    }),
    valid('param', UserParam),
    (c) => replaced(c, c.req.valid('param'), () => pictureInBody(c.req.raw)),
  )
  .get(
    '/avatars/:user_id/:picture',
    anyone({
      tag,
      summary: 'A picture, as `avatarUrl` tells its address',
      description: 'Conditional requests and single ranges are answered as RFC 9110 says.',
      answer: () => z.file().mime('image/jpeg'),
      headers: { ETag: 'Names this picture', 'Cache-Control': 'It never changes' },
      ranges: true,
      bodiless: { 304: 'The picture is the one that `If-None-Match` names' },
      errors: ['not_found', 'precondition_failed', 'range_not_satisfiable'],
    }),
    valid('param', PictureParam),
    async (c) => {
      const { user_id, picture } = c.req.valid('param')
      // A replica may not know a new user yet; the address of their picture must work at once.
      const studio = studioOf(c, connect(c.env.DB))
      const key = `${user_id}/${picture}`
      const found = await avatarAt(studio, key, c.req.raw.headers)
      return found ? c.newResponse(found.body, found) : c.notFound()
    },
  )
