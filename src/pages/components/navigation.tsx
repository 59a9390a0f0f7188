/** Links between the parts of a page, and between the pages of a list. */
import { LinkButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** Marks the link to the present page. */
export const currentIf = (current: boolean) => (current ? { 'aria-current': 'page' as const } : {})

export type MenuLink = [path: string, name: string, icon: IconName]

/** The sections of the settings. */
export const settingsLinks: MenuLink[] = [
  ['/settings/profile', 'Profile', 'user'],
  ['/settings/addresses', 'Addresses', 'address'],
  ['/settings/account', 'Account', 'wallet'],
  ['/settings/selling', 'Selling', 'selling'],
  ['/settings/sessions', 'Sessions', 'session'],
  ['/settings/api-access', 'API Access', 'key'],
  ['/settings/webhooks', 'Webhooks', 'webhook'],
]

type MenuProps = { label: string; links: readonly MenuLink[]; current?: string }

/** Links with icons. `current` is the path of the present page. */
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

type PagerProps = {
  /** What the list has, in the plural. */
  noun: string
  /** The path of the first page; null on it. */
  first: string | null
  /** The path of the next page; null on the last. */
  next: string | null
}

/** Links between the pages of a list that has the newest first. */
export const Pager = ({ noun, first, next }: PagerProps) => (
  <p class="actions">
    {first && <LinkButton href={first}>Newest {noun}</LinkButton>}
    {next && <LinkButton href={next}>Older {noun}</LinkButton>}
  </p>
)
