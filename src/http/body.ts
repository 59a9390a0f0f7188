/** Reads the bodies of requests up to a limit: JSON, forms, and any bytes. */
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { describeLimit, requestLimits } from '../limits.ts'
import { ApiError } from './errors.ts'

/**
 * Returns a function that reads a body of at most `maxSize` bytes, and keeps it in the request for
 * handlers. It refuses a body without reading it if `content-length` is above the limit. `message` is
 * that of `payload_too_large`.
 */
export function bodyReader(maxSize: number, message: string) {
  const limit = bodyLimit({
    maxSize,
    onError: () => {
      throw new ApiError('payload_too_large', message)
    },
  })
  return async (c: Context): Promise<ArrayBuffer> => {
    // RFC 7694.
    if (!/^(identity)?$/i.test(c.req.header('content-encoding') ?? ''))
      throw new ApiError('unsupported_media_type', 'send the body without Content-Encoding', {
        'Accept-Encoding': 'identity',
      })
    try {
      await limit(c, async () => void (await c.req.arrayBuffer()))
      return await c.req.arrayBuffer()
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('invalid_input', 'the body broke off')
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export function decodeUtf8(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid UTF-8')
  }
}

const jsonMediaType = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const readJson = bodyReader(
  requestLimits.json.max,
  `a JSON body may have at most ${describeLimit(requestLimits.json)}`,
)

/** `curl -d` declares a form. With the token in the header, the body is JSON all the same. */
function declareJson(c: Context): void {
  const headers = new Headers(c.req.raw.headers)
  headers.set('content-type', 'application/json')
  const { method, url } = c.req.raw
  c.req.raw = new Request(url, { method, headers })
}

/**
 * Reads the body once and keeps it for handlers that ask for its text or JSON. Throws
 * `unsupported_media_type`, `payload_too_large`, `invalid_input`.
 */
export async function jsonBody(c: Context): Promise<void> {
  const isJson = jsonMediaType.test(c.req.header('content-type')?.trim() ?? '')
  // Other sites can make browsers send forms with the cookie, but no JSON.
  if (!isJson && !c.req.header('authorization'))
    throw new ApiError('unsupported_media_type', 'send the body as application/json in UTF-8')
  const bytes = await readJson(c)
  if (!isJson) declareJson(c)
  refusePrototypes(decodeUtf8(bytes))
}

/** Refuses JSON with a key that objects of JavaScript do not keep: it would be lost without an error. */
function refusePrototypes(text: string): void {
  if (hasPrototype(text)) throw new ApiError('invalid_input', 'the body has a key `__proto__`')
}

/** Whether JSON has a key `__proto__`. What is no JSON is refused by who reads it. */
export function hasPrototype(text: string): boolean {
  // The underscore may be escaped.
  if (!/__proto__|\\u005f/i.test(text)) return false
  let isFound = false
  try {
    JSON.parse(text, (key, value) => {
      isFound ||= key === '__proto__'
      return value
    })
  } catch {
    return false
  }
  return isFound
}

export const formBody = bodyReader(
  requestLimits.form.max,
  `a form may have at most ${describeLimit(requestLimits.form)}`,
)
