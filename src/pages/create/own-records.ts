/** What the signed-in user lists: an NFT, and the listing of the same `ref`. */
import { readAsUser } from '../../auth/session.ts'
import type { Fields } from '../../catalogue/change.ts'
import {
  isWithdrawnListingSql,
  type Own,
  selectOwn,
  selectOwnPage,
  toOwn,
  toOwnPage,
} from '../../creators/own.ts'
import { planListing, planNft, requireCreator, tokenOf } from '../../creators/plan.ts'
import { type SaveCtx, saveRecord } from '../../creators/save.ts'
import { withdrawRecord } from '../../creators/withdraw.ts'
import { raw } from '../../db/statements.ts'
import { checkSales } from '../../delivery/sales.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError, type Issue, rejected } from '../../http/errors.ts'
import type { Found } from '../components/request.ts'
import { type Chosen, type Entered, enterOwnNft, enterOwnOffer, startRecord } from './record.ts'

const PAGE_SIZE = 20

type Offer = { nftId: number; priceCents: number; priceCurrency: string; isEnded: 0 | 1 }

/**
 * Returns the signed-in user, and a page of the NFTs that the user lists, the newest first, each with the price
 * for which it is offered.
 */
export async function listOwnRecords(ctx: Ctx, { before }: { before: number }) {
  const { db, caller } = ctx
  const limit = PAGE_SIZE
  const { account, rows, offers } = await readAsUser(ctx, {
    rows: selectOwnPage(ctx, 'nft', { before, limit }),
    offers: raw<Offer>(db)`SELECT own.id AS nftId, l.priceCents, l.priceCurrency,
        ${isWithdrawnListingSql} AS isEnded
      FROM (SELECT id, externalId FROM nfts
          WHERE creatorId = ${caller.userId} AND deletedAt IS NULL AND id < ${before}
          ORDER BY id DESC LIMIT ${limit}) own
        CROSS JOIN listings l ON l.externalId = own.externalId AND l.sellerId = ${caller.userId}`,
  })
  const { page, next } = toOwnPage(rows, { limit })
  const nfts = page.map((nft) => {
    const offer = offers.find(({ nftId }) => nftId === nft.number)
    const { priceCents, priceCurrency } = offer ?? nft.record
    return {
      ...nft,
      state: offer?.isEnded ? 'withdrawn' : nft.state,
      price: { price: Number(priceCents), currency: String(priceCurrency) },
    } as const
  })
  return { account, nfts, next }
}

export type ListedRecord = Awaited<ReturnType<typeof listOwnRecords>>['nfts'][number]

/** The record with what waits of it. */
const withWaiting = ({ stored }: Own): Fields | null =>
  stored && { ...stored.record, ...stored.proposal?.fields }

/** Reads the signed-in user, and what the user lists under a `ref`. */
async function readBoth(ctx: Ctx, ref: string) {
  const { account, nfts, listings } = await readAsUser(ctx, {
    nfts: selectOwn(ctx, 'nft', ref),
    listings: selectOwn(ctx, 'listing', ref),
  })
  return { account, nft: toOwn(nfts, ref), listing: toOwn(listings, ref) }
}

/**
 * Returns the signed-in user, and what the user lists under a `ref`: its records with what waits of them.
 * `chosen`: a token, with which the form of a new one begins. Throws `not_found` if there is neither.
 */
export async function readOwnRecords(ctx: Ctx, ref: string, chosen: Chosen | null) {
  const { account, nft, listing } = await readBoth(ctx, ref)
  const record = withWaiting(nft) ?? (chosen && startRecord(chosen))
  if (!record) throw new ApiError('not_found', 'you list nothing under this ref')
  const state = listing.stored?.state === 'withdrawn' ? 'withdrawn' : nft.stored?.state
  return { account, nft, listing, record, offer: withWaiting(listing), state }
}

export type OwnRecords = Found<typeof readOwnRecords>

/** The fields of the form by the paths of the records. */
const formFields: Readonly<Record<string, string>> = {
  'metadata.name': 'title',
  'content.phrase': 'phrase',
}

function toFormIssues(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const issues = error.issues.map(
    (issue): Issue => ({ ...issue, path: formFields[issue.path] ?? issue.path }),
  )
  const [first, ...others] = issues
  throw first?.path ? rejected([first, ...others]) : error
}

/** Stores what was entered of both. Throws what `saveRecord` throws, by the fields of the form. */
export async function saveOwnRecords(ctx: SaveCtx, ref: string, form: Entered): Promise<void> {
  const { nft, listing, record, offer } = await readOwnRecords(ctx, ref, form)
  requireCreator(ctx.settings, nft)
  const sent = { publish: form.action === 'publish', isConfirmed: form.confirm }
  try {
    const plan = planNft(ctx.settings, nft, { fields: enterOwnNft(record, form), ...sent })
    const fields = enterOwnOffer(offer ?? {}, ref, form)
    const ofListing = planListing(ctx.settings, listing, { fields, ...sent })
    await saveRecord(ctx, nft, plan)
    await saveRecord(ctx, listing, ofListing)
  } catch (error) {
    toFormIssues(error)
  }
}

/** Takes both from the sale. Throws `not_found`. */
export async function withdrawOwnRecords(ctx: SaveCtx, ref: string): Promise<void> {
  const { nft, listing } = await readBoth(ctx, ref)
  if (listing.stored) await withdrawRecord(ctx, 'listing', listing)
  await withdrawRecord(ctx, 'nft', nft)
}

/** Milliseconds that nodes have. */
const TIMEOUT = 5_000

/** Returns whether the Delivery contract lacks the permission to deliver what is offered. */
export async function lacksPermission(
  { now, settings }: SaveCtx,
  { stored, user }: Own,
): Promise<boolean> {
  if (!stored || stored.state === 'withdrawn') return false
  const sale = { ...tokenOf(stored.record, stored), heldBySeller: true, seller: user.wallet }
  const [asked] = await checkSales(settings, [sale], now, AbortSignal.timeout(TIMEOUT))
  return asked?.permission.is === 'missing'
}
