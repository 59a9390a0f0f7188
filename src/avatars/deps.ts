import type { Context } from 'hono'
import type { App } from '../http/context.ts'
import type { AvatarDeps } from './replace.ts'

/** What replacing an avatar needs, from the context of a request. */
export const avatarDepsOf = <E extends App>(c: Context<E>): AvatarDeps => ({
  db: c.var.db,
  bucket: c.env.AVATARS,
  images: c.env.IMAGES,
  waitUntil: (work) => c.executionCtx.waitUntil(work),
})
