/** The endpoints of the document: what their handlers declare, and what their folders say of them. */
import app from '../../src/app.ts'
import { transferEndpoints } from '../../src/delivery/admin/openapi.ts'
import { type Endpoint, endpointsOf } from '../../src/http/endpoint.ts'
import type { EndpointInfo, EndpointInfos } from '../../src/http/openapi.ts'
import { operationsEndpoints } from '../../src/operations/openapi.ts'

export type DescribedEndpoint = Endpoint & { info: EndpointInfo }

/** Pages and their forms have none. */
const endpointInfos: EndpointInfos = {
  ...transferEndpoints,
  ...operationsEndpoints,
}

/** In the order of the routes. */
export const describedEndpoints = endpointsOf(app).flatMap((endpoint): DescribedEndpoint[] => {
  const info = endpoint.info ?? endpointInfos[`${endpoint.method} ${endpoint.path}`]
  return info ? [{ ...endpoint, info }] : []
})
