/** Settings → Sessions: the browsers in which a user is signed in. */
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { endOneSession, endOtherSessions, readSessions } from '../../identity/sessions.ts'
import { page } from '../page.tsx'
import { Sessions } from './views.tsx'

export const sessionRoutes = new Endpoints()
  .get('/settings/sessions', { access: 'session', reads: 'nearest' }, async (c) => {
    const { account, sessions } = await readSessions(c.var)
    return page(c, {
      title: 'Sessions',
      account,
      children: <Sessions sessions={sessions} currentId={c.var.caller.tokenId} />,
    })
  })
  .post(
    '/settings/sessions/:id/end',
    { access: 'session', reads: 'primary', input: { param: z.object({ id: z.uuid() }) } },
    async (c, { param }) => {
      await endOneSession(c.var, param.id)
      return c.redirect('/settings/sessions?notice=session-ended', 303)
    },
  )
  .post('/settings/sessions/end-others', { access: 'session', reads: 'primary' }, async (c) => {
    await endOtherSessions(c.var)
    return c.redirect('/settings/sessions?notice=sessions-ended', 303)
  })
