import * as z from 'zod'
import { proposalKinds } from '../db/schema/creators.ts'
import { Endpoints } from '../http/endpoint.ts'
import type { ErrorCode } from '../http/errors.ts'
import { cursorText, flagText, idText, limitText, writtenText } from '../http/inputs.ts'
import { creatorLimits, describeLimit } from '../limits.ts'
import { listOwn, type Own, readOwn, requireStored, type Stored } from './own.ts'
import { type Plan, planListing, planNft, requireCreator } from './plan.ts'
import { ListingBody, NftBody, Ref, readFields } from './record.ts'
import { approveProposal, listWaiting, type Proposal, rejectProposal } from './review.ts'
import { type SaveCtx, saveRecord } from './save.ts'
import { Decided, OwnListings, OwnNfts, OwnRecord, WaitingProposals } from './schema.ts'
import { withdrawRecord } from './withdraw.ts'

const RefParam = z.object({ ref: Ref.describe('What you call it.') })
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
  before: cursorText.optional().describe('The `next` of the page before.'),
})
const ProposalParam = z.object({
  kind: z.enum(proposalKinds).describe('What it is.'),
  number: idText.describe('The id of the NFT or the listing.'),
})
const version = z.uuid().describe('The `version` that was looked at.')
const Approval = z.strictObject({ version })
const Rejection = z.strictObject({
  version,
  reason: writtenText(creatorLimits.reason.max, 1).describe('Why, in a sentence: a mail says it.'),
})

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

/** Stores what was planned, and returns what is stored then. */
async function save(ctx: SaveCtx, ref: string, own: Own, plan: Plan) {
  await saveRecord(ctx, own, plan)
  return toOwnRecord(requireStored(await readOwn(ctx, plan.kind, ref)))
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
    async (c, { query: { before = Number.MAX_SAFE_INTEGER, limit } }) => {
      const { page, next } = await listOwn(c.var, 'nft', { before, limit })
      return { nfts: page.map(toOwnRecord), next }
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
      const own = await readOwn(c.var, 'nft', ref)
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
    async (c, { param: { ref } }) => {
      await withdrawRecord(c.var, 'nft', await readOwn(c.var, 'nft', ref))
      return toOwnRecord(requireStored(await readOwn(c.var, 'nft', ref)))
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
    async (c, { query: { before = Number.MAX_SAFE_INTEGER, limit } }) => {
      const { page, next } = await listOwn(c.var, 'listing', { before, limit })
      return { listings: page.map(toOwnRecord), next }
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
      const own = await readOwn(c.var, 'listing', ref)
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
    async (c, { param: { ref } }) => {
      await withdrawRecord(c.var, 'listing', await readOwn(c.var, 'listing', ref))
      return toOwnRecord(requireStored(await readOwn(c.var, 'listing', ref)))
    },
  )
  .get(
    '/api/admin/proposals',
    {
      id: 'listProposals',
      summary: 'List what waits to be approved',
      access: 'master',
      reads: 'primary',
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
      await approveProposal(c.var, { ...param, ...json })
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
      await rejectProposal(c.var, { ...param, ...json })
      return { number: param.number, state: 'rejected' as const }
    },
  )
