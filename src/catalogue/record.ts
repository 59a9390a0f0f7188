/**
 * The records of a catalogue. `docs/catalogue.md` describes them for operators. Each schema returns
 * the record in its normal form, with all keys in the order in which an export writes them.
 */
import { formatEther, getAddress, isAddress, parseEther } from 'viem/utils'
import * as z from 'zod/mini'
import { amountTypes, listingTypes } from '../db/schema/catalogue.ts'
import { EmailAddress } from '../identity/email-link.ts'
import { Profile } from '../identity/profile.ts'
import { isDeeper } from './json.ts'

/** Levels of lists and objects. */
export const MAX_DEPTH = 32

// Emoji and Persian have the joiners U+200C and U+200D, and some flags have tag characters.
const visible = (max: number) =>
  z
    .string()
    .check(
      z.regex(
        /^(?:[^\p{Cc}\p{Cf}\p{Cs}]|\u200C|\u200D|[\u{E0020}-\u{E007F}])+$/u,
        'must be visible characters',
      ),
      z.maxLength(max),
    )

const id = visible(200)
const address = z.pipe(
  z.string().check(z.refine((text) => isAddress(text, { strict: false }), 'must be an address')),
  z.transform((text) => getAddress(text)),
)
const uint256 = z.string().check(
  z.regex(/^(0|[1-9]\d{0,77})$/, { error: 'must be decimal digits in quotes', abort: true }),
  z.refine((digits) => BigInt(digits) < 2n ** 256n, 'must be less than 2^256'),
)
const time = z
  .pipe(
    z.iso.datetime({ offset: true, abort: true }),
    z.transform((text) => new Date(text).toISOString()),
  )
  .check(z.refine((text) => /^[12]/.test(text), 'must be in the years 1000 to 2999'))
const pieces = z.int().check(z.positive())

/** Null unless it is given. */
const orNull = <T extends z.ZodMiniType>(field: T) => z._default(z.nullable(field), null)

const price = {
  priceCents: z.int().check(z.nonnegative()),
  priceEths: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^(0|[1-9]\d{0,58})(\.\d{1,18})?$/,
          'must be a decimal number in quotes, as in "0.05"',
        ),
      ),
  ),
  priceWei: z.optional(uint256),
  priceCurrency: z
    .string()
    .check(z.regex(/^[A-Z]{3}$/, 'must be three capital letters, as in "EUR"')),
}

type Price = { priceEths?: string | undefined; priceWei?: string | undefined }

const hasOnePrice = z.refine<Price>(
  ({ priceEths, priceWei }) => (priceEths === undefined) !== (priceWei === undefined),
  { error: 'set either priceEths or priceWei', path: ['priceEths'] },
)

const inEth = ({ priceEths = '', priceWei }: Price) =>
  formatEther(priceWei === undefined ? parseEther(priceEths) : BigInt(priceWei))

const User = z
  .strictObject({
    type: z.literal('user'),
    id,
    name: orNull(Profile.shape.name),
    username: orNull(Profile.shape.username),
    email: orNull(EmailAddress),
    ethereumPublicAddr: orNull(address),
  })
  .check(
    z.refine(({ email, ethereumPublicAddr }) => email || ethereumPublicAddr, {
      error: 'set email or ethereumPublicAddr',
      path: ['email'],
    }),
  )

/** The metadata JSON of ERC-721 and ERC-1155. Its values are kept as they are. */
const Metadata = z
  .custom<{ name: string }>((value) => typeof value === 'object' && !Array.isArray(value), {
    error: 'must be an object',
  })
  .check(
    z.superRefine((metadata, context) => {
      const { error } = visible(255).safeParse(metadata?.name)
      for (const { message } of error?.issues ?? [])
        context.addIssue({ code: 'custom', path: ['name'], message })
      if (isDeeper(metadata, MAX_DEPTH)) context.addIssue(`must have at most ${MAX_DEPTH} levels`)
    }),
  )

const NftFields = z
  .strictObject({
    type: z.literal('nft'),
    id,
    creator: id,
    network: z.string(),
    contract: address,
    contractName: visible(255),
    tokenId: uint256,
    amountType: z.enum(amountTypes),
    amount: z.optional(pieces),
    status: z._default(z.enum(['released', 'draft']), 'released'),
    releaseAt: orNull(time),
    ...price,
    coverKey: orNull(visible(255)),
    category: orNull(visible(255)),
    metadata: Metadata,
  })
  .check(
    hasOnePrice,
    z.refine(({ amountType, amount }) => amountType !== 'unique' || (amount ?? 1) === 1, {
      error: 'must be 1 for a unique NFT',
      path: ['amount'],
    }),
    z.refine(({ amountType, amount }) => amountType === 'unique' || amount !== undefined, {
      error: 'is required, unless amountType is "unique"',
      path: ['amount'],
    }),
  )

const Nft = z.pipe(
  NftFields,
  z.transform((nft) => ({
    type: nft.type,
    id: nft.id,
    creator: nft.creator,
    network: nft.network,
    contract: nft.contract,
    contractName: nft.contractName,
    tokenId: nft.tokenId,
    amountType: nft.amountType,
    amount: nft.amount ?? 1,
    status: nft.status,
    releaseAt: nft.releaseAt,
    priceCents: nft.priceCents,
    priceEths: inEth(nft),
    priceCurrency: nft.priceCurrency,
    coverKey: nft.coverKey,
    category: nft.category,
    metadata: nft.metadata,
  })),
)

const ListingFields = z
  .strictObject({
    type: z.literal('listing'),
    id,
    nft: id,
    seller: id,
    saleType: z._default(z.enum(listingTypes), 'regular'),
    ...price,
    amount: orNull(pieces),
    active: z._default(z.boolean(), true),
    activeTill: orNull(time),
  })
  .check(hasOnePrice)

const Listing = z.pipe(
  ListingFields,
  z.transform((listing) => ({
    type: listing.type,
    id: listing.id,
    nft: listing.nft,
    seller: listing.seller,
    saleType: listing.saleType,
    priceCents: listing.priceCents,
    priceEths: inEth(listing),
    priceCurrency: listing.priceCurrency,
    amount: listing.amount,
    active: listing.active,
    activeTill: listing.activeTill,
  })),
)

export const CatalogueRecord = z.discriminatedUnion('type', [User, Nft, Listing], {
  error: ({ code }) =>
    code === 'invalid_union' ? 'must be "user", "nft" or "listing"' : undefined,
})
