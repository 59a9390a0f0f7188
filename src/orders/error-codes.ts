/** Error codes that several endpoints declare. */
import { saleObstacles } from '../db/schema/catalogue.ts'

/** Why pieces cannot be sold or reserved. */
export const saleErrors = [
  'listing_not_found',
  'listing_inactive',
  'listing_ended',
  'listing_is_auction',
  'nft_not_found',
  'nft_not_released',
  'sold_out',
  'quantity_too_large',
  'quantity_above_limit',
  'not_your_listing',
  'price_changed',
  'too_many_open_orders',
  'request_in_progress',
  ...saleObstacles,
] as const

/** Why an order cannot be placed. */
export const placingErrors = [
  ...saleErrors,
  'listing_mismatch',
  'buyer_not_found',
  'no_billing_address',
  'reservation_not_found',
  'reservation_mismatch',
] as const
