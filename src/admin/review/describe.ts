/** The fields of a record, as people read them: pure. */
import type { Fields } from '../../catalogue/change.ts'

/** Fields of a record that have fields of their own. */
const parts: readonly string[] = ['metadata', 'content', 'payload']

export const asFields = (value: unknown): Fields => Object(value)

/** Characters that are shown of a picture that is part of the metadata. */
const SHOWN_DATA = 60

/** Returns a value as people read it: a text as it is, anything else as JSON. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns all fields as texts, by their names, as in `metadata.name`. */
export function describeFields(record: Fields): Map<string, string> {
  const fields = Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
    parts.includes(name)
      ? Object.entries(asFields(value)).map(([field, part]) => [`${name}.${field}`, part])
      : [[name, value]],
  )
  return new Map(
    fields.map(([name, value]) => {
      const text = describeValue(value)
      const isData = name === 'metadata.image' && text.startsWith('data:')
      return [name, isData ? `${text.slice(0, SHOWN_DATA)}…` : text]
    }),
  )
}

/** Returns what would change of a record: the name of each field, and its value before and after. */
export function findDifferences(record: Fields, changed: Fields) {
  const before = describeFields(
    Object.fromEntries(Object.keys(changed).map((name) => [name, record[name]])),
  )
  const after = describeFields(changed)
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? '–', after: after.get(name) ?? '–' }))
    .filter((field) => field.before !== field.after)
}
