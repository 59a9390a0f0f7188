/** Kinds of fields in answers. Each function takes the sentence that describes the field. */
import * as z from 'zod'

// Each description makes a copy of one schema, which is cheaper at start-up than a schema each.
const boolean = z.boolean()
const string = z.string()
const positiveInteger = z.int().positive()
const integer = z.int().nonnegative()
const timestamp = z.iso.datetime({ precision: 3 })

/** A boolean with a description. */
export const bool = (description: string) => boolean.describe(description)
/** A text with a description. */
export const text = (description: string) => string.describe(description)
/** A positive integer with a description. */
export const positive = (description: string) => positiveInteger.describe(description)
/** The id of a row, with a description. */
export const id = (description: string) => positive(description)
/** A number, of pieces for example. */
export const count = (description: string) => integer.describe(description)
/** The unit of amounts of money, for descriptions. */
export const inMinorUnits = 'in minor units of the currency (ISO 4217): cents for EUR, yen for JPY'
/** An amount of money. The description has no full stop. */
export const money = (description: string) => count(`${description}, ${inMinorUnits}.`)
/** A time with a description. */
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

/** Makes a field nullable. Keeps its description, which zod does not copy to what it wraps. */
export function orNull<T extends z.ZodType>(field: T): z.ZodNullable<T> {
  const nullable = field.nullable()
  z.globalRegistry.add(nullable, { description: field.description ?? '' })
  return nullable
}
/** A text that is always one of these values. */
export const always = (description: string, ...values: string[]) =>
  text(description).meta({ enum: values })

/** The fields `createdAt` and `updatedAt`. */
export const timestamps = () => ({
  createdAt: time('Time of creation.'),
  updatedAt: time('Time of the last change.'),
})
