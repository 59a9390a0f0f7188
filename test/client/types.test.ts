/** The types of the client. `tsc` checks them; at run time these tests do nothing. */
import { expectTypeOf, it } from 'vitest'
import {
  ApiError,
  type ErrorCode,
  type Issue,
  type MarketplaceClient,
  type MarketplaceEvent,
  type Order,
  type OrderSummary,
  type verifyWebhook,
  type WebhookEvent,
} from '../../client/src/index.ts'

type Client = MarketplaceClient

it('iterates only over operations with pages', () => {
  type PagedId = Parameters<Client['pages']>[0]
  expectTypeOf<'listTransfers'>().toExtend<PagedId>()
  expectTypeOf<'getOrders'>().not.toExtend<PagedId>()
  type ListId = Parameters<Client['items']>[0]
  expectTypeOf<'listTransfers' | 'listEvents'>().toExtend<ListId>()
  // Its pages have several lists.
  expectTypeOf<'getPersonalData'>().not.toExtend<ListId>()
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

it('knows what the issues of an error have, by its code', () => {
  const handle = (error: unknown) => {
    if (!(error instanceof ApiError)) return
    expectTypeOf(error.code).toEqualTypeOf<ErrorCode | null>()
    if (error.code === null) expectTypeOf(error.issues).toEqualTypeOf<readonly []>()
    if (error.code === 'sold_out') {
      const [first, second] = error.issues
      expectTypeOf(first.code).toEqualTypeOf<'sold_out'>()
      expectTypeOf(second).toEqualTypeOf<Issue | undefined>()
      // @ts-expect-error -- only some codes have an order
      expectTypeOf(first).toHaveProperty('orderId')
    }
    if (error.code === 'provider_id_used')
      expectTypeOf(error.issues[0].orderId).toEqualTypeOf<number | undefined>()
    if (error.code === 'order_differs')
      expectTypeOf(error.issues[0].orderId).toEqualTypeOf<number>()
    if (error.code === 'price_changed')
      expectTypeOf(error.issues[0].priceCents).toEqualTypeOf<number>()
    for (const issue of error.issues)
      if (issue.code === 'price_changed') expectTypeOf(issue.priceCurrency).toEqualTypeOf<string>()
  }
  expectTypeOf(handle).toBeFunction()
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
  expectTypeOf<ReturnType<typeof verifyWebhook>>().toEqualTypeOf<Promise<MarketplaceEvent>>()
  expectTypeOf<MarketplaceEvent['type']>().toEqualTypeOf<WebhookEvent['type']>()
  const message = {} as MarketplaceEvent
  if (message.type === 'order.failed') {
    expectTypeOf(message.id).toEqualTypeOf<string>()
    expectTypeOf(message.data.orderId).toEqualTypeOf<number>()
  }
})
