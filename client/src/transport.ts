/** Sends the calls of one client. */
import { readError } from './errors.ts'
import { createRequest, type RequestInput } from './request.ts'
import { delayAfter, isRetryable, type RetryOptions, wait } from './retry.ts'
import type { Route } from './schema.ts'

export type ClientOptions = {
  /** Where the API is, such as `https://marketplace.example.com`. */
  url: string
  /** A token of the API. Public operations need none. */
  token?: string | undefined
  retry?: RetryOptions
  /** Sends a request once. The global `fetch` by default. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Call = { signal?: AbortSignal | undefined; headers?: object | undefined }

export type Send = ReturnType<typeof createTransport>

/**
 * Returns a function that sends a call until it succeeds, and returns the body of the response. `T`
 * is the type that the OpenAPI document gives it.
 */
export function createTransport({
  url,
  token,
  retry = {},
  fetch = globalThis.fetch,
}: ClientOptions) {
  const { attempts = 5, delay = 500 } = retry
  let bookmark = ''

  /** Throws `ApiError`, what `fetch` throws, and what reading the body throws. */
  async function sendOnce(target: string, init: RequestInit & { headers: Headers }) {
    const response = await fetch(target, init)
    // Bookmarks sort by age, and responses may come in another order than the requests were sent.
    const received = response.headers.get('x-d1-bookmark') ?? ''
    if (received > bookmark) bookmark = received
    if (!response.ok) throw await readError(response)
    if (response.status === 204) return undefined
    const isJson = response.headers.get('content-type')?.includes('json')
    return isJson ? response.json() : response.blob()
  }

  return async function send<T>(
    route: Route,
    input: RequestInput = {},
    call: Call = {},
  ): Promise<T> {
    const { path, body, headers } = createRequest(route, input)
    if (token) headers.set('authorization', `Bearer ${token}`)
    // Reads are at least as new as what this client has seen.
    if (bookmark) headers.set('x-d1-bookmark', bookmark)
    // The same key for all attempts.
    if (route.hasKey) headers.set('idempotency-key', crypto.randomUUID())
    for (const [name, value] of Object.entries(call.headers ?? {}))
      if (value !== undefined) headers.set(name, value)
    const init = { method: route.method, headers, body, signal: call.signal ?? null }
    const isSafe = route.method !== 'POST' || route.hasKey
    for (let attempt = 1; ; attempt++) {
      try {
        return (await sendOnce(url.replace(/\/$/, '') + path, init)) as T
      } catch (error) {
        call.signal?.throwIfAborted()
        if (attempt >= attempts || !isRetryable(error, isSafe)) throw error
        await wait(delayAfter(attempt, error, delay), call.signal)
      }
    }
  }
}
