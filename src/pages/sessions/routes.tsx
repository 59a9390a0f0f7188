/** Settings → Sessions: the browsers in which a user is signed in. */
import * as z from 'zod'
import { endOneSession, endOtherSessions, readSessions } from '../../auth/session.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { PostButton } from '../components/forms.tsx'
import { useRecentSignIn } from '../components/request.ts'
import { LastUsed, When } from '../components/values.tsx'
import { page, sent, shown } from '../page.tsx'
import { RecentSignIn } from '../settings.tsx'

const SessionId = z.object({ id: z.uuid() })

/** What the page says after a redirect. */
const notices = {
  'session-ended': 'The session is ended.',
  'sessions-ended': 'All other sessions are ended.',
}

export const sessionRoutes = new Endpoints()
  .get('/settings/sessions', shown.session({}), async (c) => {
    const { account, sessions } = await readSessions(c.var)
    const view = <Sessions sessions={sessions} currentId={c.var.caller.tokenId} />
    return page(c, { title: 'Sessions', section: 'sessions', notices, account }, view)
  })
  .post('/settings/sessions/:id/end', sent.session({ param: SessionId }), async (c, { param }) => {
    await endOneSession(c.var, param.id)
    return c.redirect('/settings/sessions?notice=session-ended', 303)
  })
  .post('/settings/sessions/end-others', sent.session({}), async (c) => {
    await endOtherSessions(c.var)
    return c.redirect('/settings/sessions?notice=sessions-ended', 303)
  })

type Session = Awaited<ReturnType<typeof readSessions>>['sessions'][number]

/** `currentId` is that of the session that shows the page. */
const Sessions = ({ sessions, currentId }: { sessions: readonly Session[]; currentId: string }) => (
  <>
    <h2>Sessions</h2>
    <p>The browsers in which you are signed in. End those that you do not know or no longer use.</p>
    <ul class="rows" aria-label="Your sessions">
      {sessions.map((session) => (
        <SessionItem session={session} isCurrent={session.id === currentId} />
      ))}
    </ul>
    {sessions.length > 1 && (
      <RecentSignIn toDo="end other sessions" path="/settings/sessions">
        <PostButton action="/settings/sessions/end-others" kind="normal">
          End all other sessions
        </PostButton>
      </RecentSignIn>
    )}
  </>
)

const SessionItem = ({ session, isCurrent }: { session: Session; isCurrent: boolean }) => {
  const { id, country, createdAt, lastUsedAt } = session
  const browser = session.browser ?? 'Unknown browser'
  const canEnd = useRecentSignIn() && !isCurrent
  return (
    <li class="row line">
      <div class="row-head">
        <h3>{browser}</h3>
        {isCurrent && <span class="badge strong">This browser</span>}
      </div>
      <p class="meta">
        <span>{country ? countryName(country) : 'Unknown country'}</span>
        <When what="Signed in" at={createdAt} />
        {isCurrent ? <span>Active now</span> : <LastUsed at={lastUsedAt ?? createdAt} />}
      </p>
      {canEnd && (
        <PostButton action={`/settings/sessions/${id}/end`}>
          End<span class="visually-hidden"> the session of {browser}</span>
        </PostButton>
      )}
    </li>
  )
}

/** Created at its first use, because that takes long. */
let countryNames: Intl.DisplayNames | undefined

function countryName(code: string): string {
  // Cloudflare's code for the Tor network, which has no country.
  if (code === 'T1') return 'Tor network'
  countryNames ??= new Intl.DisplayNames('en', { type: 'region' })
  return countryNames.of(code) ?? code
}
