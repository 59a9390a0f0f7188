/**
 * Declares endpoints. The first handler of a route says who may call it, and the id under which
 * `scripts/openapi/operations` describes it; `validate` says what it takes. Requests are validated by
 * these declarations, the document is built from them, and a test compares them with the
 * authorization matrix.
 */
import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler, ValidationTargets } from 'hono'
import { createMiddleware } from 'hono/factory'
import { matchedRoutes } from 'hono/route'
// Imported by name: `z.core` would bundle the error messages of every language.
import { type $ZodIssue, type $ZodType, toDotPath } from 'zod/v4/core'
import { formBody } from './body.ts'
import type { App, Caller } from './context.ts'
import { ApiError, type Issue, rejected, requireNone, unauthenticated } from './errors.ts'
import { jsonBody } from './json.ts'
import { fieldsOf, findMisspelled } from './names.ts'
import './validation-messages.ts'

/** Who may call an endpoint: the functions below explain each. */
export type Access = 'public' | 'token' | 'session' | 'administrator' | 'master' | 'metrics'
type Declaration = { access: Access; operationId: string | null }
export type Input = { target: keyof ValidationTargets; schema: $ZodType }
type Handler = (...args: never[]) => unknown

/** What handlers declare, for `rejectUnknownQuery` and for lists of endpoints. */
export const declarations = new WeakMap<Handler, Declaration>()
export const inputs = new WeakMap<Handler, Input>()

/** Returns the first handler of an endpoint. `check` throws if the caller may not call it. */
function endpoint<E extends App>(
  access: Access,
  operationId: string | null,
  check: (c: Context<E>) => void,
): MiddlewareHandler<E> {
  const handler: MiddlewareHandler<E> = (c, next) => {
    check(c)
    return next()
  }
  declarations.set(handler, { access, operationId })
  return handler
}

/**
 * Declares an endpoint that needs no token. Pages have no operation: they are not in the OpenAPI
 * document.
 *
 * @example app.get('/api/public/stats', publicEndpoint('getStats'), …)
 */
export const publicEndpoint = (operationId: string | null = null) =>
  endpoint<App>('public', operationId, () => {})

export type AppWithCaller = App & { Variables: { caller: Caller } }

const safeMethods = /^(GET|HEAD)$/

function requireCaller(c: Context<AppWithCaller>): Caller {
  const caller = c.get('caller')
  if (!caller) throw unauthenticated(c.get('tokenProblem'))
  return caller
}

/**
 * Throws `unauthenticated`; `forbidden` if a read-only token is used to change something, and if the
 * token is for metrics.
 */
function requireScope(c: Context<AppWithCaller>): Caller {
  const caller = requireCaller(c)
  if (caller.scope === 'metrics')
    throw new ApiError('forbidden', 'this token may only read the metrics')
  if (caller.scope === 'read' && !safeMethods.test(c.req.method))
    throw new ApiError('forbidden', 'this token may only read')
  return caller
}

/**
 * Declares an endpoint that needs a token: of a user, a master token, or a session. Throws
 * `unauthenticated`, `forbidden`.
 */
export const requireToken = (operationId: string | null = null) =>
  endpoint('token', operationId, requireScope)

/** Lets the token check of `readAs` and `writeAs` require a session, which only D1 knows. */
const sessionEndpoint = (
  requires: NonNullable<Caller['requires']>,
  operationId: string | null = null,
) =>
  endpoint<AppWithCaller>(requires, operationId, (c) =>
    c.set('caller', { ...requireScope(c), requires }),
  )

/**
 * Declares an endpoint for people who are signed in with a browser. An API token is `forbidden`: it
 * must not create tokens or change how its user signs in.
 */
export const requireSession = (operationId: string | null = null) =>
  sessionEndpoint('session', operationId)

/** Declares an endpoint for administrators who are signed in with a browser. */
export const requireAdministrator = () => sessionEndpoint('administrator')

function requireMasterRole({ role }: Caller): void {
  if (role !== 'master') throw new ApiError('forbidden', 'this endpoint requires a master token')
}

