import * as z from 'zod'

/** An id as a path or a query spells it: a positive integer, with no sign, fraction or zero in front. */
export const idText = z
  .string()
  // 15 digits are always a safe integer.
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')
  .transform(Number)
