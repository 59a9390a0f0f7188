/** The pool of codes of an NFT: what operators add to it, take from it, and see of it. */
import { sql } from 'drizzle-orm'
import { readAs, writeAs } from '../auth/access.ts'
import { recordIntended } from '../auth/audit.ts'
import { type Database, toJsonSlices } from '../db/client.ts'
import { giveCodes } from '../db/codes.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { setStockOfCodes } from '../db/stock.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue, requireNone } from '../http/errors.ts'
import { identifier } from '../http/inputs.ts'
import { contentLimits, describeLimit, requestLimits } from '../limits.ts'
import { heldQuantity } from '../orders/reading/nft.ts'
import { hashCodes, sealCodes } from './cipher.ts'
import { isNft, type NftRef } from './upload.ts'

type CodesCtx = Ctx & { settings: Pick<Settings, 'CODE_KEYS' | 'DELIVERY_KEY_SECRET'> }

const Code = identifier(contentLimits.code.max, /[\p{C}\p{Zl}\p{Zp}]/u)

/** Returns the codes of a text, one a line, each once, and the first lines that are none. */
export function findCodes(text: string): { codes: string[]; issues: Issue[] } {
  const codes = new Set<string>()
  const issues: Issue[] = []
  for (const [i, line] of text.split('\n').entries()) {
    const code = line.trim()
    if (code === '' || codes.has(code)) continue
    const { error } = Code.safeParse(code)
    codes.add(code)
    for (const { message } of error?.issues ?? [])
      issues.push({ path: `lines[${i + 1}]`, code: 'invalid_input', message })
    if (issues.length >= requestLimits.issues.max) break
  }
  return { codes: [...codes], issues }
}

/** Returns the codes of a call. Throws `invalid_input`, `payload_too_large`. */
export function parseCodes(text: string): string[] {
  const { codes, issues } = findCodes(text)
  requireNone(issues)
  if (codes.length === 0) throw new ApiError('invalid_input', 'the body has no codes')
  if (codes.length > contentLimits.codeLines.max)
    throw new ApiError(
      'payload_too_large',
      `a call may have at most ${describeLimit(contentLimits.codeLines)} codes`,
    )
  return codes
}

export type CodeCounts = { codes: number; given: number; forSale: number; owed: number }

/** Selects how many codes an NFT has. */
export const selectCodeCounts = (db: Database, nft: NftRef) =>
  raw<CodeCounts & { hasCodes: 0 | 1 }>(db)`SELECT nfts.hasCodes, count(c.id) AS codes,
      count(c.orderItemId) AS given, nfts.availableAmount AS forSale,
      (SELECT count(*) FROM owedCodes o JOIN deliveries d ON d.id = o.orderItemId
        WHERE o.nftId = nfts.id AND d.state = 'transferred') AS owed
    FROM nfts LEFT JOIN codes c ON c.nftId = nfts.id WHERE ${isNft(nft)} GROUP BY nfts.id`

const noSuchNft = () => new ApiError('not_found', 'there is no such NFT')
const hasNoCodes = () =>
  new ApiError('conflict', 'the record of the NFT says no `codes`: import it with them first')

/** Returns how many codes an NFT has. Throws `not_found`, `conflict`. */
export async function countCodes({ db, caller }: Ctx, nft: NftRef): Promise<CodeCounts> {
  const { counts } = await readAs(db, caller, { counts: selectCodeCounts(db, nft) })
  if (!counts[0]) throw noSuchNft()
  if (counts[0].hasCodes === 0) throw hasNoCodes()
  return shownCounts(counts)
}

/** Returns the id of an NFT with codes. Throws `not_found`, `conflict`. */
async function findNft({ db, caller }: Ctx, nft: NftRef): Promise<number> {
  const { found } = await readAs(db, caller, {
    found: db.select({ id: nfts.id, hasCodes: nfts.hasCodes }).from(nfts).where(isNft(nft)),
  })
  if (!found[0]) throw noSuchNft()
  if (!found[0].hasCodes) throw hasNoCodes()
  return found[0].id
}

const requireCodes = (nftId: number) => ({
  when: sql`NOT EXISTS (SELECT 1 FROM nfts WHERE id = ${nftId} AND hasCodes)`,
  error: hasNoCodes,
})

/**
 * Adds codes to the pool of an NFT, which so many pieces more are sold of, once order items that wait for codes
 * have theirs. A code that is there is left out. Throws `not_found`, `conflict`, `content_full`.
 */
export async function storeCodes(
  ctx: CodesCtx,
  { nft, codes }: { nft: NftRef; codes: readonly string[] },
) {
  const { db, caller, settings, now } = ctx
  const nftId = await findNft(ctx, nft)
  const hashes = await hashCodes(settings, codes)
  const sealed = await sealCodes(settings, nftId, codes)
  const rows = hashes.map((hash, i) => [hash, sealed[i]])
  const total = sql`(SELECT count(*) FROM codes WHERE nftId = ${nftId})`
  const { before, counts } = await writeAs(db, caller, [requireCodes(nftId)], {
    audit: recordIntended(ctx, {
      action: 'codes.store',
      subject: nftId,
      details: { lines: codes.length },
    }),
    before: raw<{ codes: number }>(db)`SELECT ${total} AS codes`,
    inserts: toJsonSlices(rows).map(
      (slice) => raw<never>(db)`INSERT INTO codes (nftId, hash, sealed)
        SELECT ${nftId}, value ->> 0, value ->> 1 FROM json_each(${slice}) WHERE TRUE
        ON CONFLICT (nftId, hash) DO NOTHING`,
    ),
    room: raw<never>(
      db,
    )`INSERT INTO guard SELECT iif(${total} > ${contentLimits.codes.max}, 'codes_full', NULL)`,
    stock: setStockOfCodes(db, nftId, now),
    given: giveCodes(db),
    counts: selectCodeCounts(db, nftId),
  }).catch(refuseFull)
  const stored = shownCounts(counts)
  return { added: stored.codes - (before[0]?.codes ?? 0), ...stored }
}

function shownCounts([counts]: readonly CodeCounts[]): CodeCounts {
  if (!counts) throw new Error('counting codes returned no row')
  const { codes, given, forSale, owed } = counts
  return { codes, given, forSale, owed }
}

function refuseFull(error: unknown): never {
  if (!String(error).includes('codes_full')) throw error
  throw new ApiError(
    'content_full',
    `an NFT may have at most ${describeLimit(contentLimits.codes)} codes`,
  )
}

/**
 * Removes the codes of pieces that are neither sold nor reserved. Which of the pool is the same: no code
 * belongs to a piece before its delivery. Throws `not_found`, `conflict`.
 */
export async function removeCodes(ctx: Ctx, nft: NftRef) {
  const { db, caller, now } = ctx
  const nftId = await findNft(ctx, nft)
  const unsold = sql`(SELECT max(0, availableAmount - ${heldQuantity(sql`nfts.id`, now.toISOString())})
    FROM nfts WHERE id = ${nftId})`
  const { removed, counts } = await writeAs(db, caller, [requireCodes(nftId)], {
    audit: recordIntended(ctx, { action: 'codes.remove', subject: nftId }),
    removed: raw<{ id: number }>(db)`DELETE FROM codes WHERE id IN (SELECT id FROM codes
      WHERE nftId = ${nftId} AND orderItemId IS NULL ORDER BY id DESC LIMIT ${unsold}) RETURNING id`,
    stock: setStockOfCodes(db, nftId, now),
    counts: selectCodeCounts(db, nftId),
  })
  return { removed: removed.length, ...shownCounts(counts) }
}
