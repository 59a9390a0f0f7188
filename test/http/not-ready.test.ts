import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { callWith } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMasterToken } from '../support/makers.ts'

const logged = recordLogs()
const ADDRESSES = '/api/public/user/me/billingAddresses'

const expectNotReady = async (response: Response) => {
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    code: 'not_ready',
    error: 'the service is not set up completely; its log says what to do',
  })
}

it('names the command if the database lacks migrations', async () => {
  const DB = {
    withSession: () => ({
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: () => Promise.reject(new Error('D1_ERROR: no such table: tokens: SQLITE_ERROR')),
      getBookmark: () => null,
    }),
  } as unknown as D1Database
  await expectNotReady(await callWith({ DB }, 'GET', ADDRESSES, { token: await aMasterToken() }))
  expect(logged('not_ready')).toMatchObject([
    { remedy: expect.stringContaining('`npx wrangler d1 migrations apply DB --local`') },
  ])
})

it('names a variable that is missing, and shows no value', async () => {
  const bindings = { EMAIL_FROM: undefined, JWT_KEYS: '{"keys":[]}' } as unknown as Partial<Env>
  await expectNotReady(await callWith(bindings, 'GET', '/api/public/stats'))
  const [line] = logged('not_ready')
  expect(line?.remedy).toMatch(/JWT_KEYS\.keys: .*EMAIL_FROM: is required/)
})
