/** Limits of the body of a call. */
export const MAX_MIB = 4
export const MAX_LINES = 1000
