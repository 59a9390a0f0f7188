/** Orders that tests place in the running instance. */
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { createClient, type NewOrder } from '../../../client/src/index.ts'
import { aPerson, instance } from './instance.ts'

const client = createClient(instance)

export const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }

export const aWallet = () => privateKeyToAddress(generatePrivateKey())

/** Returns an order of an NFT of the demo, for a person who has no wallet unless one is named. */
export async function aNewOrder(fields: Partial<NewOrder> = {}): Promise<NewOrder> {
  const { nftId = 3, buyerUserId = await aPerson() } = fields
  return { nftId, listingId: nftId, quantity: 1, buyerBillingData, ...fields, buyerUserId }
}

/** Places orders that are the same, and returns their ids. */
export async function placeOrders(count: number, fields: Partial<NewOrder>): Promise<number[]> {
  const order = await aNewOrder(fields)
  const { orders } = await client.placeOrders({ body: Array.from({ length: count }, () => order) })
  return orders.map(({ id }) => id)
}

/** Places an order, and returns the ids of it and of its item. */
export async function anOrder(fields: Partial<NewOrder> = {}) {
  const { orders } = await client.placeOrders({ body: [await aNewOrder(fields)] })
  const [order] = orders
  const [item] = order?.orderItems ?? []
  if (!order || !item) throw new Error('no order was placed')
  return { id: order.id, itemId: item.id }
}

/** Places an order of a new wallet, waits until it is delivered, and returns its id. */
export async function aDeliveredOrder(fields: Partial<NewOrder> = {}): Promise<number> {
  const { id } = await anOrder({ buyerUserId: await aPerson(aWallet()), ...fields })
  await client.waitForDelivery(id, { interval: 100 })
  return id
}
