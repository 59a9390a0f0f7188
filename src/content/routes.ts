import * as z from 'zod'
import { tokenIssuer, verifyDownload } from '../auth/tokens.ts'
import { bodyReader, decodeUtf8 } from '../http/body.ts'
import { Endpoints } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { idText, inputText } from '../http/inputs.ts'
import { contentRateLimit, holderRateLimit } from '../http/rate-limit.ts'
import { contentLimits, describeLimit } from '../limits.ts'
import { fileFromBody } from './body.ts'
import { countCodes, parseCodes, removeCodes, storeCodes } from './codes.ts'
import { answerFile, audioTypes, findFile } from './download.ts'
import { FileName } from './record.ts'
import { readContentOfHolder, readContentOfOrder } from './release.ts'
import {
  Codes,
  Content,
  ContentFiles,
  RemovedCodes,
  StoredCodes,
  StoredContentFile,
} from './schema.ts'
import { listFiles, storeFile } from './upload.ts'

const OrderId = z.object({ order_id: idText.describe('The id of the order.') })
const NftId = z.object({ id: idText.describe('The id of the NFT.') })
const NftRef = z.object({
  nft: z
    .union(
      [
        idText,
        // An id has up to 200 characters, and a character up to 2 units.
        inputText('externalId:'.length + 400)
          .regex(/^externalId:./)
          .transform((text) => text.replace(/^externalId:/, '')),
      ],
      'must be a number, or `externalId:` and an id',
    )
    .describe('The id of the NFT, or `externalId:` with the id of its record.'),
})
const NftFile = NftRef.extend({
  name: FileName.describe('The name of the file, as its record has it.'),
})
const FileParam = z.object({ name: inputText(400).describe('The name of the file.') })
const FileQuery = z.object({ token: inputText(2000).describe('What has released it.') })

const urls = `Its URLs work for ${describeLimit(contentLimits.url)}.`

const readCodes = bodyReader(
  contentLimits.codeBody.max,
  `a call may have at most ${describeLimit(contentLimits.codeBody)}`,
)

export const contentRoutes = new Endpoints({ tag: 'Content' })
  .get(
    '/api/admin/nfts/:nft/files',
    {
      id: 'listContentFiles',
      summary: 'List the files that the catalogue names of an NFT',
      description: 'With what is still missing. The storage is asked, too.',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: NftRef },
      answer: ContentFiles,
      errors: ['not_found'],
    },
    async (c, { param: { nft } }) => ({
      files: await listFiles({ ...c.var, bucket: c.env.CONTENT }, { nft, owner: null }),
    }),
  )
  .put(
    '/api/admin/nfts/:nft/files/:name',
    {
      id: 'storeContentFile',
      summary: 'Store a file of the content of an NFT',
      description:
        'The body is the file that the catalogue names: as many bytes, with that hash. It is streamed, so ' +
        `\`Content-Length\` is required; at most ${describeLimit(contentLimits.file)}. Repeating a call is safe.`,
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: NftFile },
      body: { type: 'application/octet-stream', schema: z.file().describe('The bytes.') },
      answer: StoredContentFile,
      errors: ['not_found', 'conflict', 'file_differs', 'length_required', 'payload_too_large'],
    },
    (c, { param }) => {
      const file = { ...param, owner: null, ...fileFromBody(c) }
      return storeFile({ ...c.var, bucket: c.env.CONTENT }, file)
    },
  )
  .get(
    '/api/admin/nfts/:nft/codes',
    {
      id: 'countCodes',
      summary: 'Count the codes of an NFT',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: NftRef },
      answer: Codes,
      errors: ['not_found', 'conflict'],
    },
    (c, { param: { nft } }) => countCodes(c.var, nft),
  )
  .post(
    '/api/admin/nfts/:nft/codes',
    {
      id: 'storeCodes',
      summary: 'Add codes to an NFT, one for each piece',
      description:
        `The body is text with a code a line: at most ${describeLimit(contentLimits.codeLines)} codes and ` +
        `${describeLimit(contentLimits.codeBody)}. Codes that are there are left out, so repeating a call is ` +
        'safe. In `issues`, `lines[12]` is line 12.',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: NftRef },
      body: { type: 'text/plain', schema: z.file().describe('A code a line, in UTF-8.') },
      answer: StoredCodes,
      errors: [
        ...(['not_found', 'conflict', 'content_full', 'payload_too_large'] as const),
        'unsupported_media_type',
      ],
    },
    async (c, { param: { nft } }) => {
      const codes = parseCodes(decodeUtf8(await readCodes(c)))
      return storeCodes(c.var, { nft, codes })
    },
  )
  .delete(
    '/api/admin/nfts/:nft/codes',
    {
      id: 'removeCodes',
      summary: 'Remove the codes of pieces that are not sold',
      description: 'So many pieces less are sold. What is sold or reserved keeps as many codes.',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: NftRef },
      answer: RemovedCodes,
      errors: ['not_found', 'conflict'],
    },
    (c, { param: { nft } }) => removeCodes(c.var, nft),
  )
  .get(
    '/api/externalOrders/:order_id/content',
    {
      id: 'getContentOfOrder',
      summary: 'Get the content that an order has released',
      description: `For the buyer, the creator and master tokens, once the NFT is delivered. ${urls} Codes are for the buyer and master tokens, whose call is recorded in the audit log.`,
      access: 'token',
      reads: 'primary',
      isStrict: true,
      input: { param: OrderId },
      checks: [contentRateLimit],
      answer: Content,
      errors: ['order_not_found', 'not_found', 'not_delivered'],
    },
    (c, { param }) => readContentOfOrder(c.var, param.order_id),
  )
  .get(
    '/api/public/nfts/:id/content',
    {
      id: 'getContentOfHolder',
      summary: 'Get the content of an NFT as the holder of its token',
      description: `If its \`release\` is \`holder\`. All nodes of the network are asked who holds it. ${urls}`,
      access: 'token',
      reads: 'primary',
      input: { param: NftId },
      checks: [contentRateLimit, holderRateLimit],
      answer: Content,
      errors: ['not_found', 'try_later'],
    },
    (c, { param }) => readContentOfHolder(c.var, param.id),
  )
  .get(
    '/files/:name',
    {
      id: 'loadContentFile',
      summary: 'Load a file of the content of an NFT',
      description:
        'At a `url` of the content. `Range`, `If-Range` and `If-None-Match` are heeded. What a fork of the ' +
        'chain has undone since is not released any more.',
      access: 'public',
      reads: 'primary',
      input: { param: FileParam, query: FileQuery },
      answer: z
        .file()
        .mime([...audioTypes, 'application/octet-stream'])
        .describe('The file.'),
      partial: 'The part that `Range` asks for.',
      headers: { ETag: 'Identifies the file, for `If-None-Match` and `If-Range`.' },
      bodiless: {
        304: 'The file has the ETag that `If-None-Match` names.',
      },
      errors: ['link_expired', 'not_found', 'range_not_satisfiable'],
    },
    async (c, { query }) => {
      const { db, settings, now } = c.var
      const claims = await verifyDownload(tokenIssuer(settings), query.token, now)
      if (!claims)
        throw new ApiError(
          'link_expired',
          'the URL has expired, or is not complete: ask for a new one',
        )
      const response = await answerFile(c, await findFile(db, claims))
      // Who has the URL may play it on any site.
      response.headers.set('cross-origin-resource-policy', 'cross-origin')
      return response
    },
  )
