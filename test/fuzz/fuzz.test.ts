/**
 * Sends requests to every endpoint of the OpenAPI document: valid ones, slightly damaged ones and
 * hostile ones. `FUZZ_SEED=7 FUZZ_RUNS=20000 npm run fuzz` sends more of them.
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { expect, inject, it, vi } from 'vitest'
import app from '../../src/app.ts'
import { BASE_URL } from '../support/api.ts'
import { assertDocumented } from '../support/document.ts'
import { PATIENCE } from '../support/patience.ts'
import { createFixtures, fingerprint } from './fixtures.ts'
import { endpoints, type FuzzRequest, requestsTo } from './requests.ts'

declare module 'vitest' {
  interface ProvidedContext {
    fuzz: { seed: number; runs: number }
  }
}

const { seed, runs } = inject('fuzz')

/** The queues drop their messages, because a consumer would write to the database meanwhile. */
const bindings: Env = {
  ...env,
  DELIVERIES: { ...env.DELIVERIES, sendBatch: async () => sent },
  WEBHOOKS: { ...env.WEBHOOKS, sendBatch: async () => sent },
  MASTER_WEBHOOKS: { ...env.MASTER_WEBHOOKS, sendBatch: async () => sent },
}
const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }

/**
 * Success needs more than the document says: a signature, a picture, a used key, a message of the
 * endpoint, an alarm.
 */
const withoutSuccess = new Set([
  'POST /api/admin/alarms/{key}/acknowledge',
  'POST /sign-in/wallet',
  'POST /settings/account/wallet',
  'PUT /api/public/user/{user_id}/profile/avatar',
  'GET /nfts/{id}/art/{size}',
  'POST /api/admin/transfers/{id}/write-off',
  'POST /api/webhooks/{webhook_id}/messages/{message_id}/resend',
])

/** The statuses of all responses by endpoint. */
const statuses = new Map<string, number[]>()

async function send({ endpoint, method, path, headers, body }: FuzzRequest): Promise<number> {
  const request = new Request(BASE_URL + path, { method, headers, body })
  const context = createExecutionContext()
  const response = await app.fetch(request, bindings, context)
  await waitOnExecutionContext(context)
  await assertDocumented(request, response)
  statuses.set(endpoint, [...(statuses.get(endpoint) ?? []), response.status])
  return response.status
}

function expectSuccesses() {
  for (const { method, path } of endpoints) {
    const endpoint = `${method} ${path}`
    const isSuccess = (status: number) => status >= 200 && status < 300
    if (!withoutSuccess.has(endpoint))
      expect(statuses.get(endpoint), endpoint).toSatisfy((all: number[]) => all.some(isSuccess))
  }
}

/** The line that `npm run fuzz` prints. */
function report(failures: number): string {
  const all = [...statuses.values()].flat()
  const successes = all.filter((status) => status < 300).length
  return (
    `fuzz: ${statuses.size} endpoints, ${all.length} requests (${successes} successful), ` +
    `seed ${seed}, ${runs} runs, ${failures} failed`
  )
}

it('answers every request as documented, and changes nothing when it answers an error', {
  timeout: 3 * PATIENCE + runs * 100,
}, async () => {
  const { log } = console
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { known, callers, ofRemoved } = await createFixtures()
  const removed = await ofRemoved()
  const requests = fc.oneof(...endpoints.map((endpoint) => requestsTo(endpoint, known, callers)))
  let before = await fingerprint()
  let failures = 1
  try {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const status = await send(request)
        expect(status).toBeLessThan(500)
        const after = await fingerprint()
        if (status >= 400 || request.method === 'GET') expect(after).toBe(before)
        before = after
      }),
      { seed, numRuns: runs },
    )
    // With fewer runs, an endpoint may get no valid request by chance.
    if (runs >= 5000) expectSuccesses()
    expect(await ofRemoved()).toEqual(removed)
    failures = 0
  } finally {
    log(report(failures))
  }
})
