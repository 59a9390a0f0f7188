/**
 * Every endpoint of the OpenAPI document, asked with what it takes, what it nearly takes and what
 * nobody should send. `npm run fuzz -- --seed 7 --runs 20000` asks for longer.
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { expect, inject, it, vi } from 'vitest'
import app from '../../src/app.ts'
import { BASE_URL } from '../support/api.ts'
import { assertDocumented } from '../support/document.ts'
import { type Ask, endpoints, requestsTo } from './requests.ts'
import { aWorld, fingerprint } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where to begin, and how many requests to make. */
    fuzz: { seed: number; runs: number }
  }
}

const { seed, runs } = inject('fuzz')

/** The consumer would change the database beside the requests. */
const bindings: Env = { ...env, TRANSFERS: { ...env.TRANSFERS, sendBatch: async () => nothing } }
const nothing = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }

/** What takes more than a document to get right: a wallet's signature, a picture elsewhere. */
const outOfReach = new Set([
  'POST /sign-in/wallet',
  'POST /settings/account/wallet',
  'PUT /api/public/user/{user_id}/profile/avatar',
])

/** The statuses that each endpoint has answered with. */
const answered = new Map<string, Set<number>>()

async function ask({ endpoint, method, path, headers, body }: Ask): Promise<number> {
  const request = new Request(BASE_URL + path, { method, headers, body })
  const context = createExecutionContext()
  const response = await app.fetch(request, bindings, context)
  await waitOnExecutionContext(context)
  await assertDocumented(request, response)
  const statuses = answered.get(endpoint) ?? new Set()
  answered.set(endpoint, statuses.add(response.status))
  return response.status
}

it('answers whatever it is asked as the document says, and changes nothing when it refuses', {
  timeout: 60_000 + runs * 100,
}, async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { known, callers } = await aWorld()
  let before = await fingerprint()
  const asks = fc.oneof(...endpoints.map((endpoint) => requestsTo(endpoint, known, callers)))
  await fc.assert(
    fc.asyncProperty(asks, async (request) => {
      const status = await ask(request)
      expect(status).toBeLessThan(500)
      const after = await fingerprint()
      if (status >= 400 || request.method === 'GET') expect(after).toBe(before)
      before = after
    }),
    { seed, numRuns: runs },
  )
  // Fewer may miss one by chance.
  if (runs < 2000) return
  for (const { method, path } of endpoints) {
    const endpoint = `${method} ${path}`
    if (!outOfReach.has(endpoint))
      expect([...(answered.get(endpoint) ?? [])], endpoint).toContain(200)
  }
})
