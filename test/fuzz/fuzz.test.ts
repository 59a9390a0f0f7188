/**
 * Damages the sample request of any endpoint, and sends it as somebody who may call the endpoint.
 * `FUZZ_SEED=7 FUZZ_RUNS=20000 npm run fuzz` sends more of them.
 */
import * as fc from 'fast-check'
import { expect, inject, it, vi } from 'vitest'
import { listEndpoints } from '../../scripts/build/openapi/list.ts'
import app from '../../src/app.ts'
import { BASE_URL, callWith } from '../support/api.ts'
import { sampleWorld } from '../support/endpoints.ts'
import { PATIENCE } from '../support/patience.ts'
import { type CallerName, callers, mayCall, permissions } from '../support/permissions.ts'
import { damaged, damages } from './damage.ts'
import { bindings } from './hostile/victims.ts'
import { type Change, changedColumns, startJournal, takeChanges } from './journal.ts'

declare module 'vitest' {
  interface ProvidedContext {
    fuzz: { seed: number; runs: number }
  }
}

const { seed, runs } = inject('fuzz')

const { jwtOf, sampleRequest } = await sampleWorld()

/** test/content uploads files, which are streamed, and asks nodes who holds a token. */
const excluded = ['putFile', 'storeContentFile', 'getContentOfHolder']

/** The other endpoints, with those who may call them. */
const targets = new Map(
  listEndpoints(app)
    .filter(({ id }) => !id || !excluded.includes(id))
    .map((endpoint) => {
      const name = `${endpoint.method} ${endpoint.path}`
      const row = permissions.find((one) => one.endpoint === name)
      return [name, { endpoint, allowed: callers.filter((one) => row && mayCall(one, row)) }]
    }),
)

async function credentialsOf(caller: CallerName): Promise<Record<string, string>> {
  if (caller === 'no token') return {}
  const jwt = await jwtOf(caller)
  return ['session', 'admin'].includes(caller)
    ? { cookie: `token=${jwt}`, origin: BASE_URL }
    : { authorization: `Bearer ${jwt}` }
}

/** Whether any request may cause a change: pictures are counted before they are read, and downloads. */
const isAllowed = (change: Change): boolean =>
  ['quotas', 'downloads'].includes(change.table) ||
  changedColumns(change).every((name) => name === 'lastUsedAt')

it('answers every request as documented, and changes nothing when it answers an error', {
  timeout: 3 * PATIENCE + runs * 100,
}, async () => {
  const { log } = console
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await startJournal()
  const statuses: number[] = []
  const requests = fc.record({
    name: fc.constantFrom(...targets.keys()),
    caller: fc.nat(),
    damage: damages,
  })
  await fc.assert(
    fc.asyncProperty(requests, async ({ name, caller, damage }) => {
      const { endpoint, allowed } = targets.get(name) ?? {}
      if (!endpoint || !allowed) throw new Error(`there is no ${name}`)
      const credentials = await credentialsOf(allowed[caller % allowed.length] ?? 'no token')
      const sample = await sampleRequest(name)
      const { method, path, ...content } = damaged(endpoint, sample, damage)
      await takeChanges()
      const headers = { ...content.headers, ...credentials }
      const { status } = await callWith(bindings, method, path, { ...content, headers })
      statuses.push(status)
      expect(status).toBeLessThan(500)
      const changes = (await takeChanges()).filter((change) => !isAllowed(change))
      if (status >= 400 || method === 'GET') expect(changes).toEqual([])
    }),
    // A request with one damage needs no smaller one.
    { seed, numRuns: runs, endOnFailure: true },
  )
  const successes = statuses.filter((status) => status < 300).length
  log(`fuzz: ${statuses.length} requests (${successes} successful), seed ${seed}`)
})
