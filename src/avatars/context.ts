import type { Context } from 'hono'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import type { AppWithCaller } from '../http/endpoint.ts'

/** What changing an avatar needs of a request. */
export type AvatarCtx = Ctx & {
  settings: Pick<Settings, 'MAX_PICTURES_PER_DAY'>
  bucket: R2Bucket
  images: ImagesBinding
  /** Keeps the Worker alive after the response until the work is done. */
  waitUntil: (work: Promise<unknown>) => void
}

/** Returns the context of a request for `replaceAvatar` and `storeAvatar`. */
export const avatarContext = (c: Context<AppWithCaller>): AvatarCtx => ({
  ...c.var,
  bucket: c.env.AVATARS,
  images: c.env.IMAGES,
  waitUntil: (work) => c.executionCtx.waitUntil(work),
})
