/** Sends requests to the Worker, as an HTTP client does. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import app from '../../src/app.ts'
import { assertDocumented } from './document.ts'

export const BASE_URL = 'https://marketplace.test'

export type Call = {
  /** Sent as `Authorization: Bearer`. */
  token?: string
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
}

/** Builds a request. `path` begins with a slash. */
export const requestOf = (
  method: string,
  path: string,
  { token, json, body, headers }: Call = {},
): Request =>
  new Request(BASE_URL + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  })

/** Sends a request. Throws if the response does not match the OpenAPI document. */
export async function call(method: string, path: string, content: Call = {}) {
  const request = requestOf(method, path, content)
  const response = await exports.default.fetch(request)
  await assertDocumented(request, response.clone())
  return response
}

/** Sends a request to a Worker with other bindings, and waits for what it does after the response. */
export async function callWith(
  bindings: Partial<Env>,
  method: string,
  path: string,
  content: Call = {},
) {
  const request = requestOf(method, path, content)
  const context = createExecutionContext()
  const response = await app.fetch(request.clone(), { ...env, ...bindings }, context)
  await waitOnExecutionContext(context)
  await assertDocumented(request, response.clone())
  return response
}

/** What a response says: its status, and the fields of its JSON. */
export async function answerOf<T extends object = Record<string, unknown>>(
  sent: Response | Promise<Response>,
): Promise<T & { status: number }> {
  const response = await sent
  return { ...(await response.json<T>()), status: response.status }
}
