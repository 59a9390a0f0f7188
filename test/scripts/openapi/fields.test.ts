/** The API specification lists the fields of each resource. `call` compares each answer with the document. */
import { expect, it } from 'vitest'
import { document } from '../../support/document.ts'

/** The names in a text. */
const list = (text: string) => text.trim().split(/\s+/)

const placedOrder = list(`
  id buyerId billingAddressId paymentMethod provider providerId payprovStxTransactionId
  payprovPciTransactionId payprovWebhookToken totalPriceCents totalPriceCurrency totalPriceEth
  status failReason feesCollectedAt createdAt updatedAt ProductType orderItems
`)

/** By the name of their schema. */
const fields = {
  PlacedOrder: placedOrder,
  Order: [...placedOrder, 'buyer'],
  Buyer: list(`
    id approved companyUser email ethereumPublicAddr name provider chatServiceId roleId username
    viewMode walletNonce paymentConnectId payprovExternalId onrampId newsletterAgreement locale
    approvedAt lastAccessAt onboardedAt removedAt createdAt updatedAt ipAddress
  `),
  OrderItem: list(`
    id orderId nftId listingId quantity priceCents priceEths ethRecipient priceCurrency txId
    paymentProvider status createdAt updatedAt ProductType nft listing
  `),
  Nft: list(`
    id amount availableAmount approved storageNetworkTx chainTx creatorPublicAddr contractAddr
    contractName contractNetwork coverKey category secretPhrase fee feeRecipient payload price
    priceEths priceCurrency priceType downloadable title creatorId useCaseId upgradeable tokenId
    newTokenId oldTokenId status releaseAt biddingEnabled createdAt updatedAt deletedAt
    fractionalized redeemable qrcodePrintfileId salesContractUrl
  `),
  Listing: list(`
    id priceCents amount priceEths priceWei activeTill active type txHash priceCurrency sellerId
    nftId captureCronId createdAt updatedAt
  `),
  DeliveryAddress: list(`
    id userId name street postal city country companyName taxId email mobilePhone default
    createdAt updatedAt deletedAt
  `),
  BillingAddress: list(`
    id isDefault city country companyName postal street taxId userId createdAt updatedAt
    deletedAt
  `),
}

it.each(Object.entries(fields))(
  'has each field of the specification in every %s',
  (name, listed) => {
    const { required } = document.components.schemas[name] ?? {}
    expect(required).toEqual(expect.arrayContaining(listed))
  },
)
