/** Generates values of a JSON schema, and values that violate it in one place. */
import * as fc from 'fast-check'

export type Schema = {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  /** Rules that an object has exactly one of some fields. */
  allOf?: readonly { oneOf?: readonly { required?: readonly string[] }[] }[]
  dependentRequired?: Record<string, readonly string[]>
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

/** Values that exist in the database, by field name. */
export type KnownValues = Record<string, fc.Arbitrary<unknown>>

/** Generates valid values. Prefers known values if there are some for the field. */
export function valuesOf(schema: Schema, known: KnownValues, name = ''): fc.Arbitrary<unknown> {
  const any = anyOf(schema, known)
  const existing = known[name]
  if (!existing) return any
  return fc.oneof({ weight: 9, arbitrary: existing }, { weight: 1, arbitrary: any })
}

function anyOf(schema: Schema, known: KnownValues): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => anyOf(one, known)))
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => anyOf({ ...schema, type }, known)))
  if (schema.type === 'string') return texts(schema)
  if (schema.type === 'integer') return integers(schema)
  if (schema.type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array') return arrays(schema, known)
  if (schema.type === 'object') return objects(schema, known)
  return fc.jsonValue({ maxDepth: 2 })
}

const integers = ({ minimum, exclusiveMinimum, maximum }: Schema) =>
  fc.maxSafeInteger().map((n) => {
    const low = minimum ?? (exclusiveMinimum ?? -1001) + 1
    const high = maximum ?? 1000
    return low + (Math.abs(n) % (Math.min(high, low + 1000) - low + 1))
  })

function texts({ pattern, format, minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  if (format === 'email') return fc.emailAddress()
  if (format === 'uuid') return fc.uuid()
  if (format === 'uri') return fc.webUrl()
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map(iso)
  const text = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) })
  if (!pattern) return text
  const regex = new RegExp(pattern, 'u')
  // fast-check expands a class like \p{Cc} to a list of a million characters.
  return /\\p/i.test(pattern) ? text.filter((one) => regex.test(one)) : fc.stringMatching(regex)
}

const iso = (date: Date) => date.toISOString()

const arrays = ({ items = {}, minItems = 0, maxItems = 100 }: Schema, known: KnownValues) =>
  fc.array(valuesOf(items, known), { minLength: minItems, maxLength: Math.min(maxItems, 4) })

/** Returns the fields that `choose` does not choose, of those of which an object has exactly one. */
export const excludedFields = (
  { allOf = [] }: Pick<Schema, 'allOf'>,
  choose: (fields: readonly string[]) => string | undefined,
): string[] =>
  allOf.flatMap(({ oneOf = [] }) => {
    const fields = oneOf.flatMap(({ required = [] }) => required)
    const chosen = choose(fields)
    return fields.filter((field) => field !== chosen)
  })

function objects(schema: Schema, known: KnownValues) {
  const { properties = {}, required = [], dependentRequired = {} } = schema
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    valuesOf(field, known, name),
  ])
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields)
  const keys = [...required, ...excludedFields(schema, () => undefined)]
  const record = fc.record(model, { requiredKeys: keys, noNullPrototype: true })
  return fc.tuple(record, fc.nat()).map(([value, n]) => {
    const excluded = excludedFields(schema, (all) => all[n % all.length])
    const isComplete = (name: string) => dependentRequired[name]?.every((other) => other in value)
    return Object.fromEntries(
      Object.entries(value).filter(
        ([name]) => !excluded.includes(name) && isComplete(name) !== false,
      ),
    )
  })
}

/** Texts that often break programs. */
export const hostileTexts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\r\nset-cookie: a=b',
    "'; DROP TABLE users; --",
    '" OR 1=1 --',
    '../../../etc/passwd',
    '%',
    '%00',
    '%E0%A4%A',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    'me',
    'null',
    'NaN',
    '-0',
    '1e3',
    '0x10',
    '０１２',
    '٣',
    ',',
    '1,',
    ',1',
    '1,,2',
    '9007199254740993',
    '9'.repeat(400),
    'a'.repeat(256),
    'é'.repeat(300),
    '👩‍👩‍👧‍👦'.repeat(30),
    '\u202Eright to left',
    '\uFEFF',
    '\uD800',
    'a\uDFFFb',
    'file:///etc/passwd',
    'http://127.0.0.1:1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'javascript:alert(1)',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** Values of unexpected types and sizes. */
const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  hostileTexts,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    5e-324,
    [],
    {},
    [[]],
    [null],
    { length: 1 },
    { toString: 1 },
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Replaces, drops, repeats or adds one element of a value. */
export const damaged = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(values, fc.nat(), fc.constantFrom('replace', 'drop', 'repeat', 'add'), hostileValues)
    .map(([value, at, action, hostile]) => {
      const copy = { root: structuredClone(value) }
      const places = findPlaces(copy)
      const { parent, key } = places[at % places.length] ?? { parent: copy, key: 'root' }
      damage(parent, key, action, hostile)
      return copy.root
    })

type Place = { parent: object; key: string }

function findPlaces(parent: object): Place[] {
  return Object.entries(parent).flatMap(([key, value]: [string, unknown]) => [
    { parent, key },
    ...(value !== null && typeof value === 'object' ? findPlaces(value) : []),
  ])
}

function damage(parent: object, key: string, action: string, hostile: unknown): void {
  if (action === 'drop' && !Array.isArray(parent)) Reflect.deleteProperty(parent, key)
  else if (action === 'repeat' && Array.isArray(parent)) parent.push(Reflect.get(parent, key))
  else if (action === 'add' && !Array.isArray(parent)) Reflect.set(parent, `${key}2`, hostile)
  else Reflect.set(parent, key, hostile)
}
