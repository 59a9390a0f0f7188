import type { readSessions } from '../../identity/sessions.ts'
import { PostButton } from '../components/button.tsx'
import { useRecentSignIn } from '../components/request.ts'
import { LastUsed, When } from '../components/time.tsx'
import { RecentSignIn, SettingsPage } from '../settings.tsx'

type Session = Awaited<ReturnType<typeof readSessions>>['sessions'][number]

/** `currentId` is that of the session that shows the page. */
type SessionsProps = { sessions: readonly Session[]; currentId: string }

/** The devices on which a user is signed in. */
export const Sessions = ({ sessions, currentId }: SessionsProps) => (
  <SettingsPage section="sessions">
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
  </SettingsPage>
)

const SessionItem = ({ session, isCurrent }: { session: Session; isCurrent: boolean }) => {
  const canEnd = useRecentSignIn() && !isCurrent
  const browser = session.browser ?? 'Unknown browser'
  return (
    <li class="row line">
      <div class="row-head">
        <h3>{browser}</h3>
        {isCurrent && <span class="badge strong">This browser</span>}
      </div>
      <p class="meta">
        <span>{session.country ? countryName(session.country) : 'Unknown country'}</span>
        <When what="Signed in" at={session.createdAt} />
        <span>
          {isCurrent ? (
            'Active now'
          ) : (
            <>
              Used <LastUsed at={session.lastUsedAt ?? session.createdAt} />
            </>
          )}
        </span>
      </p>
      {canEnd && (
        <PostButton action={`/settings/sessions/${session.id}/end`}>
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
