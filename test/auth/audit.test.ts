/** What the audit log records of the actions of administrators. */
import { beforeEach, expect, it } from 'vitest'
import type { ReasonCode } from '../../src/db/schema/delivery.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { ADMINISTRATOR } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { aUserRecord, linesOf } from '../catalogue/records.ts'
import { aShop, sold } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { anAdministrator, aToken, db, setRow } from '../support/makers.ts'
import { aSignedInVisitor, generate, revoke, sessionIdOf } from '../support/visitor.ts'

beforeEach(async () => {
  await db.delete(auditLog)
})

const logged = async () =>
  (await db.select().from(auditLog)).map(({ id: _, at: __, ...entry }) => entry)

async function anOperator(name: string) {
  const user = await anAdministrator()
  return { userId: user.id, token: await aToken(user, 'master', 'api', name) }
}

async function aFailedItem(code: ReasonCode) {
  const { input, token } = await aShop()
  const { id } = (await sold(token, input)).item
  await setRow(deliveries, id, { state: 'failed', ...explain(code), dueAt: null })
  return id
}

it('records the items that a call has changed, and nothing if there are none', async () => {
  const { userId, token } = await anOperator('bulk')
  const items = [await aFailedItem('recipient_rejects'), await aFailedItem('recipient_rejects')]
  const path = '/api/admin/transfers'
  await call('POST', `${path}/retry?status=failed&code=no_relayer`, { token })
  expect(await logged()).toEqual([])
  await call('POST', `${path}/retry?status=failed&code=recipient_rejects`, { token })
  await call('POST', `${path}/cancel?status=queued`, { token })
  const own = { userId, tokenName: 'bulk', subject: null }
  expect(await logged()).toEqual([
    {
      ...own,
      action: 'transfer.retry',
      details: { status: 'failed', code: 'recipient_rejects', items },
    },
    { ...own, action: 'transfer.cancel', details: { status: 'queued', items } },
  ])
})

it('records an import, but no dry run and no refused one', async () => {
  const { userId, token } = await anOperator('import')
  const send = (query: string, id: string) =>
    call('POST', `/api/admin/catalogue${query}`, { token, body: linesOf([aUserRecord(id)]) })
  await send('?dryRun=true', 'cleo')
  expect(await logged()).toEqual([])
  await send('', 'cleo')
  const entry = { userId, tokenName: 'import', action: 'catalogue.import' }
  expect(await logged()).toEqual([
    { ...entry, subject: expect.any(String), details: { 'user.created': 1 } },
  ])
})

it('records what is done to master tokens and to tokens of others, but not to own ones', async () => {
  const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const other = await aSignedInVisitor()
  const own = await generate(visitor, { name: 'own' })
  await revoke(visitor, own.path)
  expect(await logged()).toEqual([])

  const { path } = await generate(visitor, { name: 'shop', role: 'master' })
  const rolled = await visitor.post(`${path}/roll`)
  const newPath = (rolled.headers.get('location') ?? '').replace(/\?.*/, '')
  await revoke(visitor, newPath)
  const session = sessionIdOf(other.visitor)
  await revoke(visitor, `/settings/api-access/tokens/${session}`)
  const idIn = (text: string) => text.split('/').at(-1)
  const entry = { userId: user.id, tokenName: null }
  const details = { kind: 'api', role: 'master', name: 'shop' }
  expect(await logged()).toEqual([
    { ...entry, action: 'token.generate', subject: idIn(path), details },
    { ...entry, action: 'token.roll', subject: idIn(path), details },
    { ...entry, action: 'token.revoke', subject: idIn(newPath), details },
    {
      ...entry,
      action: 'token.revoke',
      subject: session,
      details: { kind: 'session', role: 'user', name: null },
    },
  ])
})
