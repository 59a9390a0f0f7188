/**
 * The control API of the local instance: what tests of a shop need and a deployed instance does not
 * have. The gateway answers it, not the Worker.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type * as z from 'zod'
import { ApiError, errorStatus } from '../../src/http/errors.ts'
import { mailsPage } from './mails.ts'

/** Checks the input of a call, and returns what runs it. Throws `invalid_input`. */
type Call = (input: unknown) => () => Promise<object>

/** Returns a call that takes what the schema describes. */
export const call =
  <Input>(schema: z.ZodType<Input>, run: (input: Input) => Promise<object>): Call =>
  (input) => {
    const result = schema.safeParse(input)
    if (result.success) return () => run(result.data)
    const [issue] = result.error.issues
    const isUnknown = issue?.code === 'unrecognized_keys'
    const field = isUnknown ? issue.keys[0] : issue?.path.join('.')
    const reason = isUnknown ? 'is not a field of this call' : issue?.message
    throw new ApiError('invalid_input', `${field || 'the body'} ${reason}`)
  }

/** `calls` by their name in the path. */
export type Controls = { clock: () => object; calls: Record<string, Call> }

/** Answers a request for a path below `/dev/`. */
export type Control = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Returns what answers `/dev/…`. Calls that change something run one after another. */
export function createControl({ clock, calls }: Controls): Control {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (run: () => Promise<object>): Promise<object> => {
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }

  async function answer(request: IncomingMessage): Promise<object> {
    if (!isOwn(request.headers))
      throw new ApiError('cross_site', 'only programs and pages of this machine may call this')
    const name = request.url?.replace(/^\/dev\/|\?.*$/g, '') ?? ''
    if (name === 'clock') {
      checkMethod(request, 'GET')
      return clock()
    }
    const prepare = Object.hasOwn(calls, name) && calls[name]
    if (!prepare) {
      const paths = ['clock', 'mails', ...Object.keys(calls)].map((known) => `/dev/${known}`)
      throw new ApiError('not_found', `there are only ${paths.join(', ')}`)
    }
    checkMethod(request, 'POST')
    return inTurn(prepare(await readJson(request)))
  }

  return async (request, response) => {
    if (request.method === 'GET' && request.url === '/dev/mails' && isOwn(request.headers))
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(mailsPage())
    const [status, body] = await answer(request).then(
      (result) => [200, result] as const,
      describeError,
    )
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(JSON.stringify(body))
  }
}

/** Any page that a browser shows could call this machine, also by a name that it lets point here. */
function isOwn({ host = '', origin, ...headers }: IncomingHttpHeaders): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
  const site = headers['sec-fetch-site'] ?? 'none'
  const isSame = ['same-origin', 'none'].includes(String(site))
  return isLocal && isSame && (!origin || origin === `http://${host}`)
}

function checkMethod({ method, url }: IncomingMessage, allowed: string): void {
  if (method !== allowed)
    throw new ApiError('method_not_allowed', `${url} takes ${allowed}, not ${method}`)
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await text(request)
  try {
    return JSON.parse(body || '{}')
  } catch {
    throw new ApiError('invalid_input', 'the body must be JSON')
  }
}

function describeError(error: unknown): readonly [status: number, body: object] {
  if (error instanceof ApiError)
    return [errorStatus[error.code], { error: error.message, code: error.code }]
  console.error(error)
  const message = error instanceof Error ? error.message : String(error)
  return [500, { error: message, code: 'internal_error' }]
}
