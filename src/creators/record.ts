/**
 * Records that people list by themselves. They are records of the catalogue, whose ids begin with that of their
 * user: `user-7/sunrise` is `sunrise` of user 7.
 */
import * as z from 'zod'
import type { Fields } from '../catalogue/change.ts'
import { parseExactly } from '../catalogue/json.ts'
import { listingShape, nftShape, ownId } from '../catalogue/record.ts'
import { orderableStatuses } from '../db/schema/catalogue.ts'
import type { proposalKinds, proposalStates } from '../db/schema/creators.ts'
import { ApiError } from '../http/errors.ts'

export type Kind = (typeof proposalKinds)[number]

/** What a user calls a record. It is unique within the user. */
export const Ref = ownId.refine((ref) => ref !== 'new', 'must not be "new", which is a page')

/** Returns what a user calls the record of an id; null if it was imported. `owner`: the id of the user. */
export const refOf = (externalId: string, owner: string): string | null =>
  externalId.startsWith(`${owner}/`) ? externalId.slice(owner.length + 1) : null

const publish = z
  .boolean()
  .default(false)
  .describe('Whether it is to be on sale. What people see of it may have to be approved first.')

const {
  type: _nft,
  id: _id,
  creator: _creator,
  status: _status,
  recipients: _recipients,
  coverKey: _coverKey,
  heldBySeller: _heldBySeller,
  ...ofNft
} = nftShape
/** The import checks the two free-form fields, which have no JSON Schema there. */
export const NftBody = z
  .strictObject({
    ...ofNft,
    payload: z.record(z.string(), z.unknown()).optional().describe('Data of your own.'),
    metadata: z
      .looseObject({ name: z.string().describe('The title: 1 to 255 characters.') })
      .describe('The metadata JSON of ERC-721 or ERC-1155, as it is. `name` is the title.'),
    publish,
  })
  .meta({ id: 'NftBody', description: 'An NFT that somebody lists: its record in the catalogue.' })

const {
  type: _listing,
  id: _ref,
  seller: _seller,
  saleType: _saleType,
  ...ofListing
} = listingShape
export const ListingBody = z
  .strictObject({ ...ofListing, nft: Ref.describe('The `ref` of the NFT.'), publish })
  .meta({ id: 'ListingBody', description: 'An offer to sell an own NFT at a fixed price.' })

/** Returns the fields of a body as they were sent: numbers of metadata keep their digits. */
export function readFields(text: string): Fields {
  const { publish: _publish, ...fields } = Object(parseBody(text))
  return fields
}

/** The body is JSON, but it may have numbers, or levels, that programs cannot read. */
function parseBody(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    throw new ApiError(
      'invalid_input',
      'the body has a number that is too large, or too many levels',
    )
  }
}

/** Fields of an NFT on sale that its creator changes without a review. */
const free: readonly string[] = ['priceCents', 'priceEths', 'priceCurrency', 'amount']

/** Fields that stay while it is on sale, unless its creator is approved. */
const fixed: readonly string[] = [
  'network',
  'contract',
  'tokenId',
  'amountType',
  'fulfilment',
  'heldBySeller',
  'content',
]

/** Returns how a field of an NFT that is on sale changes: at once, once it is approved, or not at all. */
export function ruleOf(field: string, isApproved: boolean): 'free' | 'reviewed' | 'fixed' {
  if (isApproved || free.includes(field)) return 'free'
  return fixed.includes(field) ? 'fixed' : 'reviewed'
}

export const recordStates = ['draft', 'in_review', 'released', 'rejected', 'withdrawn'] as const

/** `status`: of the NFT. `proposal`: what waits of it. */
export function stateOf(
  status: string,
  proposal: (typeof proposalStates)[number] | null,
): (typeof recordStates)[number] {
  if (status === 'withdrawn') return 'withdrawn'
  return orderableStatuses.includes(status) ? 'released' : (proposal ?? 'draft')
}
