/** The calls that the bench compares. */
import type { Size } from '../../../test/support/synthetic.ts'

export type Call = {
  method: 'GET' | 'POST'
  url: string
  token?: string
  /** Called for each request. */
  body?: () => unknown
}

/** `bar` is the lowest acceptable ratio of the API to the floor. */
export type Pair = { name: string; api: Call; floor: Call; bar?: number }

type Servers = { api: string; floor: string }

/** Returns the calls of two servers with a catalogue of this size, with the master token of user 1. */
export function createPairs({ api, floor }: Servers, token: string, size: Size): Pair[] {
  let i = 0
  const userId = () => 10 + (i++ % (size.users - 10))
  const address = () => ({ userId: userId(), name: 'Bo', street: 'Torstraße 1', city: 'Berlin' })
  const order = () => {
    // NFTs 2, 5, 8 and so on are limited, with a large stock.
    const nftId = 2 + 3 * (i++ % Math.floor(size.nfts / 3 - 1))
    return { nftId, listingId: nftId, quantity: 1, buyerUserId: userId() }
  }
  const hundredOrders = () => Array.from({ length: 100 }, order)
  const get = (url: string): Call => ({ method: 'GET', url, token })
  const post = (url: string, body: () => unknown): Call => ({ method: 'POST', url, token, body })

  const list = '/api/public/user/me/deliveryAddresses'
  const create = '/api/public/deliveryAddress'
  const orders = `${api}/api/externalOrders`
  const read = get(floor + list)
  const write = post(floor + create, address)
  return [
    { name: 'list addresses', api: get(api + list), floor: read, bar: 0.75 },
    { name: 'create an address', api: post(api + create, address), floor: write, bar: 0.6 },
    { name: 'read an order', api: get(`${orders}/4711`), floor: read, bar: 0.55 },
    { name: 'place 1 order', api: post(orders, () => [order()]), floor: write, bar: 0.2 },
    { name: 'place 100 orders', api: post(orders, hundredOrders), floor: write, bar: 0.03 },
    { name: 'stats', api: { method: 'GET', url: `${api}/api/public/stats` }, floor: read },
  ]
}
