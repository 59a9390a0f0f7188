/** What the signed-in user lists: an NFT, and the listing of the same `ref`. */
import { readAs } from '../../auth/access.ts'
import type { Fields } from '../../catalogue/change.ts'
import { isEndedSql, listOwn, type Own, readOwn } from '../../creators/own.ts'
import { planListing, planNft, requireCreator, tokenOf } from '../../creators/plan.ts'
import { type SaveCtx, saveRecord } from '../../creators/save.ts'
import { withdrawRecord } from '../../creators/withdraw.ts'
import { raw } from '../../db/statements.ts'
import { checkSales } from '../../delivery/sales.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError, type Issue, rejected } from '../../http/errors.ts'
import { type Chosen, type Entered, enterNft, enterOffer, startRecord } from './record.ts'

const PAGE_SIZE = 20

type Offer = { nftId: number; priceCents: number; priceCurrency: string; isEnded: 0 | 1 }

/** Returns a page of the NFTs of the user, the newest first, each with the price for which it is offered. */
export async function listOwnRecords(ctx: Ctx, { before }: { before: number }) {
  const { db, caller } = ctx
  const [{ page, next }, { offers }] = await Promise.all([
    listOwn(ctx, 'nft', { before, limit: PAGE_SIZE }),
    readAs(db, caller, {
      offers: raw<Offer>(db)`SELECT n.id AS nftId, l.priceCents, l.priceCurrency,
          ${isEndedSql} AS isEnded
        FROM (SELECT id, externalId FROM nfts
            WHERE creatorId = ${caller.userId} AND deletedAt IS NULL AND id < ${before}
            ORDER BY id DESC LIMIT ${PAGE_SIZE}) n
          CROSS JOIN listings l ON l.externalId = n.externalId AND l.sellerId = ${caller.userId}`,
    }),
  ])
  const nfts = page.map((nft) => {
    const offer = offers.find(({ nftId }) => nftId === nft.number)
    const { priceCents, priceCurrency } = offer ?? nft.record
    return {
      ...nft,
      state: offer?.isEnded ? 'withdrawn' : nft.state,
      price: { price: Number(priceCents), currency: String(priceCurrency) },
    } as const
  })
  return { nfts, next }
}

export type ListedRecord = Awaited<ReturnType<typeof listOwnRecords>>['nfts'][number]

/** The record with what waits of it. */
const withWaiting = ({ stored }: Own): Fields | null =>
  stored && { ...stored.record, ...stored.proposal?.fields }

/**
 * Returns what the user lists under a `ref`: its records with what waits of them. `chosen`: a token, with which
 * the form of a new one begins. Throws `not_found` if there is neither.
 */
export async function readOwnRecords(ctx: Ctx, ref: string, chosen: Chosen | null) {
  const [nft, listing] = await Promise.all([readOwn(ctx, 'nft', ref), readOwn(ctx, 'listing', ref)])
  const record = withWaiting(nft) ?? (chosen && startRecord(chosen))
  if (!record) throw new ApiError('not_found', 'you list nothing under this ref')
  const state = listing.stored?.state === 'withdrawn' ? 'withdrawn' : nft.stored?.state
  return { nft, listing, record, offer: withWaiting(listing), state }
}

export type OwnRecords = Awaited<ReturnType<typeof readOwnRecords>>

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
    const plan = planNft(ctx.settings, nft, { fields: enterNft(record, form), ...sent })
    const fields = enterOffer(offer ?? {}, ref, form)
    const ofListing = planListing(ctx.settings, listing, { fields, ...sent })
    await saveRecord(ctx, nft, plan)
    await saveRecord(ctx, listing, ofListing)
  } catch (error) {
    toFormIssues(error)
  }
}

/** Takes both from the sale. Throws `not_found`. */
export async function withdrawOwnRecords(ctx: SaveCtx, ref: string): Promise<void> {
  const [nft, listing] = await Promise.all([readOwn(ctx, 'nft', ref), readOwn(ctx, 'listing', ref)])
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
