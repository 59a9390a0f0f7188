/** `marketplace trigger EVENT`: makes a true event in a local instance, and prints it. */
import type { MarketplaceClient } from '../client.ts'
import { withDeadline } from '../deadline.ts'
import { nameAddress } from '../errors.ts'
import { wait } from '../retry.ts'
import type { MarketplaceEvent, PlacedOrder } from '../types.ts'
import { CommandError, defineCommand, UsageError } from './command.ts'
import { instanceOptions, openInstance } from './instance.ts'

/** Milliseconds. Alarms are raised and cleared once a minute, and one may have to be cleared first. */
const MAX_TIME = 300_000
const INTERVAL = 250

const ALARM = 'deliveries_failed'

/** How long an order waits for a wallet until it counts as unclaimed, as `/dev/advance` takes it. */
const UNCLAIMED_AFTER = '21d'

/** What the order numbers of this command begin with. */
const PREFIX = 'trigger-'

/** The number of the order of the demo that has failed. */
const DEMO_FAILED = 'demo-failed'

type Context = { client: MarketplaceClient; url: string; signal: AbortSignal }
type EventType = MarketplaceEvent['type']

/** Listings of the demo. The second one fails at once. */
const delivered = { listing: 'listing-2', nft: 'nft-2' }
const failing = { listing: 'outcome-seller-has-no-wallet', nft: 'outcome-seller-has-no-wallet' }

const buyerWithWallet = { userId: 3 }
const guest = () => ({ email: `trigger-${crypto.randomUUID()}@example.com` })

/** What makes each event. */
export const triggers: Record<EventType, (context: Context) => Promise<MarketplaceEvent>> = {
  'order.created': (context) => orderAndWait(context, delivered, buyerWithWallet, 'order.created'),
  'order.awaiting_wallet': (context) =>
    orderAndWait(context, delivered, guest(), 'order.awaiting_wallet'),
  'order.unclaimed': async (context) => {
    const order = await placeOrder(context, delivered, guest())
    await advance(context, UNCLAIMED_AFTER)
    return waitForOrder(context, order, 'order.unclaimed')
  },
  'order.delivered': (context) =>
    orderAndWait(context, delivered, buyerWithWallet, 'order.delivered'),
  'order.failed': (context) => orderAndWait(context, failing, buyerWithWallet, 'order.failed'),
  'order.cancelled': async (context) => {
    const order = await placeOrder(context, delivered, guest())
    return cancel(context, order)
  },
  'order.retried': async (context) => {
    const order = await placeOrder(context, failing, buyerWithWallet)
    await waitForOrder(context, order, 'order.failed')
    const [item] = order.orderItems
    await context.client.retryTransfer({ id: item?.id ?? 0 }, { signal: context.signal })
    return waitForOrder(context, order, 'order.retried')
  },
  'alarm.raised': async (context) => (await raiseAlarm(context)).raised,
  'alarm.cleared': async (context) => {
    const { order, raised } = await raiseAlarm(context)
    await cancel(context, order)
    return waitFor(context, raised.timestamp, isAlarm('alarm.cleared'))
  },
  'webhook.test': async ({ client, signal }) => {
    const { webhooks } = await client.listWebhooks({}, { signal })
    const webhook = webhooks.find(({ disabledAt }) => disabledAt === null)
    if (!webhook)
      throw new CommandError('There is no enabled webhook to test: create one in the settings.')
    const { message } = await client.testWebhook({ webhook_id: webhook.id }, { signal })
    return { id: message.id, ...message.payload } as MarketplaceEvent
  },
}

const isEvent = (text: string): text is EventType => Object.hasOwn(triggers, text)

export const command = defineCommand({
  name: 'trigger',
  summary: 'Makes a true event in a local instance, and prints it.',
  argument: 'EVENT',
  options: instanceOptions,
  run: async (options, name) => {
    const names = Object.keys(triggers).join(', ')
    if (!isEvent(name))
      throw new UsageError(`There is no event "${name}". Those that can be made are ${names}.`)
    const client = openInstance(options)
    const error = () =>
      new CommandError(`No ${name} came within ${MAX_TIME / 60_000} minutes. Try again.`)
    const event = await withDeadline({ milliseconds: MAX_TIME, error }, async (signal) => {
      await requireLocal({ client, url: options.url, signal })
      return triggers[name]({ client, url: options.url, signal })
    })
    console.log(JSON.stringify(event, null, 2))
    return 0
  },
})

