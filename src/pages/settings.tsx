import type { Child } from 'hono/jsx'
import type { Account, SignInLimit } from '../auth/session.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import type { Texts } from '../texts/en.ts'
import { LinkButton, Notice, type NoticeKind } from './components/forms.tsx'
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

/** The sections that only sellers and developers need, by what says that a user is one. */
const usedBy = { selling: 'isSeller', 'api-access': 'hasTokens', webhooks: 'hasWebhooks' } as const

const isForFew = (section: SettingsSection): section is keyof typeof usedBy => section in usedBy

const linksTo = ({ settings }: Texts, isShown: (section: SettingsSection) => boolean): MenuLink[] =>
  settingsSections
    .filter(([section]) => isShown(section))
    .map(([section, icon]) => [`/settings/${section}`, settings[section], icon])

export const linksForFew = (texts: Texts) => linksTo(texts, isForFew)

/** The sections that a user needs, and the present one. An administrator needs all. */
export const settingsLinks = (texts: Texts, account: Account | null, current?: SettingsSection) =>
  linksTo(
    texts,
    (section) =>
      section === current ||
      !isForFew(section) ||
      account?.roleId === ADMINISTRATOR ||
      !!account?.[usedBy[section]],
  )

/** The notices of all sections that say more than that something is done. */
const noticeKinds: Readonly<Record<string, NoticeKind>> = {
  'link-sent': 'info',
  'webhook-sent': 'info',
  'webhook-replayed': 'info',
  dismissed: 'info',
  'wallet-unlinked': 'warn',
  'email-unlinked': 'warn',
}

type SettingsPageProps = {
  section: SettingsSection
  /** What forms of the section have done, by the name that a redirect passes in its query. */
  notices?: Readonly<Record<string, string>> | undefined
  children: Child
}

/** An unknown notice shows no message, because anyone can edit the URL. */
export const SettingsPage = ({ section, notices = {}, children }: SettingsPageProps) => {
  const { account, notice = '', texts } = usePage()
  const { title } = texts.settings
  return (
    <div class="settings">
      <div class="side">
        <h1>{title}</h1>
        <Menu
          label={title}
          links={settingsLinks(texts, account, section)}
          current={`/settings/${section}`}
        />
      </div>
      <div class="content">
        {Object.hasOwn(notices, notice) && (
          <Notice kind={noticeKinds[notice]}>{notices[notice]}</Notice>
        )}
        {children}
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
  limit?: SignInLimit
  children?: Child
}

/** Shows a form only after a recent sign-in, so that nobody fills it in for nothing. */
export const RecentSignIn = ({ toDo, path, isInPanel, limit, children }: RecentSignInProps) => {
  const { settings, signIn } = usePage().texts
  if (useRecentSignIn(limit)) return <>{children}</>
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
