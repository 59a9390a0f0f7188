import type { readSessions } from '../../identity/sessions.ts'
import { LastUsed, Time } from '../components/time.tsx'
import { type Notice, SettingsPage, SignInAgain } from '../settings.tsx'

type SessionsProps = Awaited<ReturnType<typeof readSessions>> & {
  /** Id of the session that shows the page. */
  currentId: string
  notice: Notice | undefined
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  now: Date
}

/** The devices on which a user is signed in. */
export const Sessions = ({ sessions, currentId, notice, canChange, now }: SessionsProps) => (
  <SettingsPage section="sessions" notice={notice}>
    <h2>Sessions</h2>
    <p>The browsers in which you are signed in. End those that you do not know or no longer use.</p>
    <ul class="rows" aria-label="Your sessions">
      {sessions.map((session) => (
        <SessionItem
          session={session}
          now={now}
          isCurrent={session.id === currentId}
          canEnd={canChange && session.id !== currentId}
        />
      ))}
    </ul>
    {sessions.length > 1 && !canChange && (
      <section class="panel">
        <SignInAgain toDo="end other sessions" path="/settings/sessions" />
      </section>
    )}
    {sessions.length > 1 && canChange && (
      <form method="post" action="/settings/sessions/end-others">
        <button class="button" type="submit">
          End all other sessions
        </button>
      </form>
    )}
  </SettingsPage>
)

type SessionItemProps = {
  session: SessionsProps['sessions'][number]
  now: Date
  isCurrent: boolean
  canEnd: boolean
}

const SessionItem = ({ session, now, isCurrent, canEnd }: SessionItemProps) => {
  const browser = session.browser ?? 'Unknown browser'
  return (
    <li class="row line">
      <div class="row-head">
        <h3>{browser}</h3>
        {isCurrent && <span class="badge strong">This browser</span>}
      </div>
      <p class="meta">
        <span>{session.country ? countryName(session.country) : 'Unknown country'}</span>
        <span>
          Signed in <Time at={session.createdAt} now={now} />
        </span>
        <span>
          {isCurrent ? (
            'Active now'
          ) : (
            <>
              Used <LastUsed at={session.lastUsedAt ?? session.createdAt} now={now} />
            </>
          )}
        </span>
      </p>
      {canEnd && (
        <form method="post" action={`/settings/sessions/${session.id}/end`} class="actions">
          <button class="button small" type="submit">
            End<span class="visually-hidden"> the session of {browser}</span>
          </button>
        </form>
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
