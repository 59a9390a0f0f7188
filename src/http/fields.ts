/** Kinds of fields in answers. Each function takes the sentence that describes the field. */
import * as z from 'zod'

// The Worker builds all schemas at its start. `describe` and `meta` copy a schema, which is cheaper than
// a schema for each field. What was made for one description is registered, and not copied.
const boolean = z.boolean()
const string = z.string()
const positiveInteger = z.int().min(1)
const integer = z.int().nonnegative()
const timestamp = z.iso.datetime({ precision: 3 })

export const bool = (description: string) => boolean.describe(description)
export const text = (description: string) => string.describe(description)
export const positive = (description: string) => positiveInteger.describe(description)
/** The id of a row. */
export const id = (description: string) => positive(description)
/** A number, of pieces for example. */
export const count = (description: string) => integer.describe(description)
export const inMinorUnits = 'in minor units of the currency (ISO 4217): cents for EUR, yen for JPY'
/** An amount of money. The description has no full stop. */
export const money = (description: string) => count(`${description}, ${inMinorUnits}.`)
export const time = (description: string) => timestamp.describe(description)
function matching(pattern: RegExp) {
  const schema = z.string().regex(pattern)
  return (description: string) => schema.describe(description)
}
export const decimal = matching(/^\d+(\.\d+)?$/)
/** An unsigned integer that may be larger than a JSON number. */
export const digits = matching(/^\d+$/)
export const currency = matching(/^[A-Z]{3}$/)
export const address = matching(/^0x[\da-fA-F]{40}$/)
export const addressOrEmpty = matching(/^(0x[\da-fA-F]{40})?$/)
/** 32 bytes: the hash of a transaction, or a delivery key. */
export const hash = matching(/^0x[\da-f]{64}$/)

export const object = <S extends z.ZodRawShape>(description: string, fields: S) =>
  z.object(fields).register(z.globalRegistry, { description })

/**
 * An object with a name of its own in the OpenAPI document. Its fields are made when the document is,
 * not at the start of the Worker.
 */
export const model = <S extends z.ZodRawShape>(id: string, description: string, fields: () => S) =>
  z.lazy(() => z.object(fields())).register(z.globalRegistry, { id, description })

/** Makes a field nullable. Keeps its description, which zod does not copy to what it wraps. */
export function orNull<T extends z.ZodType>(field: T): z.ZodNullable<T> {
  const nullable = field.nullable()
  z.globalRegistry.add(nullable, { description: field.description ?? '' })
  return nullable
}
export const always = (description: string, ...values: string[]) =>
  text(description).meta({ enum: values })

export const timestamps = () => ({
  createdAt: time('Time of creation.'),
  updatedAt: time('Time of the last change.'),
})
