/**
 * Declares endpoints and pages: who may call one, where it reads, what it takes, and what the OpenAPI
 * document says about it. Requests are checked by these declarations, and the document is made of them.
 */
import { zValidator } from '@hono/zod-validator'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type * as z from 'zod'
import { formBody, jsonBody } from './body.ts'
import type { App, Caller } from './context.ts'
import { ApiError, type ErrorCode, requireNone, TokenRequired } from './errors.ts'
import { mayBeStale } from './nearest.ts'
import { fieldsOf, findMisspelled, invalidInput } from './validation.ts'

/**
 * Who may call an endpoint. `token`: a user token, a master token, or a session of a browser.
 * `orders`: the same, and a master token that is for the orders of one shop only. `session`: somebody
 * who is signed in with a browser; an API token must not create tokens or change how its user signs in.
 * `administrator`: an administrator who is signed in with a browser. `metrics`: a master token, also
 * one that may only read the metrics.
 */
export type Access =
  | 'public'
  | 'token'
  | 'orders'
  | 'session'
  | 'administrator'
  | 'master'
  | 'metrics'

export type AppWithCaller = App & { Variables: { caller: Caller } }
type AppOf<A extends Access> = A extends 'public' ? App : AppWithCaller

export type Input = Partial<Record<'param' | 'query' | 'header' | 'json' | 'form', z.ZodType>>
type Values<I extends Input> = { [Part in keyof I]: z.output<NonNullable<I[Part]>> }

type Behaviour<A extends Access, I extends Input> = {
  /** Its group in the document. `Endpoints` may have it for all. */
  tag?: Tag
  access: A
  /**
   * Where it reads first. `nearest`: from the nearest copy of the database, which may lag. If it then
   * throws an error of the API, or calls `requirePrimary`, it is called once more with the primary.
   */
  reads: 'nearest' | 'primary'
  /** `Cache-Control` of a 200 that Cloudflare's cache may give to all callers: see `cacheControl`. */
  cache?: string
  input?: I
  /** The name of a body that is an array, in issues: `orders[2].quantity`. */
  bodyName?: string
  /**
   * Whether an unknown parameter and a misspelled field are refused, because the request may deliver,
   * cancel or count something else than meant. `Endpoints` may have it for all. Without it, lists
   * refuse a misspelled parameter and ignore other unknown ones.
   */
  isStrict?: true
  /**
   * Whether a page is in the language of its reader; all others are in English. `Endpoints` may have it for all.
   */
  isTranslated?: true
  /** What is checked before the input. Each throws an error of the API. */
  checks?: readonly ((c: Context<App>) => void | Promise<void>)[]
  /** What also sees the response. */
  middleware?: readonly MiddlewareHandler[]
}

type Page = { id?: never }

/** What the OpenAPI document says of an endpoint. Pages are not in it. */
export type Operation<S extends z.ZodType | null = z.ZodType | null> = {
  /** Its operation id: what a client would name a method for it. */
  id: string
  /** A sentence without a full stop that begins with a verb in the imperative. */
  summary: string
  description?: string
  /** A body that is not JSON. The handler reads it. */
  body?: { type: string; schema: z.ZodType }
  /** The body of a 200; `z.file()` for bytes; null if there is none: see `bodiless`. */
  answer: S
  /** What a 201 means, which has the body of a 200. */
  created?: string
  /** What a 206 means, which has a part of the body of a 200. */
  partial?: string
  /** Headers of a 200 besides those of every response, with their descriptions. */
  headers?: Record<string, string>
  /** Statuses without a body that are not errors, such as 204, with their descriptions. */
  bodiless?: Record<number, string>
  /** Error codes of this endpoint, besides those that every endpoint shares. */
  errors?: readonly ErrorCode[]
  /** Whether a 503 has `status` besides the error, and stands for a 500 as well. */
  isUnavailable?: true
}

/** The groups of the document: see `scripts/build/openapi/tags.ts`. */
export type Tag =
  | 'Orders'
  | 'Addresses'
  | 'Avatars'
  | 'Marketplace'
  | 'Webhooks'
  | 'Transfers'
  | 'Catalogue'
  | 'Content'
  | 'Creators'
  | 'Operations'
  | 'Retention'
  | 'Identity'

export type Declaration = Behaviour<Access, Input> & (Page | Operation)

const declarations = new WeakMap<object, Declaration>()

/** Returns the declaration of a handler; undefined for middleware. */
export const declarationBy = (handler: object): Declaration | undefined => declarations.get(handler)

/** Returns the declaration of the endpoint that a request calls; undefined for an unknown path. */
export const declarationOf = (c: Context): Declaration | undefined => {
  for (const { handler } of matchedRoutes(c)) {
    const declaration = declarations.get(handler)
    if (declaration) return declaration
  }
}

type Answer<S> = Response | (S extends z.ZodType ? z.output<S> : never)

/**
 * Adds an endpoint. The answer of `handle` is a response, or the JSON body of a 200, which must fit the
 * schema.
 */
