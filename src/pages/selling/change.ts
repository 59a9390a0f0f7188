/** A listing that a user sells, and what its seller changes. */
import { sql } from 'drizzle-orm'
import type * as z from 'zod'
import { readAsUser } from '../../auth/session.ts'
import { changeRecords, type Fields, parseRecord, selectRecord } from '../../catalogue/change.ts'
import { proveAmount } from '../../creators/more-pieces.ts'
import { isWithdrawnListingSql } from '../../creators/own.ts'
import type { Guard } from '../../db/batch.ts'
import type { Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { guard } from '../../http/guard.ts'
import { inputText } from '../../http/inputs.ts'
import { isApprovedSql } from '../../identity/approval.ts'
import { enterAmount, enterListing, ListingValues } from '../components/record-fields.ts'
import { selectOwnListings } from './selling.ts'

/** The records of a listing that the signed-in user sells, and of its NFT if the user has created it. */
const ownRecords = ({ caller: { userId: owner } }: Ctx, id: number) => ({
  listing: { type: 'listing', id, owner } as const,
  nft: { type: 'nft', id: sql`(SELECT nftId FROM listings WHERE id = ${id})`, owner } as const,
})

/**
 * Returns the signed-in user, a listing that the user sells at a fixed price, and its records. Throws
 * `not_found`.
 */
export async function readOwnListing(ctx: Ctx, id: number) {
  const { db, caller, now } = ctx
  const own = ownRecords(ctx, id)
  const { account, rows, records, nfts } = await readAsUser(ctx, {
    rows: selectOwnListings(db, {
      userId: caller.userId,
      before: id + 1,
      limit: 1,
      now: now.toISOString(),
    }),
    records: selectRecord(ctx, own.listing),
    nfts: selectRecord(ctx, own.nft),
  })
  const listing = rows.find((row) => row.id === id)
  const [record] = records
  if (!listing || !record) throw new ApiError('not_found', 'you sell no such listing')
  return {
    account,
    listing,
    record: parseRecord(record.record),
    nft: nfts.map((row) => parseRecord(row.record))[0],
  }
}

/** `amount`: the pieces of the NFT; undefined if the form does not have them. `shownAmount`: as `shown`. */
export const OwnListingValues = ListingValues.extend({
  amount: inputText(2000).optional(),
  shownAmount: inputText(2000).default(''),
})

type ChangeCtx = Parameters<typeof changeRecords>[0] & { settings: Settings }

/** Where only who is approved lists anything, nobody else puts on sale what is not. */
const refuseUnapproved = (
  { caller: { userId }, now, settings }: ChangeCtx,
  { id, active }: { id: number; active: boolean },
): Guard[] =>
  active && settings.CREATORS !== 'open'
    ? [
        guard('seller_not_approved', 'ask the operator to approve you: then you can sell it')`
          NOT ${isApprovedSql(userId)} AND NOT EXISTS (SELECT 1 FROM listings WHERE id = ${id}
            AND active AND coalesce(activeTill > ${now.toISOString()}, 1))`,
      ]
    : []

/**
 * Changes a listing that the signed-in user sells, and the number of pieces of its NFT. Throws what `changeRecords`
 * and `proveAmount` throw, and `seller_not_approved`.
 */
export async function changeOwnListing(
  ctx: ChangeCtx,
  { id, form }: { id: number; form: z.output<typeof OwnListingValues> },
): Promise<void> {
  const { amount, shown, shownAmount, confirm: isConfirmed } = form
  const own = ownRecords(ctx, id)
  const changes = [
    { ...own.listing, shown, enter: (record: Fields) => enterListing(record, form) },
    ...(amount === undefined
      ? []
      : [
          {
            ...own.nft,
            shown: shownAmount,
            enter: (record: Fields) => enterAmount(record, { amount }),
          },
        ]),
  ]
  const more =
    amount === undefined ? [] : await proveAmount(ctx, { listingId: id, amount: Number(amount) })
  const guards = [
    guard('withdrawn', 'this was withdrawn: list it again')`EXISTS (SELECT 1 FROM listings l
      JOIN nfts n ON n.id = l.nftId WHERE l.id = ${id} AND n.heldBySeller AND ${isWithdrawnListingSql})`,
    ...refuseUnapproved(ctx, { id, active: form.active }),
    ...more,
  ]
  return changeRecords(ctx, changes, { isConfirmed, guards })
}
