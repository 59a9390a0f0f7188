/** The API as a client meets it: over HTTP, with the Worker's own entry behind it. */
import { exports } from 'cloudflare:workers'

export const BASE_URL = 'https://marketplace.test'

type Call = {
  /** Sent as `Authorization: Bearer`. */
  token?: string
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
}

/** One request; `path` begins with a slash. */
export function call(method: string, path: string, { token, json, body, headers }: Call = {}) {
  const request = new Request(BASE_URL + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  })
  return exports.default.fetch(request)
}
