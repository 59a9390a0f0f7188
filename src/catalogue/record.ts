/**
 * The records of a catalogue. `docs/catalogue.md` describes them for operators. Each schema returns
 * the record in its normal form, with all keys in the order in which an export writes them.
 */
import { formatEther, parseEther } from 'viem/utils'
import * as z from 'zod'
import { ContentRecord } from '../content/record.ts'
import {
  amountTypes,
  fulfilments,
  listingTypes,
  orderableStatuses,
  otherStatuses,
  recipients,
} from '../db/schema/catalogue.ts'
import { inMinorUnits } from '../http/fields.ts'
import { EmailAddress, identifier, inputText, instant, writtenText } from '../http/inputs.ts'
import { Profile } from '../identity/profile.ts'
import { EthereumAddress, WalletAddress } from '../identity/wallet-address.ts'
import { contentLimits } from '../limits.ts'
import { currencyCode } from './currency.ts'
import { isDeeper } from './json.ts'
import { ShopUrl } from './shop-url.ts'

/** Levels of lists and objects of the metadata. */
const MAX_DEPTH = 32

/** Keys of the stored payload that other fields of the record are. */
const payloadKeys = ['title', 'amountType', 'metadata']

/** Its characters. The rest of a line has room for the other fields, so that each export is imported. */
const MAX_METADATA_LENGTH = 120 * 1024

// Emoji and Persian have the joiners U+200C and U+200D, and some flags have tag characters.
const invisible = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\u200C\u200D\u{E0020}-\u{E007F}]]/v

/** An id that somebody else gave a record. */
export const ownId = identifier(200, invisible)
/** Of what a user lists, it begins with the id of the user: see `creators/record.ts`. */
const recordId = identifier(401, invisible)
const label = writtenText(255, 1)
const uint256 = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, { error: 'must be decimal digits in quotes', abort: true })
  .refine((digits) => BigInt(digits) < 2n ** 256n, 'must be less than 2^256')
const time = instant.refine((text) => /^[12]/.test(text), 'must be in the years 1000 to 2999')
const pieces = z.int().min(1)

/** Null unless it is given. */
const orNull = <T extends z.ZodType>(field: T) => field.nullable().default(null)

const price = {
  priceCents: z.int().nonnegative().describe(`Price of one piece, ${inMinorUnits}.`),
  priceEths: z
    .string()
    .regex(/^(0|[1-9]\d{0,59})(\.\d{1,18})?$/, {
      error: 'must be a decimal number in quotes, as in "0.05"',
      abort: true,
    })
    .refine((eth) => parseEther(eth) < 2n ** 256n, 'must be less than 2^256 wei')
    .optional()
    .describe('Price of one piece in ETH, as in "0.05". Set this or `priceWei`.'),
  priceWei: uint256.optional().describe('Price of one piece in wei. Set this or `priceEths`.'),
  priceCurrency: currencyCode.describe('Currency of `priceCents`, ISO 4217.'),
}

type Price = { priceEths?: string | undefined; priceWei?: string | undefined }

const hasOnePrice = z.refine<Price>(
  ({ priceEths, priceWei }) => (priceEths === undefined) !== (priceWei === undefined),
  { error: 'set either priceEths or priceWei', path: ['priceEths'] },
)

const inEth = ({ priceEths = '', priceWei }: Price) =>
  formatEther(priceWei === undefined ? parseEther(priceEths) : BigInt(priceWei))

/** Returns a record with its keys in the order of the fields, as in an export, and its price in ETH. */
const normalized = <T extends Price>({ shape }: z.ZodObject, record: T) => ({
  ...Object.fromEntries(Object.keys(shape).map((key) => [key, undefined])),
  ...record,
  priceEths: inEth(record),
  priceWei: undefined,
})