/** Declares an endpoint that needs a master token. Throws `unauthenticated`, `forbidden`. */
export const requireMaster = (operationId: string | null = null) =>
  endpoint<AppWithCaller>('master', operationId, (c) => requireMasterRole(requireScope(c)))

/** As `requireMaster`, and a token for metrics suffices. */
export const requireMetrics = (operationId: string | null = null) =>
  endpoint<AppWithCaller>('metrics', operationId, (c) => requireMasterRole(requireCaller(c)))

const bodyReaders = new Map<keyof ValidationTargets, (c: Context) => Promise<unknown>>([
  ['json', jsonBody],
  ['form', formBody],
])

/**
 * Validates one part of the request. Throws `invalid_input` with a message that names the field;
 * `root` names a body that is an array, as in `orders[2].listingId: …`. A JSON body must also pass
 * `jsonBody`, and a form `formBody`. If `isStrict`, a field that is misspelled is `unknown_field`.
 */
export function validate<T extends keyof ValidationTargets, S extends $ZodType>(
  target: T,
  schema: S,
  root = '',
  { isStrict = false } = {},
) {
  const check = zValidator(target, schema, (result) => {
    if (!result.success) throw invalidInput(result.error.issues, root)
  })
  const readBody = bodyReaders.get(target)
  const handler: typeof check = async (c, next) => {
    await readBody?.(c)
    // `check` tells of a body that is not JSON.
    const body = isStrict ? await c.req.json().catch(() => null) : null
    requireNone(findMisspelled(schema, body, root))
    return check(c, next)
  }
  inputs.set(handler, { target, schema })
  return handler
}

/**
 * Returns one issue for each field: what is wrong with a value may also break rules that follow
 * from it. `root` names a value that is an array.
 */
export function toIssues(found: readonly $ZodIssue[], root = ''): Issue[] {
  const issues = new Map<string, Issue>()
  for (const { path, message, ...issue } of found) {
    // `toDotPath` would put the name of a header in brackets and quotes.
    const isFlat = path.length === 1 && !root
    const field = isFlat ? String(path[0]) : root + toDotPath(path)
    // See `without`.
    const isCharacter = issue.code === 'custom' && issue.params?.code === 'invalid_character'
    const code = isCharacter ? 'invalid_character' : 'invalid_input'
    if (!issues.has(field)) issues.set(field, { path: field, code, message })
  }
  return [...issues.values()]
}

/** The error for what a schema has rejected. `root` names a value that is an array. */
export function invalidInput(found: readonly $ZodIssue[], root = ''): ApiError {
  const [first, ...others] = toIssues(found, root)
  return first
    ? rejected([first, ...others])
    : new ApiError('invalid_input', 'the request is not valid')
}

/** Where a query parameter that is ignored may deliver, cancel or count something else than meant. */
export const strictPaths = ['/api/externalOrders', '/api/reservations', '/api/admin', '/api/events']

/** Throws `unknown_field` for a query parameter that the endpoint does not have. */
export const rejectUnknownQuery = createMiddleware<App>(async (c, next) => {
  const handlers = matchedRoutes(c).map(({ handler }) => handler)
  // Without a valid token the answer is 401, and for a path that does not exist 404.
  if (!c.get('caller') || !handlers.some((handler) => declarations.has(handler))) return next()
  const declared = handlers.flatMap((handler) => inputs.get(handler) ?? [])
  const query = declared.find(({ target }) => target === 'query')
  const known = query ? Object.keys(fieldsOf(query.schema)) : []
  const message = `unknown parameter; there ${known.length > 0 ? `are ${known.join(', ')}` : 'is none'}`
  const names = [...new URL(c.req.url).searchParams.keys()]
  const unknown = names.filter((name) => !known.includes(name))
  requireNone(unknown.map((path) => ({ path, code: 'unknown_field', message })))
  return next()
})

/** Whether no endpoint of this request needs a token. */
export const isPublic = (c: Context): boolean =>
  !matchedRoutes(c).some(
    ({ handler }) => (declarations.get(handler)?.access ?? 'public') !== 'public',
  )
