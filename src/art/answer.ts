/** Answers a request for a picture of an NFT. */
import type { Context } from 'hono'
import { pictureHeaders } from '../avatars/serve.ts'
import type { Art } from './art.ts'

/** A transparent GIF. With it an `img` shows the drawing below, and no sign of a broken picture. */
const nothing = Uint8Array.from(
  atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  (character) => character.charCodeAt(0),
)

/** `art`: null if there is no picture now. */
export function answerArt(c: Context, art: Art | null) {
  if (art) return c.body(art.body, 200, { ...pictureHeaders, etag: art.etag })
  if (c.req.header('sec-fetch-dest') !== 'image') return c.notFound()
  return c.body(nothing, 404, { 'content-type': 'image/gif' })
}
