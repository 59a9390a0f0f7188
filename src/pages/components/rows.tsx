import type { Child } from 'hono/jsx'

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
