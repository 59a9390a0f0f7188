import type { Hono } from 'hono'
import type { App } from '../../../src/http/context.ts'
import { type Declaration, declarationBy } from '../../../src/http/endpoint.ts'

/** An endpoint as it is declared. */
export type Endpoint = Declaration & { method: string; path: string }

/** Every endpoint of the app, in the order of its routes. A route without a declaration is an error. */
export function listEndpoints(app: Pick<Hono<App>, 'routes'>): Endpoint[] {
  const endpoints = new Map<string, Endpoint | null>()
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL') continue
    const key = `${method} ${path}`
    const declaration = declarationBy(handler)
    endpoints.set(
      key,
      declaration ? { method, path, ...declaration } : (endpoints.get(key) ?? null),
    )
  }
  return [...endpoints].map(([key, endpoint]) => {
    if (!endpoint) throw new Error(`${key} is not declared by \`endpoint\``)
    return endpoint
  })
}
