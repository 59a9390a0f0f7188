import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { ADMINISTRATOR } from '../db/schema.ts'
import type { Account } from '../identity/session.ts'

type Section = 'account' | 'api-access'
type Settings = { section: Section; notice: Notice | undefined; children: Child }

/** What the page before has to say; a redirect carries its name. */
const notices = {
  'token-revoked': 'The token is revoked: programs that use it get 401 from now on.',
  'wallet-linked': 'The wallet is linked.',
  'email-linked': 'The e-mail address is linked.',
  'link-sent': 'If the address takes mail, a link is on its way. Open it in this browser.',
}
export type Notice = keyof typeof notices

/** Comes from the address bar: a name that is none of ours says nothing. */
export const NoticeName = z
  .enum(Object.keys(notices) as [Notice, ...Notice[]])
  .optional()
  .catch(undefined)

const sections: [Section, string][] = [
  ['account', 'Account'],
  ['api-access', 'API Access'],
]

export const Settings = ({ section, notice, children }: Settings) => (
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

type Tab = 'marketplace-api' | 'everyone'
type ApiAccess = Omit<Settings, 'section'> & { account: Account; tab: Tab }

/** Section API Access with its tabs; that of everyone's tokens is for administrators. */
export const ApiAccess = ({ account, tab, notice, children }: ApiAccess) => (
  <Settings section="api-access" notice={notice}>
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
  </Settings>
)

const currentIf = (current: boolean) => (current ? { 'aria-current': 'page' as const } : {})