const User = z
  .strictObject({
    type: z.literal('user').describe('A creator or seller.'),
    id: ownId.describe('Your own id of the user, by which other records refer to it.'),
    name: orNull(Profile.shape.name).describe('The name that others see.'),
    username: orNull(Profile.shape.username).describe(
      '3 to 30 characters, a letter first: only a to z, 0 to 9 and _.',
    ),
    email: orNull(EmailAddress).describe(
      'The address with which the user signs in. Set this, `ethereumPublicAddr` or both.',
    ),
    ethereumPublicAddr: orNull(WalletAddress).describe(
      'The wallet with which the user signs in, and to which NFTs are sent.',
    ),
    walletChainId: z
      .int()
      .nonnegative()
      .default(0)
      .describe('The chain of a wallet that is a contract; 0 for a wallet with a key.'),
    shopUrl: orNull(ShopUrl).describe(
      'Where the listings of the user are bought that have no `shopUrl`, as those have it.',
    ),
    removed: z
      .boolean()
      .default(false)
      .describe('Whether the data of the person were removed. Nobody is this user.'),
  })
  .refine(({ email, ethereumPublicAddr: wallet, removed }) => removed === !(email || wallet), {
    error: 'set email or ethereumPublicAddr, unless the user is removed',
    path: ['email'],
  })

/** The metadata JSON of ERC-721 and ERC-1155. Its values are kept as they are, but for the name: it is one line. */
const Metadata = z
  .custom<{ name: string }>((value) => typeof value === 'object' && !Array.isArray(value), {
    error: 'must be an object',
  })
  .superRefine((metadata, context) => {
    const { error } = label.safeParse(metadata?.name)
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: ['name'] })
    if (isDeeper(metadata, MAX_DEPTH)) context.addIssue(`must have at most ${MAX_DEPTH} levels`)
    else if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH)
      context.addIssue(`must have at most ${MAX_METADATA_LENGTH} characters`)
  })
  .transform((metadata) => ({ ...metadata, name: label.parse(metadata.name) }))
  // A custom check has no JSON Schema: editors get this one.
  .meta({
    description: 'The metadata JSON of ERC-721 or ERC-1155, as it is. `name` is the title.',
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1, maxLength: 255 } },
  })

/** Free-form data of an NFT. What other fields of the record say wins. */
const Payload = z
  .custom<Record<string, unknown>>((value) => Object(value) === value && !Array.isArray(value), {
    error: 'must be an object',
  })
  .superRefine((payload, context) => {
    if (isDeeper(payload, MAX_DEPTH)) context.addIssue(`must have at most ${MAX_DEPTH} levels`)
    else if (JSON.stringify(payload).length > contentLimits.payload.max)
      context.addIssue(`must have at most ${contentLimits.payload.max} characters`)
  })
  .transform((payload) =>
    Object.fromEntries(Object.entries(payload).filter(([key]) => !payloadKeys.includes(key))),
  )
  .meta({
    description:
      'Data of your own, which orders answer as `payload`. `secretPhrase`, `downloadableAsset` and `audio` are shown after the delivery only.',
    type: 'object',
  })

const percent = z
  .string()
  .regex(
    /^(100|\d{1,2})(\.\d{1,4})?$/,
    'must be a decimal number of per cent in quotes, as in "2.5"',
  )
  .refine((text) => Number(text) <= 100, 'must be at most 100')

const webUrl = inputText(2048)
  .regex(/^https:\/\/[^/]/, { error: 'must be an https URL', abort: true })
  .refine((text) => URL.canParse(text) && !/\s/.test(text), 'must be an https URL')

const flag = (description: string) => z.boolean().default(false).describe(description)

