import type { Child } from 'hono/jsx'
import type { Texts } from '../texts/en.ts'
import { LinkButton, Notice } from './components/forms.tsx'
import { Menu, type MenuLink } from './components/lists.tsx'
import { usePage, useRecentSignIn } from './components/request.ts'

const settingsSections = [
  ['profile', 'user'],
  ['addresses', 'address'],
  ['account', 'wallet'],
  ['selling', 'selling'],
  ['sessions', 'session'],
  ['api-access', 'key'],
  ['webhooks', 'webhook'],
] as const
export type SettingsSection = (typeof settingsSections)[number][0]

export const settingsLinks = ({ settings }: Texts): MenuLink[] =>
  settingsSections.map(([section, icon]) => [`/settings/${section}`, settings[section], icon])

/** Messages of the previous page. A redirect passes the name in its query. */
const notices = {
  'profile-saved': 'Your names are saved.',
  'picture-saved': 'Your new picture is saved.',
  'address-added': 'The address is added.',
  'address-saved': 'The address is saved.',
  'address-restored': 'The address is back.',
  'default-changed': 'The default address is changed.',
  'token-revoked': 'The token is revoked. Programs that use it now get 401.',
  'sold-retried': 'The contract is allowed. What waited for it is tried now.',
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
  dismissed: 'You are no administrator any more.',
}
export type NoticeName = keyof typeof notices | keyof Texts['account']['notices']

/** An unknown notice shows no message, because anyone can edit the URL. */
export const SettingsPage = (props: { section: SettingsSection; children: Child }) => {
  const { notice = '', texts } = usePage()
  const { title } = texts.settings
  const all: Record<NoticeName, string> = { ...notices, ...texts.account.notices }
  return (
    <div class="settings">
      <div class="side">
        <h1>{title}</h1>
        <Menu label={title} links={settingsLinks(texts)} current={`/settings/${props.section}`} />
      </div>
      <div class="content">
        {Object.hasOwn(all, notice) && <Notice>{all[notice as NoticeName]}</Notice>}
        {props.children}
      </div>
    </div>
  )
}

type RecentSignInProps = {
  /** The end of "Sign in again to …", in the language of the page. */
  toDo: string
  path: string
  /** Whether a panel is around the form. */
  isInPanel?: boolean
  children?: Child
}

/** Shows a form only after a recent sign-in, so that nobody fills it in for nothing. */
export const RecentSignIn = ({ toDo, path, isInPanel, children }: RecentSignInProps) => {
  const { settings, signIn } = usePage().texts
  if (useRecentSignIn()) return <>{children}</>
  const signInAgain = (
    <>
      <p class="hint">{settings.tooOld(toDo)}</p>
      <p class="actions">
        <LinkButton href={`/sign-in/again?redirect=${encodeURIComponent(path)}`}>
          {signIn.again.title}
        </LinkButton>
      </p>
    </>
  )
  return isInPanel ? signInAgain : <section class="panel">{signInAgain}</section>
}
