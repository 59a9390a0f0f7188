/** What answers show of content. */
import * as z from 'zod'
import { always, count, model, orNull, positive, text, time } from '../http/fields.ts'

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
  codes: orNull(
    z.array(z.string()).describe('The codes of the pieces, which are for this order alone.'),
  ).describe('Null for who may not read them, and for an NFT without codes.'),
  missingCodes: count('Pieces whose code is not there yet. It comes by itself.'),
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

const codeFields = () => ({
  codes: count('All codes.'),
  given: count('Codes that belong to an order.'),
  forSale: count('Pieces left to sell.'),
  owed: count('Delivered orders that wait for codes. The next ones are theirs.'),
})

export const Codes = model('Codes', 'How many codes an NFT has.', codeFields)

export const StoredCodes = model('StoredCodes', 'What was added to the codes of an NFT.', () => ({
  added: count('Codes that are new.'),
  ...codeFields(),
}))

export const RemovedCodes = model('RemovedCodes', 'What was removed of them.', () => ({
  removed: count('Codes that were removed.'),
  ...codeFields(),
}))
