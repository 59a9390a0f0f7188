/** Sends the calls of one client. */
import { readAnswer } from './answer.ts'
import { withDeadline } from './deadline.ts'
import { nameAddress, TimeoutError } from './errors.ts'
import { createRequest, type RequestInput } from './request.ts'
import { delayAfter, isRetryable, type RetryOptions, wait } from './retry.ts'
import { routes } from './schema.ts'
import type { OperationId, TimeoutOptions } from './types.ts'

export type ClientOptions = TimeoutOptions & {
  /** Where the API is, such as `https://marketplace.example.com`. */
  url: string
  /** A token of the API. Public operations need none. */
  token?: string | undefined
  retry?: RetryOptions
  /** Sends a request once. The global `fetch` by default. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Call = TimeoutOptions & { signal?: AbortSignal | undefined; headers?: object | undefined }

export type Send = ReturnType<typeof createTransport>

/** Returns the URL without a slash at its end. What paths cannot follow is refused, and not printed. */
function parseBase(text: string): string {
  if (!/^https?:/i.test(URL.canParse(text) ? text : ''))
    throw new TypeError(
      `url must be an http or https URL such as https://marketplace.example.com, not "${text}"`,
    )
  const { username, password, search, hash, origin, pathname } = new URL(text)
  if (username || password || search || hash)
    throw new TypeError('url must have no user, no password, no query and no hash')
  return (origin + pathname).replace(/\/$/, '')
}

/**
 * Returns a function that sends a call until it succeeds, and returns the body of the response. `T`
 * is the type that the OpenAPI document gives it.
 */
export function createTransport({
  url,
  token,
  retry: { attempts = 5, delay = 500, onRetry } = {},
  fetch = globalThis.fetch,
  timeout: callTimeout = 120_000,
  attemptTimeout: defaultAttemptTimeout = 30_000,
}: ClientOptions) {
  const base = parseBase(url)
  // The error of a header would print it.
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('token must be one word, without blanks and line ends')
  let bookmark = ''

  /** Throws what `fetch` and `readAnswer` throw. */
  async function sendOnce(id: OperationId, target: string, init: RequestInit) {
    const response = await fetch(target, init).catch((error: unknown) => {
      throw nameAddress(error, base)
    })
    // Bookmarks sort by age, and responses may come in another order than the requests were sent.
    const received = response.headers.get('x-d1-bookmark') ?? ''
    if (received > bookmark) bookmark = received
    return readAnswer(id, response).catch((error: unknown) => {
      throw nameAddress(error, base)
    })
  }

  /** Returns the method, the headers and the body of all attempts of a call, and their URL. */
  function prepare(id: OperationId, input: RequestInput, own: object = {}) {
    const route = routes[id]
    const { path, body, headers } = createRequest(route, input)
    if (token) headers.set('authorization', `Bearer ${token}`)
    // Reads are at least as new as what this client has seen.
    if (bookmark) headers.set('x-d1-bookmark', bookmark)
    // The same key for all attempts.
    if (route.hasKey) headers.set('idempotency-key', crypto.randomUUID())
    for (const [name, value] of Object.entries(own))
      if (value !== undefined) headers.set(name, value)
    // A redirect leads to another server, or makes a `GET` of the call.
    const init = { method: route.method, headers, body, redirect: 'manual' as const }
    return { target: base + path, init }
  }

  return async function send<T>(
    id: OperationId,
    input: RequestInput = {},
    { signal, headers, timeout = callTimeout, attemptTimeout = defaultAttemptTimeout }: Call = {},
  ): Promise<T> {
    const { target, init } = prepare(id, input, headers)
    const isSafe = init.method !== 'POST' || routes[id].hasKey
    const end = performance.now() + timeout
    let lastError: unknown
    const timedOut = (milliseconds: number) => () => new TimeoutError(id, milliseconds, lastError)

    return withDeadline(
      { milliseconds: timeout, signal, error: timedOut(timeout) },
      async (stop) => {
        for (let attempt = 1; ; attempt++) {
          const limit = {
            milliseconds: attemptTimeout,
            signal: stop,
            error: timedOut(attemptTimeout),
          }
          try {
            return (await withDeadline(limit, (own) =>
              sendOnce(id, target, { ...init, signal: own }),
            )) as T
          } catch (error) {
            stop.throwIfAborted()
            lastError = error
            const pause = delayAfter(attempt, error, delay)
            // Waiting longer than the call may take would only hide the error.
            const isLast = attempt >= attempts || performance.now() + pause >= end
            if (isLast || !isRetryable(error, isSafe)) throw error
            await onRetry?.({ operationId: id, attempt, error, delay: pause })
            await wait(pause, stop)
          }
        }
      },
    )
  }
}
