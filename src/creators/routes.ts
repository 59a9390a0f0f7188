import type { Context } from 'hono'
import * as z from 'zod'
import { answerArt } from '../art/answer.ts'
import { artSizes } from '../art/art.ts'
import { pictureAnswer } from '../avatars/serve.ts'
import { pictureFromBody } from '../avatars/source.ts'
import { fileFromBody } from '../content/body.ts'
import { serveFile } from '../content/download.ts'
import { FileName } from '../content/record.ts'
import { ContentFiles, StoredContentFile } from '../content/schema.ts'
import { listFiles, storeFile } from '../content/upload.ts'
import { proposalKinds } from '../db/schema/creators.ts'
import { type AppWithCaller, Endpoints } from '../http/endpoint.ts'
import { ApiError, type ErrorCode } from '../http/errors.ts'
import { cursorText, flagText, idText, limitText, writtenText } from '../http/inputs.ts'
import { avatarRateLimit } from '../http/rate-limit.ts'
import { contentLimits, creatorLimits, describeLimit, peopleLimits } from '../limits.ts'
import { replaceCover } from './cover.ts'
import { listOwn, type Own, readOwnRecord, requireStored, type Stored } from './own.ts'
import { planListing, planNft, type RecordPlan, requireCreator } from './plan.ts'
import { type Kind, ListingBody, NftBody, Ref, readFields } from './record.ts'
import {
  approveProposal,
  findProposedFile,
  listWaiting,
  type Proposal,
  readProposedArt,
  rejectProposal,
} from './review.ts'
import { type SaveCtx, saveRecord } from './save.ts'
import { Decided, OwnListings, OwnNfts, OwnRecord, WaitingProposals } from './schema.ts'
import { tellDecision } from './tell.ts'
import { withdrawRecord } from './withdraw.ts'

const RefParam = z.object({ ref: Ref.describe('What you call it.') })
const FileParam = RefParam.extend({
  name: FileName.describe('The name of the file, as the record has it.'),
})
const ConfirmQuery = z.object({
  confirm: flagText
    .prefault('false')
    .describe('Whether a price may become more than double or less than half of what it is.'),
})
const MineQuery = z.object({
  mine: z
    .literal('true')
    .describe('What is on sale is at `/api/public/nfts` and `/api/public/listings`.'),
  limit: limitText(20).describe('Elements per page.'),
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
})
const ProposalParam = z.object({
  kind: z.enum(proposalKinds).describe('What it is.'),
  number: idText.describe('The id of the NFT or the listing.'),
})
const version = z.uuid().describe('The `version` that was looked at.')
const Approval = z
  .strictObject({ version })
  .meta({ id: 'Approval', description: 'What is approved.' })
const Rejection = z
  .strictObject({
    version,
    reason: writtenText(creatorLimits.reason.max, 1).describe(
      'Why, in a sentence: a mail says it.',
    ),
  })
  .meta({ id: 'Rejection', description: 'What is rejected, and why.' })

/** What a call that lists something may throw. */
const saveErrors: readonly ErrorCode[] = [
  'not_a_creator',
  'withdrawn',
  'wallet_required',
  'not_held',
  'mint_not_permitted',
  'not_deliverable',
  'confirmation_required',
  'cannot_change',
  'amount_too_small',
  'token_taken',
  'network_not_found',
  'invalid_character',
  'content_full',
  'nft_not_found',
  'not_found',
  'conflict',
  'try_later',
]

const toOwnRecord = ({ json: _, proposal, ...stored }: Stored) => {
  if (!proposal) return { ...stored, proposal }
  const { version: _version, ...shown } = proposal
  return { ...stored, proposal: shown }
}

const toWaiting = ({ kind, number, version, submittedAt, nftId, userId, ...it }: Proposal) => ({
  ...{ kind, number, version, submittedAt, nftId, userId },
  record: it.record,
  fields: it.fields,
})

/** Returns a record as it is stored now. Throws `not_found`. */
const showRecord = async (ctx: SaveCtx, kind: Kind, ref: string) =>
  toOwnRecord(requireStored(await readOwnRecord(ctx, kind, ref)))

/** Stores what was planned, and returns what is stored then. */
async function save(ctx: SaveCtx, ref: string, own: Own, plan: RecordPlan) {
  await saveRecord(ctx, own, plan)
  return showRecord(ctx, plan.kind, ref)
}

/** Withdraws a record, and returns it. */
async function withdraw(ctx: SaveCtx, kind: Kind, ref: string) {
  await withdrawRecord(ctx, kind, await readOwnRecord(ctx, kind, ref))
  return showRecord(ctx, kind, ref)
}

/** The pictures of NFTs are in the bucket of avatars. */
const pictureContext = (c: Context<AppWithCaller>) => ({
  ...c.var,
  bucket: c.env.AVATARS,
  images: c.env.IMAGES,
  waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
})

