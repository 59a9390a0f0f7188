/** The endpoints that the document describes. */
import app from '../../../src/app.ts'
import type { Operation, Tag } from '../../../src/http/endpoint.ts'
import { type Endpoint, listEndpoints } from './list.ts'

export type DescribedEndpoint = Endpoint & Operation & { tag: Tag }

/** In the order of the routes. Pages and their forms are not in the document. */
export const describedEndpoints = listEndpoints(app).flatMap((endpoint): DescribedEndpoint[] => {
  if (!('summary' in endpoint)) return []
  const { tag } = endpoint
  if (!tag) throw new Error(`${endpoint.id} has no tag`)
  return [{ ...endpoint, tag }]
})