/** Throws a `CommandError` unless the instance is a local one with the demo: orders cost money. */
async function requireLocal({ client, url, signal }: Context): Promise<void> {
  const clock = await fetch(new URL('/dev/clock', url), { signal }).catch((error: unknown) => {
    throw nameAddress(error, url)
  })
  if (!clock.ok)
    throw new CommandError(
      `${url} is not a local instance, which \`npm run dev\` starts. Events are made in no other one.`,
    )
  const ids = [delivered, failing].map(({ listing }) => `externalId:${listing}`)
  const { listings } = await client.getListings({ ids }, { signal })
  if (listings.length < ids.length)
    throw new CommandError(
      `${url} does not have the demo catalogue. \`npm run dev -- --fresh\` deletes its data and loads it.`,
    )
}

/** Moves the clock of the instance forward. */
async function advance({ url, signal }: Context, by: string): Promise<void> {
  console.error(`The clock of the instance is moved forward by ${by}.`)
  const request = { method: 'POST', body: JSON.stringify({ by }), signal }
  const response = await fetch(new URL('/dev/advance', url), request)
  if (!response.ok) throw new CommandError(`The clock cannot be moved: ${await response.text()}`)
}

type Goods = { listing: string; nft: string }
type Buyer = { userId: number } | { email: string }

async function placeOrder(
  { client, signal }: Context,
  goods: Goods,
  buyer: Buyer,
): Promise<PlacedOrder> {
  const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }
  const { orders } = await client.putOrder(
    {
      providerId: `${PREFIX}${crypto.randomUUID()}`,
      body: { ...goods, quantity: 1, buyer, buyerBillingData },
    },
    { signal },
  )
  const [order] = orders
  if (!order) throw new CommandError('The instance did not return the order.')
  return order
}

async function orderAndWait(context: Context, goods: Goods, buyer: Buyer, type: EventType) {
  const order = await placeOrder(context, goods, buyer)
  return waitForOrder(context, order, type)
}

async function cancel(context: Context, order: PlacedOrder): Promise<MarketplaceEvent> {
  await context.client.cancelOrder({ order_id: order.id }, { signal: context.signal })
  return waitForOrder(context, order, 'order.cancelled')
}

/** Raises the alarm about failed deliveries. One that lasts has to be cleared first. */
async function raiseAlarm(context: Context) {
  await cancelFailed(context)
  let last: AlarmEvent | undefined
  for await (const event of context.client.items('listEvents', {}, { signal: context.signal }))
    if (isAlarm('alarm.raised', 'alarm.cleared')(event)) last = event
  if (last?.type === 'alarm.raised') {
    console.error(`Waiting until the alarm ${ALARM} is cleared: ${last.data.detail}`)
    await waitFor(context, last.timestamp, isAlarm('alarm.cleared'))
  }
  const order = await placeOrder(context, failing, buyerWithWallet)
  return { order, raised: await waitFor(context, order.createdAt, isAlarm('alarm.raised')) }
}

/** Cancels what failed in earlier runs and in the demo. Throws a `CommandError` if other orders have failed. */
async function cancelFailed({ client, signal }: Context): Promise<void> {
  const others: string[] = []
  const failed = client.items('listTransfers', { status: 'failed' }, { signal })
  for await (const { orderId, providerId, reasonCode } of failed)
    if (providerId?.startsWith(PREFIX) || providerId === DEMO_FAILED)
      await client.cancelOrder({ order_id: orderId }, { signal })
    else if (reasonCode !== 'cancelled') others.push(`${orderId} (${reasonCode})`)
  if (others.length > 0)
    throw new CommandError(
      `Failed orders keep the alarm ${ALARM} raised: ${others.join(', ')}. Cancel them. If one answers 409, begin again with \`npm run dev -- --fresh\`.`,
    )
}

type AlarmEvent = Extract<MarketplaceEvent, { type: `alarm.${string}` }>

const isAlarm =
  (...types: readonly AlarmEvent['type'][]) =>
  (event: MarketplaceEvent): event is AlarmEvent =>
    types.some((type) => event.type === type) && 'name' in event.data && event.data.name === ALARM

const waitForOrder = (context: Context, { id, createdAt }: PlacedOrder, type: EventType) =>
  waitFor(
    context,
    createdAt,
    (event) => event.type === type && 'orderId' in event.data && event.data.orderId === id,
  )

/** Returns the first event of the log, from a time on, that is wanted. */
async function waitFor(
  { client, signal }: Context,
  since: string,
  isWanted: (event: MarketplaceEvent) => boolean,
): Promise<MarketplaceEvent> {
  for (;;) {
    for await (const event of client.items('listEvents', { since }, { signal }))
      if (isWanted(event)) return event
    await wait(INTERVAL, signal)
  }
}
