/**
 * What a JSON body must be before its fields are looked at: declared as JSON, of a decent size,
 * UTF-8 (RFC 8259, section 8.1), and without two meanings. Decisions: "Limits".
 */
import type { Context, Next } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { ApiError } from './errors.ts'

/** Bytes. */
const LARGEST_BODY = 1024 * 1024
const DEEPEST_NESTING = 32

const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const limit = bodyLimit({
  maxSize: LARGEST_BODY,
  onError: () => {
    throw new ApiError('payload_too_large', 'a JSON body may have at most 1 MiB')
  },
})

/**
 * Reads the body once, for whoever asks the request for its text or JSON later. Throws
 * `unsupported_media_type`, `payload_too_large`, `invalid_input`.
 */
export async function jsonBody(c: Context, next: Next): Promise<void> {
  if (!isJson.test(c.req.header('content-type')?.trim() ?? ''))
    throw new ApiError('unsupported_media_type', 'send the body as application/json in UTF-8')
  await limit(c, async () => {
    refuseAmbiguity(decode(await c.req.arrayBuffer()))
    await next()
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function decode(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid UTF-8')
  }
}

/**
 * Refuses what `JSON.parse` lets pass: a key given twice, of which it would silently drop one;
 * nesting without end; and half of a surrogate pair, which is no text. Of a body that is not
 * JSON at all it may miss these.
 */
function refuseAmbiguity(text: string): void {
  const hasEscapedSurrogate = /\\u[dD][89a-fA-F]/.test(text)
  /** The keys of each object that is open; null stands for an array. */
  const open: (Set<string> | null)[] = []
  let field = 'the body'
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '{' || character === '[') {
      if (open.push(character === '{' ? new Set() : null) > DEEPEST_NESTING)
        throw new ApiError('invalid_input', `the body nests deeper than ${DEEPEST_NESTING} levels`)
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === '"') {
      const end = endOfString(text, i)
      const quoted = text.slice(i, end + 1)
      if (hasEscapedSurrogate && !unquoted(quoted).isWellFormed())
        throw new ApiError('invalid_input', `${field}: has half of a surrogate pair`)
      const keys = open.at(-1)
      if (keys && isKey(text, end + 1)) {
        const key = unquoted(quoted)
        field = key.slice(0, 80)
        if (keys.has(key)) throw new ApiError('invalid_input', `${field}: is given twice`)
        keys.add(key)
      }
      i = end
    }
  }
}

/** The index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** Whether a colon follows. */
function isKey(text: string, at: number): boolean {
  let i = at
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return text[i] === ':'
}

function unquoted(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    // Not JSON, which whoever parses the body will say.
    return quoted
  }
}
