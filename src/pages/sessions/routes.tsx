/** Settings → Sessions: the browsers in which a user is signed in. */
import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { requireSession, validate } from '../../http/endpoint.ts'
import { endOneSession, endOtherSessions, readSessions } from '../../identity/sessions.ts'
import { page } from '../page.tsx'
import { Sessions } from './views.tsx'

export const sessionRoutes = new Hono<App>()
  .get('/settings/sessions', requireSession(), async (c) => {
    const { account, sessions } = await readSessions(c.var)
    return page(c, {
      title: 'Sessions',
      account,
      children: <Sessions sessions={sessions} currentId={c.var.caller.tokenId} />,
    })
  })
  .post(
    '/settings/sessions/:id/end',
    requireSession(),
    validate('param', z.object({ id: z.uuid() })),
    async (c) => {
      await endOneSession(c.var, c.req.valid('param').id)
      return c.redirect('/settings/sessions?notice=session-ended', 303)
    },
  )
  .post('/settings/sessions/end-others', requireSession(), async (c) => {
    await endOtherSessions(c.var)
    return c.redirect('/settings/sessions?notice=sessions-ended', 303)
  })
