/** Lists of rows and of facts, and links to the parts of a page and of a list. */
import type { Child } from 'hono/jsx'
import { LinkButton } from './forms.tsx'
import { Icon, type IconName } from './icon.tsx'
import { usePage } from './request.ts'
import { pathWith, type Query } from './text.ts'

type SectionProps = { id: string; title: string; children: Child }

export const Section = ({ id, title, children }: SectionProps) => (
  <section class="flow" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

type RowsProps<Item> = {
  items: readonly Item[]
  /** What stands in place of an empty list. */
  empty: Child
  /** Id of the heading of the list. */
  labelledby?: string
  /** Whether the order of the rows means something. */
  isOrdered?: boolean
  /** Returns the `li` of an item. */
  row: (item: Item) => Child
}

export function Rows<Item>({ items, empty, labelledby, isOrdered, row }: RowsProps<Item>) {
  if (items.length === 0) return <p class="empty">{empty}</p>
  const List = isOrdered ? 'ol' : 'ul'
  return (
    <List class="rows" aria-labelledby={labelledby}>
      {items.map(row)}
    </List>
  )
}

export const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Names and values of others, in any direction. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: Child])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div>
        <dt dir="auto">{name}</dt>
        <dd dir="auto">{value}</dd>
      </div>
    ))}
  </dl>
)

/** Short facts in a line. One that is null, false or empty is left out. */
export const Meta = ({ facts }: { facts: readonly Child[] }) => (
  <p class="meta">{facts.map((fact) => fact && <span>{fact}</span>)}</p>
)

export type MenuLink = readonly [path: string, name: string, icon?: IconName]

type MenuProps = {
  label: string
  links: readonly MenuLink[]
  /** The path of the present page, whose link is marked. */
  current?: string | undefined
  isTabs?: boolean
}

export const Menu = ({ label, links, current, isTabs }: MenuProps) => (
  <nav class={isTabs ? 'tabs' : undefined} aria-label={label}>
    <ul>
      {links.map(([path, name, icon]) => (
        <li>
          <a href={path} aria-current={path === current ? 'page' : undefined}>
            {icon && <Icon name={icon} />}
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type PagerProps = {
  /** What a page has, or what it is called; or the texts of the two links. */
  noun: string | { newest: string; older: string }
  path: string
  /** The query of all pages. */
  query?: Query
  /** The cursor of the next page; its value is null or undefined on the last. */
  next: Query
  isNewestFirst?: boolean
}

export const Pager = ({ noun, path, query = {}, next, isNewestFirst = true }: PagerProps) => {
  const inEnglish = isNewestFirst
    ? { newest: `Newest ${noun}`, older: `Older ${noun}` }
    : { newest: `First ${noun}`, older: `Next ${noun}` }
  const { newest, older } = typeof noun === 'string' ? inEnglish : noun
  return (
    <p class="actions">
      {!usePage().isFirstPage && <LinkButton href={pathWith(path, query)}>{newest}</LinkButton>}
      {Object.values(next).some(Boolean) && (
        <LinkButton href={pathWith(path, { ...query, ...next })}>{older}</LinkButton>
      )}
    </p>
  )
}
