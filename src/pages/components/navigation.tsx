/** Links between the parts of a page, and between the pages of a list. */
import type { Texts } from '../../texts/en.ts'
import { LinkButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** Marks the link to the present page. */
export const currentIf = (current: boolean) => (current ? { 'aria-current': 'page' as const } : {})

export type MenuLink = [path: string, name: string, icon: IconName]

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

type MenuProps = { label: string; links: readonly MenuLink[]; current?: string }

export const Menu = ({ label, links, current }: MenuProps) => (
  <nav aria-label={label}>
    <ul>
      {links.map(([path, name, icon]) => (
        <li>
          <a href={path} {...currentIf(path === current)}>
            <Icon name={icon} />
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type Tab = readonly [href: string, name: string, isCurrent: boolean]
type TabsProps = { label: string; tabs: readonly Tab[] }

export const Tabs = ({ label, tabs }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    <ul>
      {tabs.map(([href, name, isCurrent]) => (
        <li>
          <a href={href} {...currentIf(isCurrent)}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type Query = Record<string, string | number | boolean | null | undefined>

/** Returns a path with the fields of a query that are not empty. */
export function pathWith(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value ? [[name, String(value)]] : [],
  )
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

type PagerProps = {
  /** What a page has, or what it is called; or the texts of the two links. */
  noun: string | { newest: string; older: string }
  /** Returns the path of a page: of the first one without a query. */
  to: (page?: Query) => string
  isFirstPage: boolean
  /** The query of the next page; absent on the last. */
  next: Query | false | null | undefined
  isNewestFirst?: boolean
}

export const Pager = ({ noun, to, isFirstPage, next, isNewestFirst = true }: PagerProps) => {
  const inEnglish = isNewestFirst
    ? { newest: `Newest ${noun}`, older: `Older ${noun}` }
    : { newest: `First ${noun}`, older: `Next ${noun}` }
  const { newest, older } = typeof noun === 'string' ? inEnglish : noun
  return (
    <p class="actions">
      {!isFirstPage && <LinkButton href={to()}>{newest}</LinkButton>}
      {next && <LinkButton href={to(next)}>{older}</LinkButton>}
    </p>
  )
}
