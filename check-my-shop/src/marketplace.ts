/** What the tool asks the instance and the chain. */

import { CommandError } from '../../client/src/cli/command.ts'
import {
  ApiError,
  type Order as FullOrder,
  type MarketplaceClient,
  type OrderSummary,
} from '../../client/src/index.ts'
import type { Goods, Sale } from './sale.ts'

export type Order = OrderSummary & {
  /** `cancelled`: nothing will ever be delivered. */
  state: 'open' | 'failed' | 'cancelled' | 'delivered'
  /** Whether the marketplace is about to deliver or to cancel it. */
  isUnderWay: boolean
}

export class Marketplace {
  readonly client: MarketplaceClient
  readonly url: string
  readonly rpcUrl: string
  readonly #goods = new Map<string, Goods>()
  /** Whether the node could not be asked. */
  isNodeMissing = false

  constructor(client: MarketplaceClient, { url, rpcUrl }: { url: string; rpcUrl: string }) {
    this.client = client
    this.url = url.replace(/\/$/, '')
    this.rpcUrl = rpcUrl
  }

  /** Returns the orders with a number of the shop, the newest first. */
  async summaries(providerId: string): Promise<OrderSummary[]> {
    const { orders } = await this.client.listOrders({ providerId, fields: 'summary' })
    return orders
  }

  /** Returns the newest order with a number of the shop. */
  async order(providerId: string): Promise<Order | undefined> {
    const [order] = await this.summaries(providerId)
    if (!order) return undefined
    const { status, cancelRequestedAt } = order
    const state = stateOf(order)
    const isCancelling = cancelRequestedAt !== null && (state === 'open' || state === 'failed')
    const isUnderWay = status === null || status === 'transferring' || isCancelling
    return { ...order, state, isUnderWay }
  }

  /** Reads an order with its items. */
  async read(id: number): Promise<FullOrder | undefined> {
    return (await this.client.getOrders({ order_ids: [id] })).orders[0]
  }

  /** Places the order of another purchase under the number of a sale. Returns its id. */
  async placeOther({ number, listing, nft, buyerBillingData }: Sale): Promise<number> {
    const buyer = { email: `other-${number}@example.com` }
    const body = { listing, nft, quantity: 1, buyer, buyerBillingData }
    const { orders } = await this.client.putOrder({ providerId: number, body })
    const [order] = orders
    if (!order) throw new CommandError('The marketplace has placed no order.')
    return order.id
  }

  /** Holds a piece, and returns the id of the reservation. */
  async reserve({ listing }: Goods): Promise<string> {
    const body = [{ listing, quantity: 1, ttl: 1800 }]
    const { reservations } = await this.client.reserve({ body })
    const [reservation] = reservations
    if (!reservation) throw new CommandError('The marketplace has made no reservation.')
    return reservation.id
  }

  /** Returns why the marketplace would refuse the order of a sale; undefined if it would not. */
  async refusal({ number: _, ...order }: Sale): Promise<ApiError | undefined> {
    return this.client.checkOrders({ body: [order] }).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ApiError && error.status < 500) return error
        throw error
      },
    )
  }

  /** Returns what a listing sells. Throws a `CommandError` if it sells nothing. */
  async goods(listing: string): Promise<Goods> {
    const goods = this.#goods.get(listing) ?? (await this.findGoods(listing))
    if (!goods) throw new CommandError(`Listing ${listing} cannot be sold. Give --listing.`)
    this.#goods.set(listing, goods)
    return goods
  }

  /** Returns what a listing sells, or undefined if it sells nothing. `listing` is an external id. */
  async findGoods(listing: string): Promise<Goods | undefined> {
    const { listings } = await this.client.getListings({ ids: [`externalId:${listing}`] })
    const [found] = listings
    if (!found?.sellable) return undefined
    const { id, priceCents, priceCurrency: currency, available } = found
    const { id: nftId, externalId, contract, tokenId } = found.nft
    const ids = { nft: externalId ?? '', listing, nftId, listingId: id, contract, tokenId }
    return { ...ids, priceCents, currency, available }
  }

  /** Whether the instance is one of `npm run dev`, which has a control API. */
  async isDev(): Promise<boolean> {
    const signal = AbortSignal.timeout(10_000)
    return (await fetch(`${this.url}/dev/clock`, { signal })).ok
  }

  /** Calls the control API. */
  async control(action: 'backup' | 'restore' | 'reorganise' | 'advance', body: object = {}) {
    const response = await fetch(`${this.url}/dev/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    if (response.ok) return
    const text = await response.text()
    throw new CommandError(`POST /dev/${action} answered ${response.status}: ${text}`)
  }

  /** Returns the pieces of an NFT that a wallet has; undefined if no node of its chain answers. */
  async balance({ contract, tokenId }: Goods, wallet: string): Promise<number | undefined> {
    if (!contract || !tokenId) return undefined
    const word = (value: string) => BigInt(value).toString(16).padStart(64, '0')
    // balanceOf(address,uint256) of ERC-1155, or ownerOf(uint256) of ERC-721, which has one piece.
    const pieces = await this.#ask(contract, `0x00fdd58e${word(wallet)}${word(tokenId)}`)
    if (pieces !== null) return pieces === undefined ? undefined : Number(pieces)
    const owner = await this.#ask(contract, `0x6352211e${word(tokenId)}`)
    return owner === undefined ? undefined : Number(owner === BigInt(wallet))
  }

  /** Calls a contract. Returns null if the call is reverted, and undefined if no node can tell. */
  async #ask(to: string, data: string): Promise<bigint | null | undefined> {
    if (this.isNodeMissing) return undefined
    const params = [{ to, data }, 'latest']
    try {
      const response = await fetch(this.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
        signal: AbortSignal.timeout(10_000),
      })
      const { result, error } = (await response.json()) as {
        result?: string
        error?: { message?: string }
      }
      if (/revert/i.test(error?.message ?? '')) return null
      if (result !== undefined && result !== '0x') return BigInt(result)
    } catch {}
    this.isNodeMissing = true
    return undefined
  }
}

function stateOf({ status, reasonCode }: OrderSummary): Order['state'] {
  if (status === 'transferred') return 'delivered'
  if (status !== 'failed') return 'open'
  return reasonCode === 'cancelled' ? 'cancelled' : 'failed'
}
