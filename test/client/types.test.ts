/** The types of the client. `tsc` checks them; at run time these tests do nothing. */
import { expectTypeOf, it } from 'vitest'
import type {
  Answer,
  ErrorCode,
  Input,
  MarketplaceClient,
  NewOrder,
  Order,
  OrderItem,
  OrderSummary,
  PlacedOrder,
  WebhookEvent,
} from '../../client/src/index.ts'

type Client = MarketplaceClient

it('takes what the document describes', () => {
  expectTypeOf<Input<'getStats'>>().toEqualTypeOf<Record<string, never>>()
  expectTypeOf<Parameters<Client['placeOrders']>['length']>().toEqualTypeOf<1 | 2>()
  expectTypeOf<Parameters<Client['getStats']>['length']>().toEqualTypeOf<0 | 1 | 2>()
  expectTypeOf<Input<'placeOrders'>['body'][number]>().toEqualTypeOf<NewOrder>()
  expectTypeOf<NewOrder['quantity']>().toEqualTypeOf<number>()
  expectTypeOf<NewOrder['providerId']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<Input<'createAddress'>['type']>().toEqualTypeOf<'delivery' | 'billing' | undefined>()
  expectTypeOf<Input<'uploadAvatarFile'>['body']>().toEqualTypeOf<{ avatar: Blob }>()
  expectTypeOf<Uint8Array<ArrayBuffer>>().toExtend<Input<'uploadAvatarBytes'>['body']>()
  // @ts-expect-error -- the quantity is missing
  expectTypeOf({ nftId: 2, listing: 'sale-2', buyerUserId: 3 }).toExtend<NewOrder>()
  // @ts-expect-error -- there is no such parameter
  expectTypeOf<Parameters<Client['listTransfers']>[0]>().toHaveProperty('colour')
})

it('returns what the document describes', () => {
  expectTypeOf<Answer<'placeOrders'>['orders']>().toEqualTypeOf<PlacedOrder[]>()
  expectTypeOf<Answer<'getOrders'>['orders']>().toEqualTypeOf<Order[]>()
  expectTypeOf<Order['totalPriceCents']>().toEqualTypeOf<number>()
  expectTypeOf<Order['failReason']>().toEqualTypeOf<string | null>()
  expectTypeOf<OrderItem['status']>().toEqualTypeOf<
    'awaiting_wallet' | 'transferring' | 'transferred' | 'failed' | null
  >()
  expectTypeOf<Answer<'getPicture'>>().toEqualTypeOf<Blob>()
  expectTypeOf<Answer<'getAvatar'>>().toEqualTypeOf<{ avatarUrl: string }>()
})

it('iterates only over operations with pages', () => {
  type PagedId = Parameters<Client['pages']>[0]
  expectTypeOf<'listTransfers'>().toExtend<PagedId>()
  expectTypeOf<'getOrders'>().not.toExtend<PagedId>()
})

it('lists orders, or summaries of orders if they are asked for', () => {
  const listAll = async (client: Client) => {
    expectTypeOf((await client.listOrders()).orders).toEqualTypeOf<Order[]>()
    expectTypeOf((await client.listOrders({ buyerUserId: 3 })).orders).toEqualTypeOf<Order[]>()
    const { orders } = await client.listOrders({ source: 'Shop', fields: 'summary' })
    expectTypeOf(orders).toEqualTypeOf<OrderSummary[]>()
    for await (const page of client.pages('listOrders', { fields: 'summary' }))
      expectTypeOf(page.orders).toEqualTypeOf<OrderSummary[]>()
  }
  expectTypeOf(listAll).toBeFunction()
})

it('knows the codes of errors', () => {
  expectTypeOf<'sold_out' | 'rate_limited' | 'events_removed'>().toExtend<ErrorCode>()
  expectTypeOf<'no_such_code'>().not.toExtend<ErrorCode>()
})

it('knows what each event has', () => {
  const event = {} as WebhookEvent
  if (event.type === 'webhook.test')
    expectTypeOf(event.data).toEqualTypeOf<{ message: string; challenge: string }>()
  if (event.type === 'alarm.raised') expectTypeOf(event.data.runbookUrl).toEqualTypeOf<string>()
  if (event.type === 'order.failed')
    expectTypeOf(event.data.failReason).toEqualTypeOf<string | null>()
  expectTypeOf<'order.retried'>().toExtend<WebhookEvent['type']>()
  expectTypeOf<'order.lost'>().not.toExtend<WebhookEvent['type']>()
})
