/** The page of a transfer, for operators. */

import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { events, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { sentence } from '../../src/pages/components/text.ts'
import { settings } from '../orders/shop.ts'
import { BASE_URL, call } from '../support/api.ts'
import { aMasterToken, aTransaction, db } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { ageSession } from '../support/visitor.ts'
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

beforeEach(emptyPages)

describe('the page of a transfer', () => {
  it('tells the whole history of an item', async () => {
    const { visitor } = await anAdministratorVisitor()
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
    await db.update(deliveries).set({ updatedAt }).where(eq(deliveries.id, id))
    await db.update(events).set({ at: updatedAt }).where(eq(events.type, 'order.delivered'))
    const [delivered] = await db
      .select()
      .from(events)
      .where(and(eq(events.orderId, orderId), eq(events.type, 'order.delivered')))
    await db.insert(webhookMessages).values([
      {
        eventId: delivered?.id ?? 0,
        endpointId: 'deleted',
        state: 'failed',
        tries: 2,
        attempts: '[{},{}]',
      },
    ])
    const localhost = { ...settings.NETWORKS.localhost, explorerUrl: 'https://explorer.example' }
    const page = await read(visitor, `/operations/transfers/${id}`, { NETWORKS: { localhost } })
    expect(page.text).toMatch(
      new RegExp(`Transfer ${id} Delivered .* Order number SHOP-7 Placed with master token “shop `),
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
    const { visitor } = await anAdministratorVisitor()
    const { id } = await anItem(failed('token_not_deployed'))
    const path = `/operations/transfers/${id}`
    expect((await read(visitor, path)).text).toContain(
      `Failed just now ${sentence(rules.token_not_deployed.sentence)}`,
    )
    const response = await visitor.post(`${path}/retry`)
    const { text, sectionOf } = await read(visitor, response.headers.get('location') ?? '')
    expect(text).toContain('The transfer is queued again, and tried at once.')
    expect(sectionOf('history')).toContain('Retried just now by Olga Event order.retried just now')
    expect(await stateOf(id)).toBe('queued')
  })

  it('cancels an item, and does not offer it again', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id } = await anItem(failed('token_not_deployed'))
    const path = `/operations/transfers/${id}`
    const response = await visitor.post(`${path}/cancel`)
    const page = await read(visitor, response.headers.get('location') ?? '')
    expect(page.text).toContain(`Transfer ${id} Being cancelled`)
    expect(page.sectionOf('history')).toContain('Cancellation requested just now by Olga')
    expect(page.html).not.toContain(`action="${path}/cancel"`)
    const again = await visitor.post(`${path}/retry`)
    expect(again.status).toBe(303)
  })

  it('asks a session that is more than ten minutes old to sign in again before it cancels', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id } = await anItem(failed('token_not_deployed'))
    const path = `/operations/transfers/${id}`
    await ageSession(visitor, 11)
    const response = await visitor.post(`${path}/cancel`, {
      headers: { referer: `${BASE_URL}${path}` },
    })
    expect(response.headers.get('location')).toBe(
      `/sign-in/again?redirect=${encodeURIComponent(path)}`,
    )
    const [row] = await db.select().from(deliveries).where(eq(deliveries.id, id))
    expect(row).toMatchObject({ state: 'failed', requestedAction: 'deliver' })
    // What can be undone needs no new sign-in.
    const retried = await visitor.post(`${path}/retry`)
    expect(retried.headers.get('location')).toBe(`${path}?done=retry`)
  })

  it('writes off an item whose key is used up, and offers nothing else', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id } = await anItem(failed('key_used_for_other_delivery'))
    const path = `/operations/transfers/${id}`
    const before = await read(visitor, path)
    expect(before.html).toContain(`action="${path}/write-off"`)
    expect(before.html).not.toContain(`action="${path}/retry"`)
    expect(before.html).not.toContain(`action="${path}/cancel"`)
    const stock = await stockOfItem(id)
    const response = await visitor.post(`${path}/write-off`, { form: { returnPieces: 'on' } })
    const page = await read(visitor, response.headers.get('location') ?? '')
    expect(page.text).toContain('The transfer is written off.')
    expect(page.text).toContain(`Transfer ${id} Written off The item is written off.`)
    expect(page.sectionOf('history')).toContain('Written off just now by Olga')
    expect(page.html).not.toContain('<dialog')
    expect(await stateOf(id)).toBe('written_off')
    expect(await stockOfItem(id)).toBe(stock + 1)
    const { text } = await read(visitor, '/operations/audit')
    expect(text).toContain(`wrote off Transfer ${id}`)
  })

  it('returns no pieces of a written-off item unless the operator says so', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id } = await anItem(failed('token_moved_nothing'))
    const stock = await stockOfItem(id)
    await visitor.post(`/operations/transfers/${id}/write-off`)
    expect(await stateOf(id)).toBe('written_off')
    expect(await stockOfItem(id)).toBe(stock)
  })

  it('says that a transfer cannot be retried', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id } = await anItem({ state: 'transferred', dueAt: null })
    const response = await visitor.post(`/operations/transfers/${id}/retry`)
    expect(response.status).toBe(409)
    expect(await response.text()).toContain('The NFT is transferred already.')
    expect((await visitor.get('/operations/transfers/999999')).status).toBe(404)
  })

  it('tells who retried many items at once', async () => {
    const { visitor } = await anAdministratorVisitor()
    const items = [
      await anItem(failed('token_not_deployed')),
      await anItem(failed('token_not_deployed')),
    ]
    const token = await aMasterToken('ops')
    await call('POST', '/api/admin/transfers/retry?status=failed&code=token_not_deployed', {
      token,
    })
    const path = `/operations/transfers/${items[0]?.id}`
    const { sectionOf } = await read(visitor, path)
    expect(sectionOf('history')).toMatch(
      /Retried just now by User \d+ with the token “ops” with 1 other /,
    )
  })
})
