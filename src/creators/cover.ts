/** The picture of an NFT that its creator uploads. It is converted once, for all sizes. */
import { type ArtCtx, artSizes } from '../art/art.ts'
import { requireConvertible, toJpeg } from '../avatars/picture.ts'
import { contentPrefix, newHash, uploadedCoverKey } from '../avatars/serve.ts'
import { guarded } from '../db/batch.ts'
import { type Quota, takeQuotas } from '../db/quota.ts'
import { ApiError, tryLater } from '../http/errors.ts'
import { quotaOf } from '../http/guard.ts'
import { creatorLimits, peopleLimits } from '../limits.ts'
import { log } from '../log.ts'
import { type Own, requireStored } from './own.ts'
import { coverKeyOf, planCover, refuseWithdrawn } from './plan.ts'
import { type SaveCtx, saveRecord } from './save.ts'

type CoverCtx = SaveCtx & ArtCtx & { waitUntil: (work: Promise<unknown>) => void }

/**
 * Makes a picture the cover of an own NFT, or what waits to be it. `readPicture` is called only after the record
 * was found. The object is written before the record that names it; `removeOrphans` removes one that nothing
 * names, a day later. With the picture that is there already nothing changes.
 */
export async function replaceCover(
  ctx: CoverCtx,
  own: Own,
  readPicture: () => Promise<Blob>,
): Promise<void> {
  const stored = requireStored(own)
  refuseWithdrawn(stored)
  const jpeg = await convert(ctx, await readPicture())
  const key = uploadedCoverKey(stored.number, await newHash(jpeg))
  const hasSameContent = (other: unknown) =>
    typeof other === 'string' && contentPrefix(other) === contentPrefix(key)
  if (hasSameContent(coverKeyOf(stored))) return
  const { coverKey } = stored.record
  if (hasSameContent(coverKey)) return saveRecord(ctx, own, planCover(own, stored, coverKey))
  await ctx.bucket.put(key, jpeg, { httpMetadata: { contentType: 'image/jpeg' } })
  await saveRecord(ctx, own, planCover(own, stored, key)).catch((error: unknown) => {
    // After any other error the record may have been written, and may name the object.
    if (error instanceof ApiError) ctx.waitUntil(removeObject(ctx, key))
    throw error
  })
}

async function convert(ctx: CoverCtx, picture: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const { guards, uses } = takeQuotas(ctx.db, ctx.now, conversionQuotas(ctx))
  await requireConvertible(picture)
  await guarded(ctx.db, guards, { uses })
  return toJpeg(ctx, picture, artSizes.page)
}

/** What is uploaded leaves conversions to the art of the others. */
function conversionQuotas({ caller, settings: { MAX_ART_PER_DAY } }: CoverCtx): Quota[] {
  const error = (seconds: number) => tryLater('all covers of today were converted', seconds)
  const limit = Math.floor(MAX_ART_PER_DAY * creatorLimits.covers.max)
  return [
    quotaOf(peopleLimits.pictures, caller.userId),
    { name: 'covers', per: 'day', limit, error },
    { name: 'art', per: 'day', limit: MAX_ART_PER_DAY, error },
  ]
}

const removeObject = ({ bucket }: CoverCtx, key: string): Promise<void> =>
  bucket.delete(key).catch((error) => log.error('cover_not_removed', { key, error }))
