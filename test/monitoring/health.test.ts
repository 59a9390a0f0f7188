/** `GET /health`: who gets what, and when it is 503. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import app from '../../src/app.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { alarms, cronRuns, networkChecks } from '../../src/db/schema/operations.ts'
import { tokens } from '../../src/db/schema/users.ts'
import { requestOf } from '../support/api.ts'
import { aChain } from '../support/chain/chain.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMasterToken, anAdministrator, aSession, db, setRow } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { anInstance, broken } from './instance.ts'

const logged = recordLogs()

beforeEach(async () => {
  for (const table of [deliveries, alarms, networkChecks, cronRuns]) await db.delete(table)
})

const OK = { status: 'ok' }

describe('without a live master token', () => {
  it.each<[string, () => Promise<string>]>([
    ['a session of an administrator', async () => aSession(await anAdministrator())],
    ['a broken token', async () => 'eyJhbGciOiJub25lIn0.e30.'],
    ['a revoked master token', async () => revoked(await aMasterToken())],
  ])('tells only that the instance serves: %s', async (_, tokenOf) => {
    const response = await anInstance().get('/health', await tokenOf())
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await response.json()).toEqual(OK)
  })

  it('asks the database once in ten seconds, and not for tokens', async () => {
    const { database, trips } = measured(env.DB)
    const own = { ...env, DB: database }
    for (let i = 0; i < 3; i++)
      await app.fetch(requestOf('GET', '/health'), own, createExecutionContext())
    expect(trips.map(({ statements }) => statements)).toEqual([['SELECT id FROM cronRuns']])
  })
})

async function revoked(token: string): Promise<string> {
  const revokedAt = new Date().toISOString()
  await setRow(tokens, decodeJwt(token).jti ?? '', { revokedAt })
  return token
}

describe('with a master token', () => {
  it('tells the state of every part', async () => {
    const chain = await aChain({ erc1155: 1 })
    const instance = anInstance(chain)
    await instance.cron()
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    await db.update(deliveries).set({ createdAt: instance.at(-2).toISOString() })
    const components = await instance.health()
    expect(components).toMatchObject({
      d1: { problem: null },
      r2: { problem: null },
      queues: [
        { name: 'deliveries', problem: null, messages: 0, oldestMessageSeconds: null },
        { name: 'webhooks', problem: null, messages: 0, oldestMessageSeconds: null },
        { name: 'master_webhooks', problem: null, messages: 0, oldestMessageSeconds: null },
      ],
      networks: [
        {
          name: chain.name,
          chainId: chain.chainId,
          checkedAt: instance.at(0).toISOString(),
          problem: null,
          isPaused: false,
          isRetired: false,
          signers: [{ address: chain.signer }],
        },
      ],
      deliveries: { awaitingWallet: 0, queued: 1, inFlight: 0, failed: 0 },
      oldestUndelivered: { id: item.id, createdAt: instance.at(-2).toISOString() },
      webhooks: { pending: 0, oldestDueSeconds: null, disabled: 0 },
      cron: { failedJobs: [] },
      alarms: [],
    })
    expect(Object(components.oldestUndelivered).seconds).toBeGreaterThanOrEqual(120)
  })

  it('says which part does not answer', async () => {
    const changes = {
      AVATARS: broken(env.AVATARS, 'head'),
      WEBHOOKS: broken(env.WEBHOOKS, 'metrics'),
    }
    const response = await anInstance().get('/health', await aMasterToken(), changes)
    expect(response.status).toBe(200)
    const problem = 'Error: the binding is unavailable'
    expect(await response.json()).toMatchObject({
      components: { r2: { problem }, queues: [{ problem: null }, { problem }, { problem: null }] },
    })
  })

  it('reads the parts once in ten seconds, and the token each time', async () => {
    const token = await aMasterToken()
    const { database, trips } = measured(env.DB)
    const own = { ...env, DB: database }
    const ask = () =>
      Promise.resolve(
        app.fetch(requestOf('GET', '/health', { token }), own, createExecutionContext()),
      )
    const first = await (await ask()).json()
    expect(await (await ask()).json()).toEqual(first)
    const [whole = 0, again] = trips.map(({ statements }) => statements.length)
    expect(whole).toBeGreaterThan(5)
    expect(again).toBe(1)
    await revoked(token)
    expect(await (await ask()).json()).toEqual(OK)
  })
})

describe('503', () => {
  const expectUnavailable = async (bindings: Partial<Env>, headers = {}) => {
    const request = requestOf('GET', '/health', { headers })
    const own = { ...env, ...bindings }
    const response = await app.fetch(request, own, createExecutionContext())
    expect(response.status).toBe(503)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await response.json()).toMatchObject({
      status: 'unavailable',
      error: 'the service is not available',
      code: 'not_ready',
    })
  }

  const failing = (message: string) =>
    ({
      withSession: () => ({
        prepare: (sql: string) => env.DB.prepare(sql),
        batch: () => Promise.reject(new Error(message)),
        getBookmark: () => null,
      }),
    }) as unknown as D1Database

  it('is answered while the database does not answer', async () => {
    await expectUnavailable({ DB: failing('D1_ERROR: Network connection lost.') })
    expect(logged('database_unavailable')).toHaveLength(1)
  })

  it('is answered while the database lacks migrations', async () => {
    await expectUnavailable({ DB: failing('D1_ERROR: no such table: cronRuns: SQLITE_ERROR') })
    expect(logged('not_ready')).toHaveLength(1)
  })

  it('is answered if the configuration is not valid, in JSON for a browser as well', async () => {
    await expectUnavailable({ JWT_KEYS: '{"keys":[]}' }, { accept: 'text/html' })
    expect(logged('not_ready')).toHaveLength(1)
  })
})
