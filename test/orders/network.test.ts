/** The networks of NFTs: an item is pinned to its chain when the order is placed. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { readSettings } from '../../src/env.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import { callWith } from '../support/api.ts'
import { aListing, anNft, findRow } from '../support/makers.ts'
import { aShop, contextOf, placed, recordWakeUps, settings, stockOf } from './shop.ts'

const sendBatch = recordWakeUps()

const reasonCode = 'network_not_configured'

const deliveryOf = (item: { id: number } | undefined) => findRow(deliveries, item?.id)

it('accepts an order for an NFT on a network that is not configured, and its item waits', async () => {
  const { token, seller, nft, input } = await aShop({ nft: { contractNetwork: 'nowhere' } })
  const configured = await anNft(seller)
  const listing = await aListing(configured)
  const [waiting, started] = await placed(token, [
    input,
    { ...input, nftId: configured.id, listingId: listing.id },
  ])
  expect(waiting).toMatchObject({ failReason: null, orderItems: [{ status: null }] })
  expect(started).toMatchObject({ failReason: null, orderItems: [{ status: null }] })
  expect(await deliveryOf(waiting?.orderItems[0])).toMatchObject({
    state: 'queued',
    reasonCode,
    reasonDetail: null,
    chainId: null,
    dueAt: waiting?.createdAt,
    queuedAt: waiting?.createdAt,
    waitingSince: waiting?.createdAt,
  })
  expect(await stockOf(nft)).toBe(9)
  expect(sendBatch.mock.calls.map(([messages]) => [...messages])).toEqual([
    [{ body: { chainId: 31337 }, delaySeconds: 0 }],
  ])
})

it('pins an item to the chain that its network has when it is placed', async () => {
  const { token, input } = await aShop({ nft: { contractNetwork: 'moving' } })
  const ctx = await contextOf(token)
  const placeWhere = async (chainId: number) => {
    const [localhost] = Object.values(settings.NETWORKS)
    const own = readSettings({ ...env, NETWORKS: { moving: { ...localhost, chainId } } })
    const { orders } = await placeOrders({ ...ctx, settings: own }, { orders: [input] })
    return orders[0]?.orderItems[0]
  }
  const [first, second] = [await placeWhere(5), await placeWhere(6)]
  expect(await deliveryOf(first)).toMatchObject({ chainId: 5, state: 'queued' })
  expect(await deliveryOf(second)).toMatchObject({ chainId: 6, state: 'queued' })
})

it('wakes each chain of a call once', async () => {
  const { token, input } = await aShop()
  const elsewhere = await aShop({ nft: { contractNetwork: 'elsewhere' } })
  const NETWORKS = {
    ...env.NETWORKS,
    elsewhere: { ...settings.NETWORKS.localhost, chainId: 5 },
  }
  const inputs = [input, elsewhere.input, input, elsewhere.input]
  const content = { token, json: inputs }
  const response = await callWith({ NETWORKS }, 'POST', '/api/externalOrders', content)
  expect(response.status).toBe(200)
  expect(sendBatch.mock.calls.map(([messages]) => [...messages])).toEqual([
    [
      { body: { chainId: 31337 }, delaySeconds: 0 },
      { body: { chainId: 5 }, delaySeconds: 0 },
    ],
  ])
})
