import type { Hono } from 'hono'
import type { App } from '../../src/http/context.ts'
import { type Access, declarations, type Input, inputs } from '../../src/http/endpoint.ts'

/** An endpoint as its handlers declare it. */
export type Endpoint = {
  method: string
  path: string
  inputs: Input[]
  /** Null if no handler declares it. */
  access: Access | null
  /** Its id in the OpenAPI document; null for a page. */
  operationId: string | null
}

/** Every endpoint of the app, in the order of its routes. */
export function listEndpoints(app: Pick<Hono<App>, 'routes'>): Endpoint[] {
  const endpoints = new Map<string, Endpoint>()
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL') continue
    const key = `${method} ${path}`
    const endpoint: Endpoint = endpoints.get(key) ?? {
      method,
      path,
      inputs: [],
      access: null,
      operationId: null,
    }
    const input = inputs.get(handler)
    if (input) endpoint.inputs.push(input)
    const declaration = declarations.get(handler)
    if (declaration) Object.assign(endpoint, declaration)
    endpoints.set(key, endpoint)
  }
  return [...endpoints.values()]
}
