import type { Child } from 'hono/jsx'
import * as z from 'zod'
import type { Account } from '../auth/session.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import { Icon, type IconName } from './components/icon.tsx'
import { currentIf } from './header.tsx'

type Section = 'profile' | 'addresses' | 'account' | 'sessions' | 'api-access' | 'webhooks'
type SettingsProps = {
  section: Section
  notice: Notice | undefined
  /** What stands in place of the notice, if it has a form. */
  undo?: Child
  children: Child
}

/** Messages of the previous page. A redirect passes the name in its query. */
const notices = {
  'profile-saved': 'Your names are saved.',
  'picture-saved': 'Your new picture is saved.',
  'address-added': 'The address is added.',
  'address-saved': 'The address is saved.',
  'address-restored': 'The address is back.',
  'default-changed': 'The default address is changed.',
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
  'webhook-created': 'The webhook is created. Your program needs its secret.',
  'webhook-saved': 'The webhook is saved.',
  'webhook-deleted': 'The webhook is deleted.',
  'webhook-rotated':
    'This is the new secret. For 24 hours, messages are signed with the old one as well.',
  'webhook-sent': 'The message is on its way. Reload the page to see the result.',
  'webhook-replayed': 'The messages are on their way. Reload the page to see the results.',
  'link-sent':
    'A link is on its way to this address. Open it in this browser. If none arrives, try again in 15 minutes.',
}
export type Notice = keyof typeof notices

/** An unknown name shows no message, because anyone can edit the URL. */
export const NoticeName = z
  .enum(Object.keys(notices) as [Notice, ...Notice[]])
  .optional()
  .catch(undefined)

const sections: [Section, name: string, icon: IconName][] = [
  ['profile', 'Profile', 'user'],
  ['addresses', 'Addresses', 'address'],
  ['account', 'Account', 'wallet'],
  ['sessions', 'Sessions', 'session'],
  ['api-access', 'API Access', 'key'],
  ['webhooks', 'Webhooks', 'webhook'],
]

/** A page of the settings, with links to the others. */
export const SettingsPage = ({ section, notice, undo, children }: SettingsProps) => (
  <div class="settings">
    <div class="side">
      <h1>Settings</h1>
      <nav aria-label="Settings">
        <ul>
          {sections.map(([path, name, icon]) => (
            <li>
              <a href={`/settings/${path}`} {...currentIf(path === section)}>
                <Icon name={icon} />
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
      {undo}
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
