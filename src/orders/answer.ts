/**
 * Orders, as responses show them. These schemas are allow-lists: types and the OpenAPI document
 * follow from them, and a column that they do not name is not in `columns.ts`, and never read.
 */
import * as z from 'zod'
import { listingTypes } from '../db/schema/catalogue.ts'
import { itemStatuses } from '../delivery/shown.ts'
import {
  address,
  addressOrEmpty,
  always,
  bool,
  count,
  currency,
  decimal,
  digits,
  hash,
  id,
  orNull,
  positive,
  text,
  time,
  timestamps,
} from '../http/fields.ts'

export const Nft = z
  .object({
    id: id('Id of the NFT.'),
    amount: count('Number of pieces that were issued.'),
    availableAmount: count('Number of pieces left to sell. Ignored for an unlimited NFT.'),
    approved: bool('Whether the marketplace has approved the NFT.'),
    storageNetworkTx: orNull(text('Transaction that stored the files.')),
    chainTx: orNull(text('Transaction that minted the NFT.')),
    creatorPublicAddr: text('Wallet address of the creator.'),
    contractAddr: address('Address of the token contract.'),
    contractName: text('Name of the token contract.'),
    contractNetwork: text('Network of the token contract, by its name in the configuration.'),
    coverKey: orNull(text('Storage key of the cover picture.')),
    category: orNull(text('Category.')),
    secretPhrase: orNull(text('Phrase that unlocks the content.')),
    fee: orNull(text('Fee of secondary sales.')),
    feeRecipient: orNull(text('Wallet address that receives the fee.')),
    payload: z
      .record(z.string(), z.unknown())
      .describe(
        'Creation data, free form. `amountType` is `unique`, `limited` or `unlimited`: an unlimited NFT does not run out.',
      ),
    price: count('Price of one piece, in cents.'),
    priceEths: decimal('Price of one piece in ETH.'),
    priceCurrency: currency('Currency of `price`, ISO 4217.'),
    priceType: text('How the price is set, such as `FIXED`.'),
    downloadable: bool('Whether the buyer may download the files.'),
    title: text('Title.'),
    creatorId: id('User id of the creator.'),
    useCaseId: z.int().describe('Id of the use case.'),
    upgradeable: bool('Whether the NFT can be upgraded.'),
    tokenId: orNull(digits('Token id in the contract; null before it is minted.')),
    newTokenId: orNull(digits('Token id after an upgrade.')),
    oldTokenId: orNull(digits('Token id before an upgrade.')),
    status: text('`released` if the NFT is on sale. Other values mean that it is not.'),
    releaseAt: time('Time of the release.'),
    biddingEnabled: bool('Whether bids are accepted.'),
    ...timestamps(),
    deletedAt: orNull(time('Time of deletion; null while the NFT exists.')),
    fractionalized: bool('Whether the NFT is split into fractions.'),
    redeemable: bool('Whether the NFT can be redeemed.'),
    qrcodePrintfileId: orNull(text('File id of the printable QR code.')),
    salesContractUrl: orNull(text('URL of the sales contract.')),
  })
  .meta({ id: 'Nft', description: 'An NFT of the marketplace.' })

export const Listing = z
  .object({
    id: id('Id of the listing.'),
    priceCents: count('Price of one piece, in cents.'),
    amount: orNull(count('Most pieces of one order; null for no limit.')),
    priceEths: decimal('Price of one piece in ETH.'),
    priceWei: digits('Price of one piece in wei.'),
    activeTill: orNull(time('Time when the listing ends; null if it does not end.')),
    active: bool('Whether orders are accepted.'),
    type: z
      .enum(listingTypes)
      .describe('Kind of sale: `regular` for a fixed price, or `auction`.')
      .meta({ id: 'ListingType' }),
    txHash: orNull(text('Transaction that created the listing on the chain.')),
    priceCurrency: currency('Currency of `priceCents`, ISO 4217.'),
    sellerId: id('User id of the seller.'),
    nftId: id('Id of the NFT for sale.'),
    captureCronId: orNull(text('Id of the job that captures the payment of an auction.')),
    ...timestamps(),
  })
  .meta({ id: 'Listing', description: 'An offer of a seller to sell an NFT.' })

const ItemStatus = z.enum(itemStatuses).meta({
  id: 'ItemStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet yet, and the transfer starts when one is linked. ' +
    '`transferring`: a transaction was sent. `transferred`: the buyer has the NFT. `failed`: it ' +
    'was cancelled or cannot be delivered; `failReason` of the order says why.',
})

/** An order item without its NFT and listing. */
const OrderItemFields = z.object({
  id: id('Id of the order item.'),
  orderId: id('Id of the order.'),
  nftId: id('Id of the NFT.'),
  listingId: id('Id of the listing.'),
  quantity: positive('Number of pieces.'),
  priceCents: count('Price of one piece, in cents.'),
  priceEths: decimal('Price of one piece in ETH.'),
  ethRecipient: orNull(address('Wallet of the recipient; null until the buyer has one.')),
  priceCurrency: currency('Currency of `priceCents`, ISO 4217.'),
  paymentProvider: orNull(always('Always `external`.', 'external')),
  ...timestamps(),
  ProductType: always('Always `nft`.', 'nft'),
  status: ItemStatus.nullable().describe(
    'State of the delivery; null while no transaction was sent.',
  ),
  txId: orNull(hash('Transaction that transfers the NFT; null before one is sent.')),
})

