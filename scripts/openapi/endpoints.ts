/** The endpoints of the document: what routes declare, and what it says about them. */
import app from '../../src/app.ts'
import { type Endpoint, listEndpoints } from './list.ts'
import type { Operation, Operations } from './operation.ts'
import { webhookOperations } from './operations/webhooks.ts'

export type DescribedEndpoint = Endpoint & {
  info: Operation & { tag: string; operationId: string }
}

/** By the tags under which the document lists them. */
const operations: Record<string, Operations> = {
  Webhooks: webhookOperations,
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
  const { id: operationId, tag } = endpoint
  if ('summary' in endpoint && tag)
    return [{ ...endpoint, info: { ...endpoint, tag, operationId } }]
  const info = infos.get(endpoint.id)
  if (!info) throw new Error(`scripts/openapi/operations has no ${endpoint.id}`)
  return [{ ...endpoint, info }]
})
