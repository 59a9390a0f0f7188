/** Settings → Sessions: the browsers in which a user is signed in. */
import * as z from 'zod'
import { endOneSession, endOtherSessions, readSessions } from '../../auth/session.ts'
import { Endpoints } from '../../http/endpoint.ts'
import type { Texts } from '../../texts/en.ts'
import { textLanguage } from '../../texts/texts.ts'
import { PostButton } from '../components/forms.tsx'
import { usePage, useRecentSignIn } from '../components/request.ts'
import { LastUsed, When } from '../components/values.tsx'
import { page, sent, shown } from '../page.tsx'
import { RecentSignIn } from '../settings.tsx'

const SessionId = z.object({ id: z.uuid() })

/** What the page says after a redirect. */
const notices = ({ sessions }: Texts) => sessions.notices

export const sessionRoutes = new Endpoints({ isTranslated: true })
  .get('/settings/sessions', shown.session({}), async (c) => {
    const { account, sessions } = await readSessions(c.var)
    const view = <Sessions sessions={sessions} currentId={c.var.caller.tokenId} />
    const title = ({ settings }: Texts) => settings.sessions
    return page(c, { title, section: 'sessions', notices, account }, view)
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
const Sessions = ({ sessions, currentId }: { sessions: readonly Session[]; currentId: string }) => {
  const { settings, sessions: texts } = usePage().texts
  return (
    <>
      <h2>{settings.sessions}</h2>
      <p>{texts.lead}</p>
      <ul class="rows" aria-label={texts.yours}>
        {sessions.map((session) => (
          <SessionItem session={session} isCurrent={session.id === currentId} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <RecentSignIn toDo={texts.toEndOthers} path="/settings/sessions">
          <PostButton action="/settings/sessions/end-others" kind="normal">
            {texts.endOthers}
          </PostButton>
        </RecentSignIn>
      )}
    </>
  )
}

const SessionItem = ({ session, isCurrent }: { session: Session; isCurrent: boolean }) => {
  const { id, country, createdAt, lastUsedAt } = session
  const texts = usePage().texts.sessions
  const browser = session.browser ?? texts.unknownBrowser
  const canEnd = useRecentSignIn() && !isCurrent
  return (
    <li class="row line">
      <div class="row-head">
        <h3>{browser}</h3>
        {isCurrent && <span class="badge strong">{texts.thisBrowser}</span>}
      </div>
      <p class="meta">
        <span>{country ? countryName(country) : texts.unknownCountry}</span>
        <When what={texts.signedIn} at={createdAt} />
        {isCurrent ? <span>{texts.activeNow}</span> : <LastUsed at={lastUsedAt ?? createdAt} />}
      </p>
      {canEnd && (
        <PostButton action={`/settings/sessions/${id}/end`}>
          {texts.end}
          <span class="visually-hidden">{texts.endOf(browser)}</span>
        </PostButton>
      )}
    </li>
  )
}

/** By language. Each is created at its first use, because that takes long. */
const countryNames = new Map<string, Intl.DisplayNames>()

function countryName(code: string): string {
  const { locale, texts } = usePage()
  // Cloudflare's code for the Tor network, which has no country.
  if (code === 'T1') return texts.sessions.tor
  const language = textLanguage(locale)
  const names = countryNames.get(language) ?? new Intl.DisplayNames(language, { type: 'region' })
  countryNames.set(language, names)
  return names.of(code) ?? code
}
