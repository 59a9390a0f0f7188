import { Column, type GetColumnData, type SQL, sql } from 'drizzle-orm'
import type { Row } from './client.ts'

/** The most arguments that a function of D1 takes. */
const MOST_ARGUMENTS = 32

type Values<T extends Record<string, Column>> = { [Name in keyof T]: GetColumnData<T[Name]> }

/**
 * Columns of a table as one value, an array in JSON, and what a row has of them. So D1 sends no
 * names along, columns that joined tables call the same stay apart, and its limit of 100 columns
 * is none. The first column is one that is never null, unless a left join found no row.
 *
 * @example
 * const nft = packed('nft', getTableColumns(nfts))
 * prepared((db) => db.select(nft.selection).from(nfts), nft.of)
 */
export function packed<T extends Record<string, Column>>(name: string, columns: T) {
  const names = Object.keys(columns)
  // Most columns hold what they mean.
  const decoded = Object.entries(columns).filter(
    ([, column]) => column.mapFromDriverValue !== Column.prototype.mapFromDriverValue,
  )
  const selection: Record<string, SQL.Aliased> = {}
  for (let start = 0; start < names.length; start += MOST_ARGUMENTS) {
    const part = Object.values(columns).slice(start, start + MOST_ARGUMENTS)
    const values = part.map((column) => sql`${column}`)
    selection[name + start] = sql`json_array(${sql.join(values, sql`, `)})`.as(name + start)
  }
  const keys = Object.keys(selection)
  /** An object that has its shape already is filled faster. */
  const empty: Row = Object.fromEntries(names.map((field) => [field, null]))

  /** Null when a left join found no row. */
  const orNull = (row: Row): Values<T> | null => {
    const values = keys.flatMap((key): unknown[] => JSON.parse(String(row[key])))
    if (values[0] === null) return null
    const object = { ...empty }
    names.forEach((field, i) => {
      object[field] = values[i]
    })
    for (const [field, column] of decoded)
      if (object[field] !== null) object[field] = column.mapFromDriverValue(object[field])
    return object as Values<T>
  }

  /** For a row that must be there. */
  const of = (row: Row): Values<T> => {
    const values = orNull(row)
    if (!values) throw new Error(`there is no ${name} in the row`)
    return values
  }
  return { selection, of, orNull }
}
