import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../context.ts'
import { anyone, doorsOf } from '../door.ts'
import { documentOf } from './document.ts'

/** The endpoint that serves the document, made at the first request. */
export function openapi(app: Pick<Hono<App>, 'routes'>) {
  let document: ReturnType<typeof documentOf> | undefined
  return new Hono<App>().get(
    '/openapi.json',
    anyone({
      tag: 'Documentation',
      summary: 'This document',
      answer: () => z.looseObject({ openapi: z.literal('3.1.0') }),
    }),
    (c) => {
      document ??= documentOf(doorsOf(app), c.var.settings.PUBLIC_URL)
      return c.json(document, 200, { 'Cache-Control': 'public, max-age=60' })
    },
  )
}
