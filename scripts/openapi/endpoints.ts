/** The endpoints of the document: what routes declare, and what it says about them. */
import app from '../../src/app.ts'
import { type Endpoint, listEndpoints } from './list.ts'
import type { Operation, Operations } from './operation.ts'
import { addressOperations } from './operations/addresses.ts'
import { avatarOperations } from './operations/avatars.ts'
import { catalogueOperations } from './operations/catalogue.ts'
import { identityOperations } from './operations/identity.ts'
import { marketplaceOperations } from './operations/marketplace.ts'
import { monitoringOperations } from './operations/monitoring.ts'
import { orderOperations } from './operations/orders.ts'
import { personalDataOperations } from './operations/personal-data.ts'
import { reservationOperations } from './operations/reservations.ts'
import { transferOperations } from './operations/transfers.ts'
import { webhookOperations } from './operations/webhooks.ts'

export type DescribedEndpoint = Endpoint & {
  info: Operation & { tag: string; operationId: string }
}

/** By the tags under which the document lists them. */
const operations: Record<string, Operations> = {
  Orders: { ...orderOperations, ...reservationOperations },
  Addresses: addressOperations,
  Avatars: avatarOperations,
  Marketplace: marketplaceOperations,
  Webhooks: webhookOperations,
  Transfers: transferOperations,
  Catalogue: catalogueOperations,
  Operations: monitoringOperations,
  Retention: personalDataOperations,
  Identity: identityOperations,
}

const infos = new Map(
  Object.entries(operations).flatMap(([tag, ofTag]) =>
    Object.entries(ofTag).map(([operationId, operation]) => [
      operationId,
      { tag, operationId, ...operation },
    ]),
  ),
)

/** In the order of the routes. Pages and their forms are not in the document. */
export const describedEndpoints = listEndpoints(app).flatMap((endpoint): DescribedEndpoint[] => {
  if (!endpoint.id) return []
  const info = infos.get(endpoint.id)
  if (!info) throw new Error(`scripts/openapi/operations has no ${endpoint.id}`)
  return [{ ...endpoint, info }]
})

for (const operationId of infos.keys())
  if (!describedEndpoints.some(({ info }) => info.operationId === operationId))
    throw new Error(`no endpoint declares ${operationId}`)
