/** Which events an endpoint gets. */
import { and, eq, isNull, or, type SQL } from 'drizzle-orm'
import { events, type webhookEndpoints } from '../db/schema/webhooks.ts'

type Endpoint = Pick<
  typeof webhookEndpoints.$inferSelect,
  'id' | 'userId' | 'role' | 'events' | 'sources'
>
type Event = Pick<
  typeof events.$inferSelect,
  'type' | 'buyerId' | 'sellerId' | 'source' | 'endpointId'
>

/** Whether an endpoint gets an event. A test is for one endpoint, whatever that has chosen. */
export function takes(endpoint: Endpoint, event: Event): boolean {
  if (event.endpointId !== null) return event.endpointId === endpoint.id
  return isOfUser(endpoint, event) && isOfSources(endpoint, event) && isChosen(endpoint, event)
}

/** An endpoint of all orders has the events of every user. */
const isOfUser = ({ role, userId }: Endpoint, { buyerId, sellerId }: Event): boolean =>
  role === 'master' || userId === buyerId || userId === sellerId

/**
 * An alarm has no source, and goes to everyone. Endpoints of all orders name master tokens only: no
 * user can imitate one with a token of the same name.
 */
function isOfSources({ role, sources }: Endpoint, { source }: Event): boolean {
  if (sources === null || source === null) return true
  const kinds = role === 'master' ? ['master'] : ['master', 'user']
  return sources.some((name) => kinds.some((kind) => source === `${kind}:${name}`))
}

/** Who asks for failures is told of cancellations, too. */
const isChosen = ({ events }: Endpoint, { type }: Event): boolean =>
  events.includes(type) || (type === 'order.cancelled' && events.includes('order.failed'))

/**
 * The events that may be for an endpoint, without its tests: a condition that keeps a query from
 * reading the orders of others. `takes` decides.
 */
export const isPossibleSql = ({
  role,
  userId,
}: Pick<Endpoint, 'role' | 'userId'>): SQL | undefined =>
  and(
    isNull(events.endpointId),
    role === 'master' ? undefined : or(eq(events.buyerId, userId), eq(events.sellerId, userId)),
  )
