/** Settings → Sessions: the browsers in which a user is signed in. */
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { isRecent } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { requireSession, validate } from '../../http/endpoint.ts'
import { endOneSession, endOtherSessions, readSessions } from '../../identity/sessions.ts'
import { page } from '../page.tsx'
import { NoticeName } from '../settings.tsx'
import { Sessions } from './views.tsx'

export const sessionRoutes = new Hono<App>()
  .get(
    '/settings/sessions',
    requireSession(),
    validate('query', z.object({ notice: NoticeName })),
    async (c) => {
      const { db, caller, now } = c.var
      const own = await readSessions(db, caller, now)
      return page(c, {
        title: 'Sessions',
        account: own.account,
        children: (
          <Sessions
            {...own}
            currentId={caller.tokenId}
            canChange={isRecent(own.account, now)}
            now={now}
            notice={c.req.valid('query').notice}
          />
        ),
      })
    },
  )
  .post(
    '/settings/sessions/:id/end',
    requireSession(),
    validate('param', z.object({ id: z.uuid() })),
    async (c) => {
      const { db, caller, now } = c.var
      await endOneSession(db, caller, c.req.valid('param').id, now)
      return c.redirect('/settings/sessions?notice=session-ended', 303)
    },
  )
  .post('/settings/sessions/end-others', requireSession(), async (c) => {
    const { db, caller, now } = c.var
    await endOtherSessions(db, caller, now)
    return c.redirect('/settings/sessions?notice=sessions-ended', 303)
  })
