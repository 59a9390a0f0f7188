import type * as z from 'zod'

/** What a function answers. */
export type Answer<F extends (...input: never) => unknown> = Awaited<ReturnType<F>>

/**
 * Returns the schema of an answer. It does not compile unless every answer of this type fits.
 *
 * @example describes<Answer<typeof readStats>>()(z.object({ … }))
 */
export const describes =
  <Answer>() =>
  <S extends z.ZodType>(
    schema: S,
    ..._: Answer extends z.output<S> ? [] : ['the answer has another type']
  ): S =>
    schema