/** An order without its buyer and items. */
const OrderFields = z.object({
  id: id('Id of the order.'),
  buyerId: id('User id of the buyer.'),
  billingAddressId: id('Id of the billing address.'),
  paymentMethod: always('Always `external`: the shop has the payment.', 'external'),
  provider: always('Always `external`.', 'external'),
  providerId: orNull(text('Order number of the shop; null if it sent none.')),
  payprovStxTransactionId: orNull(text('Transaction id of a payment provider.')),
  payprovPciTransactionId: orNull(text('Transaction id of a payment provider.')),
  payprovWebhookToken: z
    .uuid()
    .describe(
      'Token for webhooks of a payment provider. Only for master tokens; otherwise the nil UUID.',
    ),
  totalPriceCents: count('Price of all pieces, in cents.'),
  totalPriceCurrency: currency('Currency of the total price, ISO 4217.'),
  totalPriceEth: decimal('Price of all pieces in ETH.'),
  status: orNull(always('State of the payment. The items have the state of the delivery.', 'paid')),
  failReason: orNull(
    text('Why an item is `failed`; `cancelled` after a cancellation. Otherwise null.'),
  ),
  feesCollectedAt: orNull(time('Time when the fees were collected.')),
  ...timestamps(),
  ProductType: always('Always `nft`.', 'nft'),
})

/** Describes a field that `visibleBuyer` hides. */
const hidden = <T extends z.ZodType>(field: T, otherwise: 'empty' | 'null' | 'false') =>
  field.describe(
    `${field.description} Only for master tokens and the buyer; otherwise ${otherwise}.`,
  )
const hiddenBool = (description: string) => hidden(bool(description), 'false')
const hiddenText = (description: string) => hidden(text(description), 'empty')
const hiddenTextOrNull = (description: string) => hidden(orNull(text(description)), 'null')
const hiddenTimeOrNull = (description: string) => hidden(orNull(time(description)), 'null')

/** The buyer, without the fields that are never stored. */
export const BuyerFields = z.object({
  id: id('User id.'),
  approved: hiddenBool('Whether the marketplace has approved the user.'),
  companyUser: hiddenBool('Whether the user is a company.'),
  email: hiddenText('E-mail address; empty if the user has none.'),
  ethereumPublicAddr: addressOrEmpty('Wallet address; empty if the user has none.'),
  name: orNull(text('Name.')),
  provider: hiddenText('How the user signed up: `wallet` or `email`.'),
  chatServiceId: hiddenTextOrNull('Id at the chat service.'),
  roleId: hidden(z.int().nullable().describe('Role: 1 is an administrator.'), 'null'),
  username: orNull(text('User name.')),
  viewMode: text('Display setting.'),
  paymentConnectId: hiddenTextOrNull('Id at the payment service.'),
  payprovExternalId: hiddenTextOrNull('Id at the payment provider.'),
  onrampId: hiddenTextOrNull('Id at the onramp service.'),
  newsletterAgreement: hiddenBool('Whether the user agreed to get the newsletter.'),
  locale: hiddenText('Language, such as `en`.'),
  approvedAt: hiddenTimeOrNull('Time of approval.'),
  lastAccessAt: hiddenTimeOrNull('Time of the last sign-in.'),
  onboardedAt: hiddenTimeOrNull('Time when the user finished onboarding.'),
  removedAt: hiddenTimeOrNull('Time of removal; null while the account exists.'),
  ...timestamps(),
  ipAddress: hiddenText('IP address of the last sign-in.'),
})

const OrderItem = OrderItemFields.extend({
  nft: Nft.describe('The NFT that is sold.'),
  listing: Listing.describe('The listing that sells it.'),
}).meta({ id: 'OrderItem', description: 'An NFT of an order, and its delivery.' })

const items = { orderItems: z.array(OrderItem).describe('The items: one per order.') }

/** An order in the response that places it: without the buyer. */
const PlacedOrder = OrderFields.extend(items).meta({
  id: 'PlacedOrder',
  description: 'A new order, without its buyer.',
})

const Buyer = BuyerFields.extend({ walletNonce: z.null().describe('Always null.') }).meta({
  id: 'Buyer',
  description: 'The user who gets the NFTs of an order.',
})

const Order = OrderFields.extend({ ...items, buyer: Buyer.describe('The buyer.') }).meta({
  id: 'Order',
  description: 'An order and its delivery.',
})

const orders = <T extends z.ZodType>(order: T) =>
  z.object({
    orders: z.array(order).describe('The orders, in the order of the request.'),
    error: z.null().describe('Always null.'),
  })

export const PlacedOrders = orders(PlacedOrder).meta({
  id: 'PlacedOrders',
  description: 'The new orders.',
})
export const Orders = orders(Order).meta({
  id: 'Orders',
  description: 'The orders and their deliveries.',
})
export const OrderPage = Orders.extend({
  orders: z.array(Order).describe('The orders, newest first.'),
  nextCursor: orNull(text('The next `cursor`; null on the last page.')),
}).meta({ id: 'OrderPage', description: 'A page of orders.' })

export type Nft = z.infer<typeof Nft>
export type Listing = z.infer<typeof Listing>
export type BuyerFields = z.infer<typeof BuyerFields>
export type PlacedOrder = z.infer<typeof PlacedOrder>
export type Order = z.infer<typeof Order>
