/** What the public NFTs and listings are asked for. */
import { base64url } from 'jose'
import * as z from 'zod'
import { amountTypes } from '../db/schema/catalogue.ts'
import { idText, inputText, instant, limitText, without } from '../http/inputs.ts'
import { catalogueLimits } from '../http/limits.ts'

/** The last candidate of a page. `key`: what the list is sorted by before `id` and `target`. */
const Position = z.object({ key: z.string(), id: z.int(), target: z.int() })
export type Position = z.infer<typeof Position>

export const toCursor = (position: Position): string => base64url.encode(JSON.stringify(position))

const notCursor = 'must be the `nextCursor` of an earlier page'
const Cursor = inputText(2000)
  .regex(/^eyJrZXki[\w-]+$/, { error: notCursor, abort: true })
  .transform((text, context) => {
    try {
      return Position.parse(JSON.parse(new TextDecoder().decode(base64url.decode(text))))
    } catch {
      context.addIssue(notCursor)
      return z.NEVER
    }
  })

export const PublicQuery = z.object({
  limit: limitText(20).describe('Elements per page.'),
  cursor: Cursor.optional().describe('The `nextCursor` of the previous page.'),
  sellerId: idText.optional().describe('Selects what this user sells.'),
  creatorId: idText.optional().describe('Selects what this user has created.'),
  active: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Selects by whether a listing is active, has not ended, and is no auction.'),
  amountType: z
    .enum(amountTypes)
    .optional()
    .describe('Selects by whether the number of pieces is limited.'),
  updatedSince: instant
    .optional()
    .describe('Selects by `updatedAt`: this time or later, the oldest first.'),
  q: inputText(1000)
    .check(without(/\p{Cc}/u))
    .regex(/^.{1,255}$/su, 'must be 1 to 255 characters')
    .meta({ pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]{1,255}$' })
    .optional()
    .describe('Selects by the beginning of the title, without the case of ASCII letters.'),
})
export type PublicQuery = z.infer<typeof PublicQuery>

/** The id, or the external id as a text. */
const Reference = z.string().transform((text, context) => {
  const [, number, encoded] = /^\s*(?:([1-9]\d{0,14})\s*|externalId:(.+))$/s.exec(text) ?? []
  try {
    if (number) return Number(number)
    if (encoded) return decodeURIComponent(encoded)
  } catch {}
  context.addIssue('must be a number, or `externalId:` and an id')
  return z.NEVER
})
export type Reference = z.infer<typeof Reference>

export const References = z.object({
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(Reference).max(catalogueLimits.named.max))
    .meta({
      description:
        'Each is a number, or `externalId:` and the id that the operator gave it. In that id, ' +
        'percent-encode `%` and `,` twice. What is given twice counts once.',
      param: { style: 'simple', explode: false },
    }),
})
