/** What answers show of content. */
import * as z from 'zod'
import { always, model, orNull, positive, text, time } from '../http/fields.ts'

const fileFields = () => ({
  name: text('Name.'),
  type: text('Media type, as its creator says it.'),
  bytes: positive('Size.'),
  sha256: text('SHA-256 of its bytes, in hex.'),
})

const LoadableFile = model('LoadableFile', 'A file, and where it can be loaded now.', () => ({
  ...fileFields(),
  url: z.url().describe('Where it can be loaded until `expiresAt`, also in parts. Keep it secret.'),
}))

export const Content = model('Content', 'What a buyer or holder gets besides the token.', () => ({
  phrase: orNull(text('The secret phrase; null without one.')),
  files: z.array(LoadableFile).describe('The files.'),
  expiresAt: time('When the URLs expire. Ask again for new ones.'),
}))

const NamedFile = model('NamedFile', 'A file that the catalogue names.', () => ({
  ...fileFields(),
  state: always('`missing` until its bytes are stored.', 'missing', 'stored'),
}))

export const ContentFiles = model('ContentFiles', 'The files of the content of an NFT.', () => ({
  files: z.array(NamedFile).describe('In the order of the record.'),
}))

export const StoredContentFile = model('StoredContentFile', 'A file that was stored.', () => ({
  name: text('Name.'),
  bytes: positive('Size.'),
  sha256: text('SHA-256 of its bytes, in hex.'),
  missingFiles: z
    .int()
    .min(0)
    .describe('Files of the NFT that are still missing. With none, it is sold.'),
}))
