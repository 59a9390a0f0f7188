import type { Child } from 'hono/jsx'
import * as z from 'zod'
import type { Account } from '../auth/session.ts'
import { ADMINISTRATOR } from '../db/schema.ts'

type Section = 'account' | 'sessions' | 'api-access'
type SettingsProps = { section: Section; notice: Notice | undefined; children: Child }

/** Messages of the previous page. A redirect passes the name in its query. */
const notices = {
  'token-revoked': 'The token is revoked. Programs that use it now get 401.',
  'wallet-linked': 'The wallet is linked.',
  'email-linked': 'The e-mail address is linked.',
  'wallet-unlinked':
    'The wallet is unlinked. Sessions that it started go on: end those that are not yours.',
  'email-unlinked':
    'The e-mail address is unlinked. Sessions that it started go on: end those that are not yours.',
  'session-ended': 'The session is ended.',
  'sessions-ended': 'All other sessions are ended.',
  'token-rolled': 'This is the new token. The old one works for 24 hours more.',
  'link-sent':
    'A link is on its way to this address. Open it in this browser. If none arrives, try again in 15 minutes.',
}
export type Notice = keyof typeof notices

/** An unknown name shows no message, because anyone can edit the URL. */
export const NoticeName = z
  .enum(Object.keys(notices) as [Notice, ...Notice[]])
  .optional()
  .catch(undefined)

const sections: [Section, string][] = [
  ['account', 'Account'],
  ['sessions', 'Sessions'],
  ['api-access', 'API Access'],
]

export const SettingsPage = ({ section, notice, children }: SettingsProps) => (
  <div class="settings">
    <div class="side">
      <h1>Settings</h1>
      <nav aria-label="Settings">
        <ul>
          {sections.map(([path, name]) => (
            <li>
              <a href={`/settings/${path}`} {...currentIf(path === section)}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
    <div class="content">
      {notice && (
        <p class="notice" role="status">
          {notices[notice]}
        </p>
      )}
      {children}
    </div>
  </div>
)

type SignInAgainProps = { toDo: string; path: string }

/** In place of a form that needs a recent sign-in, so that nobody fills it in for nothing. */
export const SignInAgain = ({ toDo, path }: SignInAgainProps) => (
  <>
    <p class="hint">You signed in more than 10 minutes ago. Sign in again to {toDo}.</p>
    <p class="actions">
      <a class="button" href={`/sign-in/again?redirect=${encodeURIComponent(path)}`}>
        Sign in again
      </a>
    </p>
  </>
)

type Tab = 'marketplace-api' | 'everyone'
type ApiAccessProps = Omit<SettingsProps, 'section'> & { account: Account; tab: Tab }

/** The section API Access with its tabs. Only administrators see the tab for all tokens. */
export const ApiAccess = ({ account, tab, notice, children }: ApiAccessProps) => (
  <SettingsPage section="api-access" notice={notice}>
    <h2>API Access</h2>
    <nav class="tabs" aria-label="API Access">
      <ul>
        <li>
          <a href="/settings/api-access" {...currentIf(tab === 'marketplace-api')}>
            Marketplace API
          </a>
        </li>
        {account.roleId === ADMINISTRATOR && (
          <li>
            <a href="/settings/api-access/everyone" {...currentIf(tab === 'everyone')}>
              Everyone’s tokens
            </a>
          </li>
        )}
      </ul>
    </nav>
    {children}
  </SettingsPage>
)

const currentIf = (current: boolean) => (current ? { 'aria-current': 'page' as const } : {})
