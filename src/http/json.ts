/** JSON request bodies: declared as JSON, limited in size, UTF-8. */
import type { Context } from 'hono'
import { bodyReader, decodeUtf8 } from './body.ts'
import { ApiError } from './errors.ts'

export const MAX_BODY_MIB = 1

const jsonMediaType = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const readBody = bodyReader(
  MAX_BODY_MIB * 1024 * 1024,
  `a JSON body may have at most ${MAX_BODY_MIB} MiB`,
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
  const bytes = await readBody(c)
  if (!isJson) declareJson(c)
  decodeUtf8(bytes)
}
