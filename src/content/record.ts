/** What the record of an NFT says of its content. */
import * as z from 'zod'
import { contentReleases } from '../db/schema/catalogue.ts'
import { identifier, writtenText } from '../http/inputs.ts'
import { contentLimits, describeLimit } from '../limits.ts'

/** The name of a file: its characters are visible, so that people see which one they load. */
export const FileName = identifier(100, /[\p{C}\p{Zl}\p{Zp}/\\]/u).refine(
  (name) => name !== '.' && name !== '..',
  'must be the name of a file',
)

const MediaType = z
  .string()
  .max(100)
  .regex(/^[a-z]+\/[a-z0-9][\w!#$&^.+-]*$/, 'must be a media type, as in "audio/mpeg"')

const ContentFile = z.strictObject({
  name: FileName.describe('Its name, by which it is uploaded and downloaded.'),
  type: MediaType.describe('Its media type.'),
  bytes: z.int().min(1).max(contentLimits.file.max).describe('Its size.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')
    .describe('The SHA-256 of its bytes, in hex.'),
})

const total = (files: readonly { bytes: number }[]) =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

export const ContentRecord = z
  .strictObject({
    release: z
      .enum(contentReleases)
      .describe('Who gets it: the buyer once it is delivered, or who holds the token now.'),
    phrase: writtenText(contentLimits.phrase.max, 1)
      .nullable()
      .default(null)
      .describe('A secret phrase.'),
    codes: z
      .boolean()
      .default(false)
      .describe(
        'Whether each piece has a code of its own. They are uploaded after the import, and `amount` is their number.',
      ),
    files: z
      .array(ContentFile)
      .max(contentLimits.files.max)
      .refine(
        (files) => total(files) <= contentLimits.ofNft.max,
        `must have at most ${describeLimit(contentLimits.ofNft)} together`,
      )
      .refine(
        (files) => new Set(files.map(({ name }) => name)).size === files.length,
        'must have names that differ',
      )
      .default([])
      .describe('Its files. They are uploaded after the import; nothing is sold before.'),
  })
  .refine(({ phrase, codes, files }) => phrase !== null || codes || files.length > 0, {
    error: 'must have a phrase, codes or files',
    path: ['files'],
  })
  .refine(({ release, codes }) => !codes || release === 'delivered', {
    error: 'must be "delivered" with codes: they are for who has bought a piece',
    path: ['release'],
  })
