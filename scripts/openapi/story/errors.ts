/** Calls that are refused. */

import { localAccount } from '../../chain/accounts.ts'
import { LOCAL_CHAIN_ID } from '../../chain/collectibles.ts'
import type { Teller } from './teller.ts'

const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }

/** One order each, and what is wrong with it. The answers have the code. */
const refusedOrders: [code: string, summary: string, changes: object][] = [
  [
    'invalid_input',
    'A field is missing, another has the wrong type',
    { quantity: '1', nftId: undefined },
  ],
  ['listing_not_found', 'There is no such listing', { listingId: 99 }],
  ['listing_inactive', 'The listing is switched off', { listingId: 5 }],
  ['listing_ended', 'The listing has ended', { listingId: 6 }],
  ['listing_mismatch', 'The listing sells another NFT', { listingId: 3 }],
  ['nft_not_found', 'There is no such NFT', { nftId: 99 }],
  ['nft_not_released', 'The NFT is not on sale', { nftId: 4, listingId: 4 }],
  ['buyer_not_found', 'There is no such buyer', { buyerUserId: 99 }],
  ['no_billing_address', 'The buyer has no billing address', { buyerUserId: 1 }],
  ['sold_out', 'The only piece was sold', { nftId: 1, listingId: 1 }],
  [
    'quantity_too_large',
    'The listing sells one piece in an order',
    { nftId: 1, listingId: 1, quantity: 2 },
  ],
]

export async function errorChapter(teller: Teller): Promise<void> {
  await refuseOrders(teller)
  await refuseCallers(teller)
  await refuseBodies(teller)
  await refuseTooMany(teller)
}

async function refuseOrders({ show, tokens }: Teller): Promise<void> {
  const token = tokens.shop
  for (const [code, summary, changes] of refusedOrders)
    await show(400, 'placeOrders', code, summary, { token, body: [{ ...order, ...changes }] })
  const stranger = { token, body: { userId: 99, city: 'Oslo' } }
  for (const operation of ['createAddress', 'createBillingAddress'])
    await show(400, operation, 'user_not_found', 'There is no such user', stranger)
  const nobody = { token, parameters: { user_id: 'first' } }
  await show(400, 'listDeliveryAddresses', 'invalid_input', 'The user id is not a number', nobody)
  const unknown = { token, parameters: { order_ids: [1, 99] } }
  await show(400, 'getOrders', 'order_not_found', 'One of the orders does not exist', unknown)
  const malformed = { token, parameters: { order_ids: ['first'] } }
  await show(400, 'getOrders', 'invalid_input', 'An id is not a number', malformed)
  const filters = { token, parameters: { providerId: 'A-1001', buyerUserId: 3 } }
  await show(400, 'listOrders', 'invalid_input', 'More than one filter', filters)
  const used = { token, body: [{ ...order, providerId: 'A-1001' }] }
  await show(409, 'placeOrders', 'provider_id_used', 'The order number was used before', used)
  const reused = { token, parameters: { 'idempotency-key': 'checkout-1001' }, body: [order] }
  await show(
    422,
    'placeOrders',
    'idempotency_key_reused',
    'The key was used with other orders',
    reused,
  )
}

async function refuseCallers({ show, tokens, issue, wait }: Teller): Promise<void> {
  const parameters = { order_ids: [1] }
  const body = [order]
  await show(401, 'getOrders', 'unauthenticated', 'There is no token', { parameters })
  await show(401, 'listTransfers', 'unauthenticated', 'There is no token')
  await show(403, 'placeOrders', 'forbidden', 'The token may only read', {
    token: tokens.reader,
    body,
  })
  await show(403, 'placeOrders', 'not_your_listing', 'The token is not of the seller', {
    token: tokens.buyer,
    body,
  })
  await show(403, 'listTransfers', 'forbidden', 'The token is not a master token', {
    token: tokens.seller,
  })
  const other = { token: tokens.buyer, body: { userId: 2 } }
  await show(403, 'createAddress', 'forbidden', 'The token is of another user', other)
  const session = await issue(5, 'session', { kind: 'session' })
  const foreign = { cookie: `token=${session}`, headers: { origin: 'https://elsewhere.example' } }
  await show(403, 'placeOrders', 'cross_site', 'The request came from another site', {
    ...foreign,
    body,
  })
  await show(403, 'createAddress', 'cross_site', 'The request came from another site', {
    ...foreign,
    body: {},
  })
  const message = { address: localAccount(6).address, chainId: LOCAL_CHAIN_ID, purpose: 'sign-in' }
  await show(403, 'requestWalletMessage', 'cross_site', 'The request came from another site', {
    ...foreign,
    body: message,
  })
  const signed = { message: 'Sign in', signature: '0x' }
  await show(403, 'linkWallet', 'forbidden', 'The token is not a session', {
    token: tokens.buyer,
    body: signed,
  })
  await show(403, 'linkWallet', 'cross_site', 'The request came from another site', {
    ...foreign,
    body: signed,
  })
  wait(11)
  const cookie = `token=${session}`
  await show(403, 'linkWallet', 'reauthentication_required', 'The sign-in was too long ago', {
    cookie,
    body: signed,
  })
}

async function refuseBodies({ show, tokens }: Teller): Promise<void> {
  const token = tokens.buyer
  const large = JSON.stringify([order]).padEnd(1024 * 1024 + 1)
  const type = { 'content-type': 'text/plain' }
  await show(400, 'createAddress', 'invalid_input', 'The e-mail address is malformed', {
    token,
    body: { email: 'bo' },
  })
  await show(413, 'placeOrders', 'payload_too_large', 'The body has more than 1 MiB', {
    token,
    upload: large,
  })
  await show(413, 'createAddress', 'payload_too_large', 'The body has more than 1 MiB', {
    token,
    upload: large,
  })
  const cookie = `token=${token}`
  await show(415, 'placeOrders', 'unsupported_media_type', 'The body is not declared as JSON', {
    cookie,
    upload: '[]',
    headers: type,
  })
  await show(415, 'createAddress', 'unsupported_media_type', 'The body is not declared as JSON', {
    cookie,
    upload: '{}',
    headers: type,
  })
}

async function refuseTooMany({ show, send, tokens, issue }: Teller): Promise<void> {
  const token = tokens.seller
  const many = times(21, () => order)
  await show(409, 'placeOrders', 'too_many_open_orders', 'Too many orders would be open', {
    token,
    body: many,
  })
  const body = { name: 'Cleo Creator' }
  await Promise.all(times(100, () => send('createAddress', { token, body })))
  await show(409, 'createAddress', 'too_many_addresses', 'The user has 100 delivery addresses', {
    token,
    body,
  })
  const busy = await issue(4, 'busy')
  const read = { token: busy, parameters: { order_ids: [1] } }
  // The emulation counts by the minutes of the real clock, and one may begin meanwhile.
  const exhaust = async () => {
    let isLimited = false
    while (!isLimited) {
      const answers = await Promise.all(times(50, () => send('getOrders', read)))
      isLimited = answers.at(-1)?.status === 429
    }
  }
  const summary = 'More than 600 requests in a minute'
  await exhaust()
  await show(429, 'getOrders', 'rate_limited', summary, read)
  const mine = { token: busy, parameters: { user_id: 'me' } }
  await exhaust()
  await show(429, 'listDeliveryAddresses', 'rate_limited', summary, mine)
}

const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work)
