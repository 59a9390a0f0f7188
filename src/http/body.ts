/** Reads the bodies of requests up to a limit: JSON, forms, and any bytes. */
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { bufferToFormData } from 'hono/utils/buffer'
import { ApiError } from './errors.ts'

const KIBIBYTE = 1024

/** Largest form, and what a form may have besides a picture, in bytes. */
export const MAX_FORM_BYTES = 16 * KIBIBYTE

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

export const MAX_BODY_MIB = 1

const jsonMediaType = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const readJson = bodyReader(
  MAX_BODY_MIB * 1024 * KIBIBYTE,
  `a JSON body may have at most ${MAX_BODY_MIB} MiB`,
)

/** Returns the value of a body that is declared as JSON, and is UTF-8. */
export async function jsonBody(c: Context): Promise<unknown> {
  const isJson = jsonMediaType.test(c.req.header('content-type')?.trim() ?? '')
  // Other sites can make browsers send forms with the cookie, but no JSON. With the token in the
  // header, the body is JSON whatever its type: `curl -d` declares a form.
  if (!isJson && !c.req.header('authorization'))
    throw new ApiError('unsupported_media_type', 'send the body as application/json in UTF-8')
  const text = decodeUtf8(await readJson(c))
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid JSON')
  }
}

const readForm = bodyReader(
  MAX_FORM_BYTES,
  `a form may have at most ${MAX_FORM_BYTES / KIBIBYTE} KiB`,
)

const formMediaType = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

/** Returns the fields of a form, and nothing of a body of another type. */
export async function formBody(c: Context): Promise<unknown> {
  const bytes = await readForm(c)
  const contentType = c.req.header('content-type')?.trim() ?? ''
  if (!formMediaType.test(contentType)) return {}
  const form = await bufferToFormData(bytes, contentType).catch(() => {
    throw new ApiError('invalid_input', 'the body is not a valid form')
  })
  return singleOrList([...new Set(form.keys())].map((name) => [name, form.getAll(name)]))
}

/** Returns the values by name: a list for a name with several values. */
export const singleOrList = <T>(entries: readonly [name: string, values: T[]][]) =>
  Object.fromEntries(
    entries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
