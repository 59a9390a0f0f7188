/**
 * Declares endpoints. The first handler of a route says who may call it; `validate` says what it
 * takes. Requests are validated by these declarations. The OpenAPI document is built from them and
 * from the `openapi.ts` of each folder, and a test compares them with the authorization matrix.
 */
import { zValidator } from '@hono/zod-validator'
import type { Context, Hono, MiddlewareHandler, ValidationTargets } from 'hono'
import { matchedRoutes } from 'hono/route'
// Imported by name: `z.core` would bundle the error messages of every language.
import { type $ZodIssue, type $ZodType, toDotPath } from 'zod/v4/core'
import { formBody } from './body.ts'
import type { App, Caller } from './context.ts'
import { ApiError, type Issue, rejected, unauthenticated } from './errors.ts'
import { jsonBody } from './json.ts'
import './validation-messages.ts'

/** Who may call an endpoint. */
type Access = 'public' | 'token' | 'master'
type Input = { target: keyof ValidationTargets; schema: $ZodType }
type Handler = (...args: never[]) => unknown

const declarations = new WeakMap<Handler, Access>()
const inputs = new WeakMap<Handler, Input>()

/** Declares an endpoint that needs no token. */
export function publicEndpoint(): MiddlewareHandler<App> {
  const handler: MiddlewareHandler<App> = (_c, next) => next()
  declarations.set(handler, 'public')
  return handler
}

export type AppWithCaller = App & { Variables: { caller: Caller } }

const safeMethods = /^(GET|HEAD)$/

/** Throws `unauthenticated`; `forbidden` if a read-only token is used to change something. */
function requireScope(c: Context<AppWithCaller>): Caller {
  const caller = c.get('caller')
  if (!caller) throw unauthenticated(c.get('tokenProblem'))
  if (caller.scope === 'read' && !safeMethods.test(c.req.method))
    throw new ApiError('forbidden', 'this token may only read')
  return caller
}

/** Declares an endpoint that needs a token. Throws `unauthenticated`, `forbidden`. */
export function requireToken(): MiddlewareHandler<AppWithCaller> {
  const handler: MiddlewareHandler<AppWithCaller> = (c, next) => {
    requireScope(c)
    return next()
  }
  declarations.set(handler, 'token')
  return handler
}

/** Declares an endpoint that needs a master token. Throws `unauthenticated`, `forbidden`. */
export function requireMaster(): MiddlewareHandler<AppWithCaller> {
  const handler: MiddlewareHandler<AppWithCaller> = (c, next) => {
    const caller = requireScope(c)
    if (caller.role === 'master') return next()
    throw new ApiError('forbidden', 'this endpoint requires a master token')
  }
  declarations.set(handler, 'master')
  return handler
}

const bodyReaders = new Map<keyof ValidationTargets, (c: Context) => Promise<unknown>>([
  ['json', jsonBody],
  ['form', formBody],
])

/**
 * Validates one part of the request. Throws `invalid_input` with a message that names the field;
 * `root` names a body that is an array, as in `orders[2].listingId: …`. A JSON body must also pass
 * `jsonBody`, and a form `formBody`.
 */
export function validate<T extends keyof ValidationTargets, S extends $ZodType>(
  target: T,
  schema: S,
  root = '',
) {
  const check = zValidator(target, schema, (result) => {
    if (!result.success) throw invalidInput(result.error.issues, root)
  })
  const readBody = bodyReaders.get(target)
  const handler: typeof check = async (c, next) => {
    await readBody?.(c)
    return check(c, next)
  }
  inputs.set(handler, { target, schema })
  return handler
}

/**
 * Returns one issue for each field: what is wrong with a value may also break rules that follow
 * from it. `root` names a value that is an array.
 */
export function issuesOf(found: readonly $ZodIssue[], root = ''): Issue[] {
  const issues = new Map<string, Issue>()
  for (const { path, message } of found) {
    // `toDotPath` would put the name of a header in brackets and quotes.
    const isFlat = path.length === 1 && !root
    const field = isFlat ? String(path[0]) : root + toDotPath(path)
    if (!issues.has(field)) issues.set(field, { path: field, code: 'invalid_input', message })
  }
  return [...issues.values()]
}

/** The error for what a schema has rejected. `root` names a value that is an array. */
export function invalidInput(found: readonly $ZodIssue[], root = ''): ApiError {
  const [first, ...others] = issuesOf(found, root)
  return first
    ? rejected([first, ...others])
    : new ApiError('invalid_input', 'the request is not valid')
}

/** Whether no endpoint of this request needs a token. */
export const isPublic = (c: Context): boolean =>
  !matchedRoutes(c).some(({ handler }) => (declarations.get(handler) ?? 'public') !== 'public')

/** An endpoint as its handlers declare it. */
export type Endpoint = {
  method: string
  path: string
  inputs: Input[]
  /** Null if no handler declares it. */
  access: Access | null
}

/** Every endpoint of the app, in the order of its routes. */
export function endpointsOf(app: Pick<Hono<App>, 'routes'>): Endpoint[] {
  const endpoints = new Map<string, Endpoint>()
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL') continue
    const key = `${method} ${path}`
    const endpoint: Endpoint = endpoints.get(key) ?? { method, path, inputs: [], access: null }
    const input = inputs.get(handler)
    if (input) endpoint.inputs.push(input)
    endpoint.access ??= declarations.get(handler) ?? null
    endpoints.set(key, endpoint)
  }
  return [...endpoints.values()]
}
