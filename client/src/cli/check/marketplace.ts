/** What the tool asks the instance and the chain. */
import type { MarketplaceClient } from '../../client.ts'
import type { OrderSummary } from '../../types.ts'
import { CommandError } from '../command.ts'
import type { Goods } from './sale.ts'

export type Order = {
  id: number
  /** `cancelled`: nothing will ever be delivered. */
  state: 'open' | 'failed' | 'cancelled' | 'delivered'
  status: string | null
  txId: string | null
  /** Whether the marketplace is about to deliver or to cancel it. */
  isUnderWay: boolean
}

export class Marketplace {
  readonly client: MarketplaceClient
  readonly url: string
  readonly rpcUrl: string
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
    const { id, status, txId, cancelRequestedAt } = order
    const state = stateOf(order)
    const isCancelling = cancelRequestedAt !== null && (state === 'open' || state === 'failed')
    const isUnderWay = status === null || status === 'transferring' || isCancelling
    return { id, state, status, txId, isUnderWay }
  }

  /** Returns what a listing sells, or undefined if it sells nothing. `listing` is an external id. */
  async goods(listing: string): Promise<(Goods & { available: number | null }) | undefined> {
    const { listings } = await this.client.getListings({ ids: [`externalId:${listing}`] })
    const [found] = listings
    if (!found?.sellable) return undefined
    const { priceCents, priceCurrency: currency, available } = found
    return { listing, nft: found.nft.externalId ?? '', priceCents, currency, available }
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
  async balance(listing: string, wallet: string): Promise<number | undefined> {
    const { listings } = await this.client.getListings({ ids: [`externalId:${listing}`] })
    const { contract, tokenId } = listings[0]?.nft ?? {}
    if (!contract || !tokenId) return undefined
    const word = (value: bigint) => value.toString(16).padStart(64, '0')
    // balanceOf(address,uint256) of ERC-1155.
    const data = `0x00fdd58e${word(BigInt(wallet))}${word(BigInt(tokenId))}`
    const params = [{ to: contract, data }, 'latest']
    try {
      const response = await fetch(this.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
        signal: AbortSignal.timeout(10_000),
      })
      const { result } = (await response.json()) as { result?: string }
      if (result !== undefined && result !== '0x') return Number(result)
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