/** Returns what selects an own NFT for the files of its content. */
async function ownTarget(ctx: SaveCtx, ref: string) {
  const { number } = requireStored(await readOwnRecord(ctx, 'nft', ref))
  return { nft: number, owner: ctx.caller.userId }
}

const changes = { access: 'token', reads: 'primary', isStrict: true } as const
const limits = `At most ${describeLimit(creatorLimits.newRecords)} new records.`

export const creatorRoutes = new Endpoints({ tag: 'Creators' })
  .get(
    '/api/nfts',
    {
      id: 'listOwnNfts',
      summary: 'List the NFTs that you have created',
      description: 'Also drafts, and what was withdrawn.',
      access: 'token',
      reads: 'nearest',
      input: { query: MineQuery },
      answer: OwnNfts,
    },
    async (c, { query: { cursor: before = Number.MAX_SAFE_INTEGER, limit } }) => {
      const { page, next } = await listOwn(c.var, 'nft', { before, limit })
      return { nfts: page.map(toOwnRecord), nextCursor: next }
    },
  )
  .put(
    '/api/nfts/:ref',
    {
      id: 'putNft',
      summary: 'List an NFT, or change it',
      description:
        'The body is the record, without what follows from who sends it. With `publish`, nodes are asked ' +
        'whether the linked wallet holds the pieces, or owns the contract that mints them, and whether a ' +
        'delivery passes. Then it is on sale, or waits to be approved. ' +
        `Repeating a call is safe. ${limits}`,
      ...changes,
      input: { param: RefParam, query: ConfirmQuery, json: NftBody },
      answer: OwnRecord,
      errors: saveErrors,
    },
    async (c, { param: { ref }, query: { confirm: isConfirmed }, json: { publish } }) => {
      const own = await readOwnRecord(c.var, 'nft', ref)
      requireCreator(c.var.settings, own)
      const fields = readFields(await c.req.text())
      const plan = planNft(c.var.settings, own, { fields, publish, isConfirmed })
      return save(c.var, ref, own, plan)
    },
  )
  .delete(
    '/api/nfts/:ref',
    {
      id: 'withdrawNft',
      summary: 'Withdraw an NFT',
      description: 'It is sold no more. What is paid is delivered.',
      ...changes,
      input: { param: RefParam },
      answer: OwnRecord,
      errors: ['not_found', 'conflict'],
    },
    (c, { param: { ref } }) => withdraw(c.var, 'nft', ref),
  )
  .put(
    '/api/nfts/:ref/cover',
    {
      id: 'putCover',
      summary: 'Upload the cover of an own NFT',
      description:
        'The body is a JPEG, PNG, GIF or WebP file: the bytes decide, whatever `Content-Type` says. It has at ' +
        `most ${describeLimit(peopleLimits.picture)} and ${peopleLimits.pixels.max / 1e6} megapixels, and is stored ` +
        `as a JPEG of at most ${artSizes.page} × ${artSizes.page} pixels without metadata. Of an NFT on sale it waits ` +
        'to be approved, unless you are approved; the cover before stays until then. Repeating a call is safe.',
      ...changes,
      checks: [avatarRateLimit],
      input: { param: RefParam },
      body: { type: 'application/octet-stream', schema: z.file().describe('The picture.') },
      answer: OwnRecord,
      errors: [
        ...(['not_a_creator', 'withdrawn', 'not_found', 'conflict', 'try_later'] as const),
        ...(['content_full', 'payload_too_large', 'unsupported_media_type'] as const),
      ],
    },
    async (c, { param: { ref } }) => {
      const own = await readOwnRecord(c.var, 'nft', ref)
      requireCreator(c.var.settings, own)
      await replaceCover(pictureContext(c), own, () => pictureFromBody(c))
      return showRecord(c.var, 'nft', ref)
    },
  )
  .get(
    '/api/nfts/:ref/files',
    {
      id: 'listOwnFiles',
      summary: 'List the files that the record of an own NFT names',
      description: 'With what is still missing. The storage is asked, too.',
      ...changes,
      input: { param: RefParam },
      answer: ContentFiles,
      errors: ['not_found'],
    },
    async (c, { param: { ref } }) => ({
      files: await listFiles({ ...c.var, bucket: c.env.CONTENT }, await ownTarget(c.var, ref)),
    }),
  )
  .put(
    '/api/nfts/:ref/files/:name',
    {
      id: 'putFile',
      summary: 'Upload a file of the content of an own NFT',
      description:
        'The body is the file that the record names in `content.files`: as many bytes, with that hash. It is ' +
        `streamed, so \`Content-Length\` is required; at most ${describeLimit(contentLimits.file)}. The NFT is ` +
        'sold once none is missing. Repeating a call is safe.',
      ...changes,
      input: { param: FileParam },
      body: { type: 'application/octet-stream', schema: z.file().describe('The bytes.') },
      answer: StoredContentFile,
      errors: ['not_found', 'conflict', 'file_differs', 'length_required', 'payload_too_large'],
    },
    async (c, { param: { ref, name } }) => {
      const file = { ...(await ownTarget(c.var, ref)), name, ...fileFromBody(c) }
      return storeFile({ ...c.var, bucket: c.env.CONTENT }, file)
    },
  )
  .get(
    '/api/listings',
    {
      id: 'listOwnListings',
      summary: 'List what you sell',
      description: 'Also drafts, and what was withdrawn.',
      access: 'token',
      reads: 'nearest',
      input: { query: MineQuery },
      answer: OwnListings,
    },
    async (c, { query: { cursor: before = Number.MAX_SAFE_INTEGER, limit } }) => {
      const { page, next } = await listOwn(c.var, 'listing', { before, limit })
      return { listings: page.map(toOwnRecord), nextCursor: next }
    },
  )
  .put(
    '/api/listings/:ref',
    {
      id: 'putListing',
      summary: 'Sell an own NFT, or change how',
      description:
        'It is on sale as soon as its NFT is. A `shopUrl` waits to be approved. Repeating a call is ' +
        `safe. ${limits}`,
      ...changes,
      input: { param: RefParam, query: ConfirmQuery, json: ListingBody },
      answer: OwnRecord,
      errors: saveErrors,
    },
    async (c, { param: { ref }, query: { confirm: isConfirmed }, json: { publish } }) => {
      const own = await readOwnRecord(c.var, 'listing', ref)
      requireCreator(c.var.settings, own)
      const fields = readFields(await c.req.text())
      const plan = planListing(c.var.settings, own, { fields, publish, isConfirmed })
      return save(c.var, ref, own, plan)
    },
  )
  .delete(
    '/api/listings/:ref',
    {
      id: 'withdrawListing',
      summary: 'Withdraw a listing',
      description: 'It is sold no more. What is paid is delivered.',
      ...changes,
      input: { param: RefParam },
      answer: OwnRecord,
      errors: ['not_found', 'conflict'],
    },
    (c, { param: { ref } }) => withdraw(c.var, 'listing', ref),
  )
  .get(
    '/api/admin/proposals',
    {
      id: 'listProposals',
      summary: 'List what waits to be approved',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: {
        query: z.object({ limit: limitText(20).describe('Elements to list.') }),
      },
      answer: WaitingProposals,
    },
    async (c, { query }) => {
      const { proposals, total } = await listWaiting(c.var, query)
      return { proposals: proposals.map(toWaiting), total }
    },
  )
  .post(
    '/api/admin/proposals/:kind/:number/approve',
    {
      id: 'approveProposal',
      summary: 'Put on sale what waits',
      description: 'Nodes are asked again whether what is new can be delivered.',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: ProposalParam, json: Approval },
      answer: Decided,
      errors: [
        'not_found',
        'conflict',
        'content_missing',
        'wallet_required',
        'not_held',
        'mint_not_permitted',
        'not_deliverable',
        'network_not_found',
        'try_later',
      ],
    },
    async (c, { param, json }) => {
      tellDecision(c, await approveProposal(pictureContext(c), { ...param, ...json }), null)
      return { number: param.number, state: 'released' as const }
    },
  )
  .post(
    '/api/admin/proposals/:kind/:number/reject',
    {
      id: 'rejectProposal',
      summary: 'Reject what waits',
      description: 'What is on sale stays as it is.',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: ProposalParam, json: Rejection },
      answer: Decided,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param, json }) => {
      tellDecision(c, await rejectProposal(c.var, { ...param, ...json }), json.reason)
      return { number: param.number, state: 'rejected' as const }
    },
  )
  .get(
    '/operations/review/nft/:number/cover',
    {
      access: 'administrator',
      reads: 'primary',
      input: { param: ProposalParam.pick({ number: true }) },
      middleware: pictureAnswer.middleware,
    },
    async (c, { param: { number } }) =>
      answerArt(c, await readProposedArt(pictureContext(c), number)),
  )
  .get(
    '/operations/review/nft/:number/files/:name',
    {
      access: 'administrator',
      reads: 'primary',
      input: { param: ProposalParam.pick({ number: true }).extend({ name: FileName }) },
    },
    async (c, { param }) => {
      const file = await findProposedFile(c.var, param)
      const served = await serveFile(c.env.CONTENT, file, c.req)
      if (!served) throw new ApiError('not_found', 'the storage has lost this file')
      return c.newResponse(served.body, served.status, served.headers)
    },
  )
