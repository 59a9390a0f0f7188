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

/**
 * Returns the value of a JSON body. Throws `unsupported_media_type`, `payload_too_large`,
 * `invalid_input`.
 */
export async function jsonBody(c: Context): Promise<unknown> {
  const isJson = jsonMediaType.test(c.req.header('content-type')?.trim() ?? '')
  // Other sites can make browsers send forms with the cookie, but no JSON. With the token in the
  // header, the body is JSON whatever its type: `curl -d` declares a form.
  if (!isJson && !c.req.header('authorization'))
    throw new ApiError('unsupported_media_type', 'send the body as application/json in UTF-8')
  const text = decodeUtf8(await readBody(c))
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid JSON')
  }
}
