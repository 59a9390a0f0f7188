/** The endpoints of the document. */
import app from '../../src/app.ts'
import { type Endpoint, listEndpoints } from '../../src/http/endpoint.ts'
import { type EndpointInfo, infoOf } from '../../src/http/openapi.ts'

export type DescribedEndpoint = Endpoint & { info: EndpointInfo }

/** In the order of the routes. Pages and their forms are not in the document. */
export const describedEndpoints = listEndpoints(app).flatMap((endpoint): DescribedEndpoint[] =>
  endpoint.operationId ? [{ ...endpoint, info: infoOf(endpoint.operationId) }] : [],
)
