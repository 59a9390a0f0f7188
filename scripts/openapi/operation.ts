import type * as z from 'zod'
import type { ErrorCode } from '../../src/http/errors.ts'

/** What the document says about an endpoint, besides its access and its inputs. */
export type Operation = {
  /** A sentence without a full stop that begins with a verb in the imperative. */
  summary: string
  description?: string
  /** A body that is not JSON. The handler reads it. */
  body?: { type: string; schema: z.ZodType }
  /** The body of a 200; `z.file()` for bytes; null if there is none: see `bodiless`. */
  answer: z.ZodType | null
  /** What a 201 means, which has the body of a 200. */
  created?: string
  /** Headers of a 200 besides those of every response, with their descriptions. */
  headers?: Record<string, string>
  /** Statuses without a body that are not errors, such as 204, with their descriptions. */
  bodiless?: Record<number, string>
  /** Error codes of this endpoint, besides those that every endpoint shares. */
  errors?: readonly ErrorCode[]
  /** Whether a 503 has `status` besides the error, and stands for a 500 as well. */
  isUnavailable?: true
}

/** By their operation ids: what a client would name a method for the endpoint. */
export type Operations = Record<string, Operation>
