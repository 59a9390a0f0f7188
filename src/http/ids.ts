import * as z from 'zod'

/** An id in a path or query: a positive integer without sign, fraction or leading zero. */
export const idText = z
  .string()
  // 15 digits are always a safe integer.
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')
  .transform(Number)
