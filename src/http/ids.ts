import * as z from 'zod'

/** An id as a path or a query spells it: a positive integer, with no sign, fraction or zero in front. */
export const idText = z
  .string()
  .regex(/^[1-9]\d*$/, 'must be a positive integer')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a positive integer')
