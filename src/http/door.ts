/**
 * The first handler of every route says who may enter and what the endpoint is for; `valid` says
 * what it takes. The request is checked by them, and the OpenAPI document and the authorization
 * matrix are read off them, so nothing about an endpoint is written twice.
 */
import { zValidator } from '@hono/zod-validator'
import type { Hono, MiddlewareHandler, ValidationTargets } from 'hono'
import type * as z from 'zod'
// Named: through `z.core` the bundle would take in the messages of every language.
import { type $ZodIssue, toDotPath } from 'zod/v4/core'
import type { App, Caller } from './context.ts'
import { ApiError, type ErrorCode, unauthenticated } from './errors.ts'
import { jsonBody } from './json.ts'

/** What the OpenAPI document tells of an endpoint beyond what it takes. */
export type About = {
  tag: string
  summary: string
  description?: string
  /** A body that the handler reads by itself, because it is neither JSON nor small. */
  body?: { type: string; schema: z.ZodType }
  /** The body of a 200 (`z.file()` for bytes); or that people get a page, or are sent on to one. */
  answer: (() => z.ZodType) | 'page' | 'redirect'
  /** Headers that a 200 has beyond those that every answer has, and what they say. */
  headers?: Record<string, string>
  /** Whether a `Range` is answered with that part (206). */
  ranges?: boolean
  /** Statuses without a body that are no refusal, as 304, and when they come. */
  bodiless?: Record<number, string>
  /** The refusals that are this endpoint's own; those that every door shares are added. */
  errors?: readonly ErrorCode[]
}

type Audience = 'anyone' | 'callers' | 'masters'
type Input = { target: keyof ValidationTargets; schema: z.ZodType }
type Handler = (...args: never[]) => unknown

const abouts = new WeakMap<Handler, About & { audience: Audience }>()
const inputs = new WeakMap<Handler, Input>()

/** A public endpoint. */
export function anyone(about: About): MiddlewareHandler<App> {
  const handler: MiddlewareHandler<App> = (_c, next) => next()
  abouts.set(handler, { ...about, audience: 'anyone' })
  return handler
}

type Called = App & { Variables: { caller: Caller } }

/** An endpoint for whoever has a token. Throws `unauthenticated`. */
export function callers(about: About): MiddlewareHandler<Called> {
  const handler: MiddlewareHandler<Called> = (c, next) => {
    if (!c.get('caller')) throw unauthenticated()
    return next()
  }
  abouts.set(handler, { ...about, audience: 'callers' })
  return handler
}

/** An endpoint for master tokens only. Throws `unauthenticated`, `forbidden`. */
export function masters(about: About): MiddlewareHandler<Called> {
  const handler: MiddlewareHandler<Called> = (c, next) => {
    const caller = c.get('caller')
    if (!caller) throw unauthenticated()
    if (caller.role !== 'master')
      throw new ApiError('forbidden', 'this endpoint takes a master token')
    return next()
  }
  abouts.set(handler, { ...about, audience: 'masters' })
  return handler
}

/**
 * Checks one part of the request. Throws `invalid_input` with a message that names the field;
 * `root` names a body that is an array, as in `orders[2].listingId: …`. A JSON body must also be
 * what `jsonBody` asks of it.
 */
export function valid<T extends keyof ValidationTargets, S extends z.ZodType>(
  target: T,
  schema: S,
  root = '',
) {
  const check = zValidator(target, schema, (result) => {
    if (!result.success) throw invalid(result.error.issues[0], root)
  })
  const handler: typeof check =
    target === 'json' ? (c, next) => jsonBody(c, async () => void (await check(c, next))) : check
  inputs.set(handler, { target, schema })
  return handler
}

function invalid(issue: $ZodIssue | undefined, root: string): ApiError {
  if (!issue) return new ApiError('invalid_input', 'the request is not valid')
  // A header's name is no identifier, and would come in brackets and quotes.
  const isFlat = issue.path.length === 1 && !root
  const field = isFlat ? String(issue.path[0]) : root + toDotPath(issue.path)
  return new ApiError('invalid_input', field ? `${field}: ${issue.message}` : issue.message)
}

/** One endpoint as its handlers describe it. */
export type Door = { method: string; path: string; inputs: Input[] } & (
  | { about: About & { audience: Audience } }
  | { about: null }
)

/** Every endpoint of the app, in the order of mounting. */
export function doorsOf(app: Pick<Hono<App>, 'routes'>): Door[] {
  const doors = new Map<string, Door>()
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL') continue
    const key = `${method} ${path}`
    const door = doors.get(key) ?? { method, path, inputs: [], about: null }
    const input = inputs.get(handler)
    if (input) door.inputs.push(input)
    door.about ??= abouts.get(handler) ?? null
    doors.set(key, door)
  }
  return [...doors.values()]
}