type Add = <A extends Access, I extends Input = object, S extends z.ZodType | null = null>(
  path: string,
  declaration: Behaviour<A, I> & (Page | Operation<S>),
  handle: (c: Context<AppOf<A>>, input: Values<I>) => Answer<S> | Promise<Answer<S>>,
) => Endpoints

/** What may hold for all endpoints of a folder. */
type Shared = Pick<Declaration, 'tag' | 'isStrict' | 'isTranslated'>

/**
 * The endpoints of a folder. Besides what its verb throws, an endpoint throws `unauthenticated`,
 * `forbidden`, `invalid_input`, `unknown_field`, and what reading the body throws.
 */
export class Endpoints {
  readonly routes = new Hono<App>()
  readonly #shared: Shared

  /** `shared`: what holds for all of them. */
  constructor(shared: Shared = {}) {
    this.#shared = shared
  }

  readonly get: Add = (path, declaration, handle) => this.#add('get', path, declaration, handle)
  readonly post: Add = (path, declaration, handle) => this.#add('post', path, declaration, handle)
  readonly put: Add = (path, declaration, handle) => this.#add('put', path, declaration, handle)
  readonly delete: Add = (path, declaration, handle) =>
    this.#add('delete', path, declaration, handle)

  #add(
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    declaration: Declaration,
    // The types of the context and the input follow from the declaration.
    handle: (c: never, input: never) => unknown,
  ): this {
    const declared = { ...this.#shared, ...declaration }
    const readInput = inputReader(declared)
    const handler = async (c: Context<App>) => {
      requireAccess(c, declared)
      for (const check of declared.checks ?? []) await check(c)
      const input = await readInput(c)
      return answer(c, declared, async () => handle(c as never, input as never))
    }
    declarations.set(handler, declared)
    this.routes.on(method, [path], ...(declared.middleware ?? []), handler)
    return this
  }
}

/** Calls a handler, and once more at the primary if the nearest copy may lack what it asks for. */
async function answer(
  c: Context<App>,
  { cache }: Declaration,
  callHandler: () => Promise<unknown>,
): Promise<Response> {
  const answered = await callHandler().catch((error: unknown) => {
    const db = c.get('db')
    if (!mayBeStale(error, db)) throw error
    c.set('db', db.$client.openPrimary())
    return callHandler()
  })
  const response = answered instanceof Response ? answered : c.json(answered)
  if (cache && response.ok) response.headers.set('Cache-Control', cache)
  return response
}

const safeMethods = /^(GET|HEAD)$/

/** Refuses callers. `readAs` and `writeAs` check what only the database knows. */
function requireAccess(c: Context<App>, { access }: Declaration): void {
  if (access === 'public') return
  const caller = c.get('caller')
  if (!caller) throw new TokenRequired(c.get('tokenProblem'))
  if (caller.scope === 'metrics' && access !== 'metrics')
    throw new ApiError('forbidden', 'this token may only read the metrics')
  if (caller.scope === 'orders' && access !== 'orders')
    throw new ApiError('forbidden', 'this token is for the orders of one shop, and nothing else')
  if (caller.scope === 'read' && !safeMethods.test(c.req.method))
    throw new ApiError('forbidden', 'this token may only read')
  if ((access === 'master' || access === 'metrics') && caller.role !== 'master')
    throw new ApiError('forbidden', 'this endpoint requires a master token')
  if (access === 'session' || access === 'administrator')
    c.set('caller', { ...caller, requires: access })
}

const parts = ['param', 'query', 'header', 'json', 'form'] as const
const bodyReaders = { json: jsonBody, form: formBody }

function inputReader({ id, input = {}, bodyName = '', isStrict }: Declaration) {
  const validators = parts.flatMap((part) => {
    const schema = input[part]
    if (!schema) return []
    const name = part === 'json' ? bodyName : ''
    const check = zValidator(part, schema, (result) => {
      if (!result.success) throw invalidInput(result.error.issues, name)
    })
    return [{ part, schema, name, check }]
  })
  return async (c: Context): Promise<Values<Input>> => {
    if (isStrict) requireKnown(c, input.query)
    else if (id && input.query && safeMethods.test(c.req.method))
      requireNone(findMisspelled(input.query, c.req.query(), ''))
    const values: Values<Input> = {}
    for (const { part, schema, name, check } of validators) {
      if (part === 'json' || part === 'form') await bodyReaders[part](c)
      if (isStrict && part === 'json') {
        // `check` tells of a body that is not JSON.
        const body = await c.req.json().catch(() => null)
        requireNone(findMisspelled(schema, body, name))
      }
      await check(c, async () => {})
      values[part] = c.req.valid(part as never)
    }
    return values
  }
}

function requireKnown(c: Context, query: z.ZodType | undefined): void {
  const known = query ? Object.keys(fieldsOf(query)) : []
  const message = `unknown parameter; there ${known.length > 0 ? `are ${known.join(', ')}` : 'is none'}`
  const names = [...new URL(c.req.url).searchParams.keys()]
  const unknown = names.filter((name) => !known.includes(name))
  requireNone(unknown.map((path) => ({ path, code: 'unknown_field', message })))
}
