/** The page of a transfer, for operators. */

import { and, eq } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { events, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { sentence } from '../../src/pages/components/text.ts'
import { settings } from '../orders/shop.ts'
import { BASE_URL, call } from '../support/api.ts'
import { aMasterToken, aTransaction, db, findRow, setRow } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { ageSession, locationOf, pageOf, type Visitor } from '../support/visitor.ts'
import {
  anAdministratorVisitor,
  anItem,
  emptyPages,
  failed,
  minutesAgo,
  read,
  stateOf,
  stockOfItem,
} from './operator.ts'

let visitor: Visitor

beforeEach(async () => {
  await emptyPages()
  visitor = (await anAdministratorVisitor()).visitor
})

it('tells the whole history of an item', async () => {
  const { id, orderId } = await anItem({ dueAt: null }, 'SHOP-7')
  const hash = (digit: string) => `0x${digit.repeat(64)}` as const
  const inItem = { items: [id, id + 1], chainId: 31337, createdAt: minutesAgo(-1) }
  await aTransaction({ ...inItem, hash: hash('a'), block: null, nonceUsedAt: 9, nonce: 3 })
  await aTransaction({ ...inItem, items: [id + 1] })
  const { id: transactionId } = await aTransaction({
    ...inItem,
    hash: hash('b'),
    replaced: [hash('c')],
    nonce: 4,
    block: 77,
    gasUsed: 200_000,
    fee: '3000000000000000',
    createdAt: minutesAgo(-2),
  })
  const updatedAt = minutesAgo(-3)
  await moveTo(id, 'transferred', { transactionId, chainId: 31337 })
  await setRow(deliveries, id, { updatedAt })
  const isIt = and(eq(events.orderId, orderId), eq(events.type, 'order.delivered'))
  const [delivered] = await db.update(events).set({ at: updatedAt }).where(isIt).returning()
  const message = { eventId: delivered?.id ?? 0, endpointId: 'deleted', tries: 2 }
  await db.insert(webhookMessages).values({ ...message, state: 'failed', attempts: '[{},{}]' })
  const localhost = { ...settings.NETWORKS.localhost, explorerUrl: 'https://explorer.example' }
  const page = await read(visitor, `/operations/transfers/${id}`, { NETWORKS: { localhost } })
  expect(page.text).toMatch(
    new RegExp(
      `Transfer ${id} Delivered .* Order Order SHOP-7 \\(id ${orderId}\\) Placed with master token “shop `,
    ),
  )
  expect(page.html).toContain(
    `<title>Transfer ${id}, order SHOP-7 (id ${orderId}) · Marketplace</title>`,
  )
  expect(page.sectionOf('history')).toMatch(
    new RegExp(
      'Order placed just now Event order.created just now evt_\\d+' +
        ' Transaction sent in \\d+ seconds 0xaaaa…aaaa Its nonce was used by another transaction closed 2 items' +
        ' Signer \\S+ Nonce 3 .*' +
        ' Transaction sent in 1 minute 0xbbbb…bbbb Block 77 closed 2 items Gas 200,000 Fee 0.003 ETH, 0.0015 of it for this item' +
        ' Signer \\S+ Nonce 4 .* Replaces 0xcccc…cccc' +
        ` Event order.delivered in 2 minutes failed, 2 attempts endpoint deleted evt_${delivered?.id}` +
        ' Delivered in 2 minutes',
    ),
  )
  expect(page.html).toContain(`href="https://explorer.example/tx/${hash('a')}"`)
  expect(page.html).toContain('href="https://explorer.example/block/77"')
  expect(page.text).toContain('The NFT is transferred already')
  expect(page.html).not.toContain('<dialog')
})

it('retries a failed item, and tells who did', async () => {
  const { id } = await anItem(failed('token_not_deployed'))
  const path = `/operations/transfers/${id}`
  expect((await read(visitor, path)).text).toContain(
    `Failed just now ${sentence(rules.token_not_deployed.sentence)}`,
  )
  const done = await locationOf(visitor.post(`${path}/retry`))
  const { text, sectionOf } = await read(visitor, done ?? '')
  expect(text).toContain('The transfer is queued again, and tried at once.')
  expect(sectionOf('history')).toContain('Retried just now by Olga Event order.retried just now')
  expect(await stateOf(id)).toBe('queued')
})

it('cancels an item, and does not offer it again', async () => {
  const { id } = await anItem(failed('token_not_deployed'))
  const path = `/operations/transfers/${id}`
  const done = await locationOf(visitor.post(`${path}/cancel`))
  const page = await read(visitor, done ?? '')
  expect(page.text).toContain(`Transfer ${id} Being cancelled`)
  expect(page.sectionOf('history')).toContain('Cancellation requested just now by Olga')
  expect(page.html).not.toContain(`action="${path}/cancel"`)
  const again = await visitor.post(`${path}/retry`)
  expect(again.status).toBe(303)
})

it('asks a session that is more than ten minutes old to sign in again before it cancels', async () => {
  const { id } = await anItem(failed('token_not_deployed'))
  const path = `/operations/transfers/${id}`
  await ageSession(visitor, 11)
  const headers = { referer: `${BASE_URL}${path}` }
  const again = `/sign-in/again?redirect=${encodeURIComponent(path)}`
  expect(await locationOf(visitor.post(`${path}/cancel`, { headers }))).toBe(again)
  const unchanged = { state: 'failed', requestedAction: 'deliver' }
  expect(await findRow(deliveries, id)).toMatchObject(unchanged)
  // What can be undone needs no new sign-in.
  expect(await locationOf(visitor.post(`${path}/retry`))).toBe(`${path}?done=retry`)
})

it('writes off an item whose key is used up, and offers nothing else', async () => {
  const { id } = await anItem(failed('key_used_for_other_delivery'))
  const path = `/operations/transfers/${id}`
  const before = await read(visitor, path)
  expect(before.html).toContain(`action="${path}/write-off"`)
  expect(before.html).not.toContain(`action="${path}/retry"`)
  expect(before.html).not.toContain(`action="${path}/cancel"`)
  const stock = await stockOfItem(id)
  const writingOff = visitor.post(`${path}/write-off`, { form: { returnPieces: 'on' } })
  const page = await read(visitor, (await locationOf(writingOff)) ?? '')
  expect(page.text).toContain('The transfer is written off.')
  expect(page.text).toContain(`Transfer ${id} Written off The item is written off.`)
  expect(page.sectionOf('history')).toContain('Written off just now by Olga')
  expect(page.html).not.toContain('<dialog')
  expect(await stateOf(id)).toBe('written_off')
  expect(await stockOfItem(id)).toBe(stock + 1)
  const { text } = await read(visitor, '/operations/audit')
  expect(text).toContain(`wrote off Transfer ${id}`)
})

it('says that a transfer cannot be retried', async () => {
  const { id } = await anItem({ state: 'transferred', dueAt: null })
  const { status, text } = await pageOf(visitor.post(`/operations/transfers/${id}/retry`))
  expect(status).toBe(409)
  expect(text).toContain('The NFT is transferred already.')
  expect((await visitor.get('/operations/transfers/999999')).status).toBe(404)
})

it('tells who retried many items at once', async () => {
  const { id } = await anItem(failed('token_not_deployed'))
  await anItem(failed('token_not_deployed'))
  const token = await aMasterToken('ops')
  const all = '/api/admin/transfers/retry?status=failed&code=token_not_deployed'
  await call('POST', all, { token })
  const { sectionOf } = await read(visitor, `/operations/transfers/${id}`)
  expect(sectionOf('history')).toMatch(
    /Retried just now by User \d+ with the token “ops” with 1 other /,
  )
})
