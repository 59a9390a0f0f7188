/** Writes the requests of operations. */
import type { Route } from './schema.ts'
import type { Bytes } from './types.ts'

/** Parameters of path and query by name, and `body`. */
export type RequestInput = { body?: unknown; [parameter: string]: unknown }

/** Returns the path with its query, the body and the type of the body. */
export function createRequest(route: Route, { body, ...parameters }: RequestInput) {
  const query = new URLSearchParams()
  // A list is written with commas.
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) {
      // All halves of a pair would become the same character.
      if (/\p{Cs}/u.test(`${value}`)) throw new TypeError(`${name} has half of a surrogate pair`)
      query.set(name, `${value}`)
    }
  const path = route.path.replace(/{(\w+)}/g, (_, name: string) => {
    const segment = query.get(name) ?? ''
    // Another path would be called.
    if (['', '.', '..'].includes(segment))
      throw new TypeError(`${name} must not be empty, "." or ".."`)
    query.delete(name)
    return encodeURIComponent(segment)
  })
  const headers = new Headers()
  if (route.body === 'json') headers.set('content-type', 'application/json')
  if (route.body === 'bytes') headers.set('content-type', 'application/octet-stream')
  return {
    path: query.size > 0 ? `${path}?${query}` : path,
    headers,
    body: encodeBody(route, body),
  }
}

function encodeBody(route: Route, body: unknown): string | FormData | Bytes | null {
  if (route.body === 'json') return JSON.stringify(body)
  if (route.body === 'form') {
    const form = new FormData()
    for (const [name, file] of Object.entries(Object(body)))
      if (file instanceof Blob) form.set(name, file)
    return form
  }
  return route.body === 'bytes' ? (body as Bytes) : null
}
