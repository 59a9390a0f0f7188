/** Kinds of fields in answers. Each function takes the sentence that describes the field. */
import * as z from 'zod'

export const bool = (description: string) => z.boolean().describe(description)
export const text = (description: string) => z.string().describe(description)
export const positive = (description: string) => z.int().positive().describe(description)
export const id = (description: string) => positive(description)
/** A number of pieces, or cents. */
export const count = (description: string) => z.int().nonnegative().describe(description)
export const time = (description: string) => z.iso.datetime({ precision: 3 }).describe(description)
const matching = (pattern: RegExp) => (description: string) =>
  z.string().regex(pattern).describe(description)
export const decimal = matching(/^\d+(\.\d+)?$/)
/** An unsigned integer that may be larger than a JSON number. */
export const digits = matching(/^\d+$/)
export const currency = matching(/^[A-Z]{3}$/)
export const address = matching(/^0x[\da-fA-F]{40}$/)
export const addressOrEmpty = matching(/^(0x[\da-fA-F]{40})?$/)
/** 32 bytes: the hash of a transaction, or a delivery key. */
export const hash = matching(/^0x[\da-f]{64}$/)

/** Makes a field nullable. Keeps its description, which zod does not copy to what it wraps. */
export const orNull = <T extends z.ZodType>(field: T) =>
  field.nullable().describe(field.description ?? '')
/** A text that is always one of these values. */
export const always = (description: string, ...values: string[]) =>
  text(description).meta({ enum: values })

export const timestamps = () => ({
  createdAt: time('Time of creation.'),
  updatedAt: time('Time of the last change.'),
})