const NftFields = z
  .strictObject({
    type: z.literal('nft').describe('A token of a contract.'),
    id: recordId.describe('Your own id of the NFT, by which listings refer to it.'),
    creator: ownId.describe('The id of the user who made the NFT.'),
    network: z.string().describe('The name of the network in the configuration.'),
    contract: EthereumAddress.describe('The address of the token contract.'),
    contractName: label.describe('The name of the token contract.'),
    tokenId: uint256
      .nullable()
      .describe('The id in the contract, a uint256 as decimal digits; null before a release.'),
    amountType: z
      .enum(amountTypes)
      .describe('Whether the pieces for sale are one, a number, or as many as are bought.'),
    amount: orNull(pieces).describe(
      'Pieces for sale, sold ones included. May be left out for a unique NFT, and must be with `content.codes`.',
    ),
    fulfilment: z
      .enum(fulfilments)
      .default('transfer')
      .describe('Whether the holder sends what is bought, or the Delivery contract mints it.'),
    recipients: z
      .enum(recipients)
      .default('anybody')
      .describe(
        'Who may get the token: `verified` if only wallets that its contract knows. Then its delivery is not tried before it is sold.',
      ),
    status: z
      .enum([...orderableStatuses, ...otherStatuses])
      .default('released')
      .describe('Whether the NFT can be bought. Lists show what is released.'),
    releaseAt: orNull(time).describe(
      'Time of the release. Without it, the time of the first import.',
    ),
    ...price,
    coverKey: orNull(identifier(255, invisible)).describe(
      'The cover picture: its name below COVERS_URL. Without it, the image of the metadata.',
    ),
    category: orNull(label).describe('A category of your own.'),
    fee: orNull(percent).describe(
      'Fee of secondary sales, in per cent: "2.5". Shown, not collected.',
    ),
    feeRecipient: orNull(EthereumAddress).describe('The wallet that receives the fee.'),
    salesContractUrl: orNull(webUrl).describe(
      'Where the sales contract can be read, an https URL.',
    ),
    heldBySeller: flag(
      'Whether the wallet of the seller holds the pieces, also where the network has a treasury.',
    ),
    downloadable: flag('Whether the buyer may download the files.'),
    redeemable: flag('Whether the NFT can be redeemed.'),
    upgradeable: flag('Whether the NFT can be upgraded.'),
    fractionalized: flag('Whether the NFT is split into fractions.'),
    content: orNull(ContentRecord).describe('What the buyer gets besides the token.'),
    payload: Payload.default({}),
    metadata: Metadata,
  })
  .check(hasOnePrice)
  .refine(({ tokenId, status }) => tokenId !== null || status !== 'released', {
    error: 'is required for a released NFT',
    path: ['tokenId'],
  })
  .refine(({ amountType, amount }) => amountType !== 'unique' || (amount ?? 1) === 1, {
    error: 'must be 1 for a unique NFT',
    path: ['amount'],
  })
  .refine(
    ({ amountType, amount, content }) =>
      amountType === 'unique' || content?.codes || amount !== null,
    { error: 'is required, unless amountType is "unique"', path: ['amount'] },
  )
  .refine(({ amount, content }) => !content?.codes || amount === null, {
    error: 'is the number of the codes, which are uploaded: leave it out',
    path: ['amount'],
  })
  .refine(({ amountType, content }) => !content?.codes || amountType === 'limited', {
    error: 'must be "limited" for an NFT with codes',
    path: ['amountType'],
  })
  .refine(({ content, payload }) => !content?.phrase || payload.secretPhrase === undefined, {
    error: 'is the `phrase` of the content: set one of them',
    path: ['payload', 'secretPhrase'],
  })

const Nft = NftFields.transform(({ amount, ...nft }) =>
  normalized(NftFields, { amount: nft.content?.codes ? null : (amount ?? 1), ...nft }),
)

const ListingFields = z
  .strictObject({
    type: z.literal('listing').describe('An offer to sell an NFT.'),
    id: recordId.describe('Your own id of the listing.'),
    nft: recordId.describe('The id of the NFT.'),
    seller: ownId.describe('The id of the user who sells it.'),
    saleType: z.enum(listingTypes).default('regular').describe('A fixed price, or an auction.'),
    ...price,
    amount: orNull(pieces).describe('The most pieces of one order; null for no limit.'),
    active: z.boolean().default(true).describe('Whether orders are accepted.'),
    activeTill: orNull(time).describe('Time when the listing ends; null if it does not end.'),
    shopUrl: orNull(ShopUrl).describe(
      'Where it is bought, an https URL. In its path and query, `{listingId}` and `{nftId}` become the numbers of the API, and `{externalId}` this `id`.',
    ),
  })
  .check(hasOnePrice)

const Listing = ListingFields.transform((listing) => normalized(ListingFields, listing))

export const CatalogueRecord = z.discriminatedUnion('type', [User, Nft, Listing], {
  error: ({ code }) =>
    code === 'invalid_union' ? 'must be "user", "nft" or "listing"' : undefined,
})

/** The fields of the records of each type, before what is checked of several together. */
export const nftShape = NftFields.shape
export const listingShape = ListingFields.shape

/** The fields of all records. Those of one name have values of one kind. */
export const recordFields = { ...User.shape, ...nftShape, ...listingShape }
