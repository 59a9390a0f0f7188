/** What each error code means and what to do, for `/docs/errors`, `docs/errors.md` and the OpenAPI document. */
import type { ErrorCode } from '../../src/http/errors.ts'

/** Texts without a full stop. Names of fields and headers are between backticks. */
export type ErrorGuide = { cause: string; action: string }

export const errorGuides: Record<ErrorCode, ErrorGuide> = {
  invalid_input: {
    cause:
      'A value has the wrong type or form, or is missing. `path` names it, as in `orders[2].listingId`',
    action: 'Correct the value',
  },
  order_not_found: {
    cause: 'An order does not exist, or the caller may not see it',
    action: 'Check the ids and the token',
  },
  listing_not_found: {
    cause: 'There is no listing with this id',
    action: 'Correct the id, or take the product off the shop',
  },
  listing_inactive: {
    cause: 'The listing is switched off',
    action: 'Wait until it is active again, or use another listing',
  },
  listing_ended: {
    cause: 'The time of the listing is over. The message tells when it ended',
    action: 'Use another listing',
  },
  listing_mismatch: {
    cause: 'The listing sells another NFT than `nftId`',
    action: 'Correct one of the two ids',
  },
  nft_not_found: {
    cause: 'There is no NFT with this id',
    action: 'Correct the id, or take the product off the shop',
  },
  nft_not_released: {
    cause: 'The NFT is not on sale',
    action: 'Wait until it is released',
  },
  buyer_not_found: {
    cause: 'There is no user with this id',
    action: 'Correct `buyerUserId`',
  },
  user_not_found: {
    cause: 'There is no user with this id, in `userId` or in a record of a catalogue',
    action: 'Correct the id, or import the user in the same file',
  },
  duplicate_id: {
    cause: 'Two records of a type have the same `id` in a catalogue',
    action: 'Give each record an id of its own',
  },
  network_not_found: {
    cause: 'The instance has no network of this name',
    action: 'Correct `network`, or configure the network',
  },
  identity_taken: {
    cause: 'The e-mail address or the wallet of a record belongs to another user',
    action: 'Correct it, or use the id under which that user was imported',
  },
  username_taken: {
    cause: 'The user name of a record belongs to another user',
    action: 'Choose another one',
  },
  token_taken: {
    cause: 'Two NFTs have the same network, contract and token id',
    action: 'Correct the token, or use the id under which that NFT was imported',
  },
  cannot_change: {
    cause:
      'A record of a catalogue has another value in a field that stays as it was first imported: the token of an NFT, NFT and seller of a listing, e-mail address and wallet of a user',
    action: 'Use the old value; for another token or another sale, a new record with its own id',
  },
  amount_too_small: {
    cause: 'More pieces of the NFT are sold than the record has',
    action: 'Use a larger `amount`',
  },
  no_billing_address: {
    cause: 'The order has no complete billing data, and the buyer has no billing address',
    action: 'Send `buyerBillingData` with city, country, postal and street',
  },
  sold_out: {
    cause: 'The NFT has fewer pieces left. The message tells how many',
    action: 'Order fewer pieces, or refund the buyer',
  },
  quantity_too_large: {
    cause:
      'The listing sells fewer pieces in one order, or the price would be too large. The message tells how many',
    action: 'Split the order',
  },
  unauthenticated: {
    cause: 'No token, or a token that is broken, expired, revoked or of another instance',
    action: 'Send a valid token; generate a new one in the settings',
  },
  forbidden: {
    cause: 'The token is valid, but may not do this',
    action: 'Use a token of the right user, a master token, or one that may write',
  },
  cross_site: {
    cause: 'A request with the session cookie, or a sign-in, came from another site',
    action: 'Send the token in the `Authorization` header',
  },
  not_your_listing: {
    cause: 'A user token orders from a listing that its user does not sell',
    action: 'Use a token of the seller, or a master token',
  },
  reauthentication_required: {
    cause:
      'The session is valid, but its sign-in was more than 10 minutes ago, and this changes how to get into the account, or where its events are sent',
    action: 'Sign in again, then repeat the call',
  },
  not_found: {
    cause: 'Nothing exists here, or it belongs to another user',
    action: 'Check path and id',
  },
  method_not_allowed: {
    cause: 'The path does not take this method',
    action: 'Use a method of the `Allow` header',
  },
  conflict: {
    cause: 'The current state does not allow this',
    action: 'Read the message; read the resource again',
  },
  provider_id_used: {
    cause: 'A token of this name has placed an order with this `providerId`. The message names it',
    action:
      'Read that order: the purchase was placed already. Use a token with another name for each shop',
  },
  request_in_progress: {
    cause: 'Other calls order the same NFTs at the same time',
    action: 'Wait as long as `Retry-After` says, then send the same call again',
  },
  too_many_addresses: {
    cause: 'The user has 100 addresses of this kind, without those of orders',
    action: 'Delete one first',
  },
  too_many_open_orders: {
    cause:
      'All user tokens of the user together have 1,000 orders (or what the operator set) that are not ended, or would with this call. The message tells how many there are. Orders whose buyers have no wallet yet are among them',
    action: 'Wait until some are delivered, cancelled or failed. Master tokens have no such limit',
  },
  link_expired: {
    cause: 'A mailed link was used, has expired, or is for another user',
    action: 'Ask for a new link',
  },
  payload_too_large: {
    cause:
      'More than 1 MiB of JSON, a picture of more than 10 MiB or 50 megapixels, an AVIF of more than 1,200 pixels on its longer edge, more than 16 KiB in a form (beside the picture), more than 1,000 lines or 4 MiB of a catalogue in a call',
    action: 'Send less: fewer orders or lines per call, a smaller picture',
  },
  unsupported_media_type: {
    cause: 'The body has a type that the endpoint does not take, or is not a picture',
    action: 'Set `Content-Type`, or send another format',
  },
  idempotency_key_reused: {
    cause: 'A token of this name has used this `Idempotency-Key` with another body',
    action: 'Use a new key for a new call',
  },
  rate_limited: {
    cause:
      'Too many requests: more than 600 in 60 seconds, or more than 20 changes of avatars, 10 new tokens or 20 sign-in attempts',
    action: 'Wait as long as `Retry-After` says',
  },
  internal_error: {
    cause: 'An error of the service',
    action:
      'Send the call again, with the same `Idempotency-Key` if it has one; then report the `x-request-id`',
  },
  not_ready: {
    cause:
      'A setting or a migration is missing, or the instance runs with another `DELIVERY_KEY_SECRET` than the one it began with and places no orders',
    action:
      'Send the call again later. Operators: the log says what to do; a changed secret must be set to the first one again',
  },
  chain_unavailable: {
    cause: 'The chain that must verify the signature of a contract wallet does not answer',
    action: 'Try again later',
  },
}
