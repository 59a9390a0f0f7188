/**
 * Orders, as responses show them. These schemas are allow-lists: types, selected columns and the
 * OpenAPI document follow from them, and a column that they do not name is never read.
 */
import * as z from 'zod'
import { listingTypes } from '../db/schema.ts'
import { itemStatuses } from '../delivery/shown.ts'
import { lazy } from '../http/lazy.ts'

const int = (description: string) => z.int().describe(description)
const bool = (description: string) => z.boolean().describe(description)
const text = (description: string) => z.string().describe(description)
const textOrNull = (description: string) => z.string().nullable().describe(description)
const time = (description: string) => z.iso.datetime({ precision: 3 }).describe(description)
const timeOrNull = (description: string) =>
  z.iso.datetime({ precision: 3 }).nullable().describe(description)

const timestamps = () => ({
  createdAt: time('Time of creation.'),
  updatedAt: time('Time of the last change.'),
})

export const Nft = lazy(() =>
  z
    .object({
      id: int('Id of the NFT.'),
      amount: int('Number of pieces that were issued.'),
      availableAmount: int('Number of pieces left to sell. Ignored for an unlimited NFT.'),
      approved: bool('Whether the marketplace has approved the NFT.'),
      storageNetworkTx: textOrNull('Transaction that stored the files.'),
      chainTx: textOrNull('Transaction that minted the NFT.'),
      creatorPublicAddr: text('Wallet address of the creator.'),
      contractAddr: text('Address of the token contract.'),
      contractName: text('Name of the token contract.'),
      contractNetwork: text('Network of the token contract, by its name in the configuration.'),
      coverKey: textOrNull('Storage key of the cover picture.'),
      category: textOrNull('Category.'),
      secretPhrase: textOrNull('Phrase that unlocks the content.'),
      fee: textOrNull('Fee of secondary sales.'),
      feeRecipient: textOrNull('Wallet address that receives the fee.'),
      payload: z.record(z.string(), z.unknown()).describe('Creation data, free form.'),
      price: int('Price of one piece, in cents.'),
      priceEths: text('Price of one piece in ETH, as decimal text.'),
      priceCurrency: text('Currency of `price`, ISO 4217.'),
      priceType: text('How the price is set, such as `FIXED`.'),
      downloadable: bool('Whether the buyer may download the files.'),
      title: text('Title.'),
      creatorId: int('User id of the creator.'),
      useCaseId: int('Id of the use case.'),
      upgradeable: bool('Whether the NFT can be upgraded.'),
      tokenId: textOrNull('Token id on the chain, as decimal text.'),
      newTokenId: textOrNull('Token id after an upgrade.'),
      oldTokenId: textOrNull('Token id before an upgrade.'),
      status: text('`released` if the NFT is on sale.'),
      releaseAt: time('Time of the release.'),
      biddingEnabled: bool('Whether bids are accepted.'),
      ...timestamps(),
      deletedAt: timeOrNull('Time of deletion; null while the NFT exists.'),
      fractionalized: bool('Whether the NFT is split into fractions.'),
      redeemable: bool('Whether the NFT can be redeemed.'),
      qrcodePrintfileId: textOrNull('File id of the printable QR code.'),
      salesContractUrl: textOrNull('URL of the sales contract.'),
    })
    .meta({ id: 'Nft' }),
)

export const Listing = lazy(() =>
  z
    .object({
      id: int('Id of the listing.'),
      priceCents: int('Price of one piece, in cents.'),
      amount: z.int().nullable().describe('Most pieces of one order; null for no limit.'),
      priceEths: text('Price of one piece in ETH, as decimal text.'),
      priceWei: text('Price of one piece in wei, as decimal text.'),
      activeTill: timeOrNull('Time when the listing ends; null if it does not end.'),
      active: bool('Whether orders are accepted.'),
      type: z.enum(listingTypes).describe('Kind of sale.'),
      txHash: textOrNull('Transaction that created the listing on the chain.'),
      priceCurrency: text('Currency of `priceCents`, ISO 4217.'),
      sellerId: int('User id of the seller.'),
      nftId: int('Id of the NFT for sale.'),
      captureCronId: textOrNull('Id of the job that captures the payment of an auction.'),
      ...timestamps(),
    })
    .meta({ id: 'Listing' }),
)

/** An order item without its NFT and listing. */
export const OrderItemFields = lazy(() =>
  z.object({
    id: int('Id of the order item.'),
    orderId: int('Id of the order.'),
    nftId: int('Id of the NFT.'),
    listingId: int('Id of the listing.'),
    quantity: int('Number of pieces.'),
    priceCents: int('Price of one piece, in cents.'),
    priceEths: text('Price of one piece in ETH, as decimal text.'),
    ethRecipient: textOrNull('Wallet address of the recipient; null until the buyer has one.'),
    priceCurrency: text('Currency of `priceCents`, ISO 4217.'),
    paymentProvider: textOrNull('Always `external`.'),
    ...timestamps(),
    ProductType: text('Always `nft`.'),
    status: z
      .enum(itemStatuses)
      .nullable()
      .describe(
        'State of the transfer to the buyer: null while it is queued, then `transferring`, then ' +
          '`transferred` or `failed`; `awaiting_wallet` until the buyer links a wallet.',
      ),
    txId: textOrNull('Hash of the transaction that transfers the NFT.'),
  }),
)

/** An order without its buyer and items. */
export const OrderFields = lazy(() =>
  z.object({
    id: int('Id of the order.'),
    buyerId: int('User id of the buyer.'),
    billingAddressId: int('Id of the billing address.'),
    paymentMethod: text('Always `external`.'),
    provider: text('Always `external`.'),
    providerId: textOrNull('Order number of the shop.'),
    payprovStxTransactionId: textOrNull('Transaction id of a payment provider.'),
    payprovPciTransactionId: textOrNull('Transaction id of a payment provider.'),
    payprovWebhookToken: z
      .uuid()
      .describe(
        'Token for webhooks of a payment provider. Only for master tokens; otherwise the nil UUID.',
      ),
    totalPriceCents: int('Total price, in cents.'),
    totalPriceCurrency: text('Currency of the total price, ISO 4217.'),
    totalPriceEth: text('Total price in ETH, as decimal text.'),
    status: textOrNull('State of the payment: `paid`. The items have the state of the delivery.'),
    failReason: textOrNull('Why the transfer of an item failed.'),
    feesCollectedAt: timeOrNull('Time when the fees were collected.'),
    ...timestamps(),
    ProductType: text('Always `nft`.'),
  }),
)

/** Describes a field that `visibleBuyer` hides. */
const hidden = <T extends z.ZodType>(field: T, otherwise: 'empty' | 'null' | 'false') =>
  field.describe(
    `${field.description} Only for master tokens and the buyer; otherwise ${otherwise}.`,
  )
const hiddenBool = (description: string) => hidden(bool(description), 'false')
const hiddenText = (description: string) => hidden(text(description), 'empty')
const hiddenTextOrNull = (description: string) => hidden(textOrNull(description), 'null')
const hiddenTimeOrNull = (description: string) => hidden(timeOrNull(description), 'null')

/** The buyer, without the fields that are never stored. */
export const BuyerFields = lazy(() =>
  z.object({
    id: int('User id.'),
    approved: hiddenBool('Whether the marketplace has approved the user.'),
    companyUser: hiddenBool('Whether the user is a company.'),
    email: hiddenText('E-mail address; empty if the user has none.'),
    ethereumPublicAddr: text('Wallet address; empty if the user has none.'),
    name: textOrNull('Name.'),
    provider: hiddenText('How the user signed up: `wallet` or `email`.'),
    chatServiceId: hiddenTextOrNull('Id at the chat service.'),
    roleId: hidden(z.int().nullable().describe('1 for an administrator.'), 'null'),
    username: textOrNull('User name.'),
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
  }),
)

const OrderItem = lazy(() =>
  OrderItemFields()
    .extend({
      nft: Nft().describe('The NFT that is sold.'),
      listing: Listing().describe('The listing that sells it.'),
    })
    .meta({ id: 'OrderItem' }),
)

const items = () => ({ orderItems: z.array(OrderItem()).describe('The items: one per order.') })

/** An order in the response that places it: without the buyer. */
const PlacedOrder = lazy(() => OrderFields().extend(items()).meta({ id: 'PlacedOrder' }))

const Buyer = lazy(() =>
  BuyerFields()
    .extend({ walletNonce: z.null().describe('Always null.') })
    .meta({ id: 'Buyer' }),
)

const Order = lazy(() =>
  OrderFields()
    .extend({ ...items(), buyer: Buyer().describe('The buyer.') })
    .meta({ id: 'Order' }),
)

const orders = <T extends z.ZodType>(order: T) =>
  z.object({
    orders: z.array(order).describe('The orders, in the order of the request.'),
    error: z.null().describe('Always null.'),
  })

export const PlacedOrders = () => orders(PlacedOrder())
export const Orders = () => orders(Order())

export type Nft = z.infer<ReturnType<typeof Nft>>
export type Listing = z.infer<ReturnType<typeof Listing>>
export type BuyerFields = z.infer<ReturnType<typeof BuyerFields>>
export type PlacedOrder = z.infer<ReturnType<typeof PlacedOrder>>
export type Order = z.infer<ReturnType<typeof Order>>
