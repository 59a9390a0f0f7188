/** The pages for operators, as HTML. */

import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import {
  alarms,
  auditLog,
  cronRuns,
  findings,
  hourlyOrders,
  networkChecks,
} from '../../src/db/schema/operations.ts'
import { events, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { explain, rules } from '../../src/delivery/reasons.ts'
import { sentence } from '../../src/pages/components/field.tsx'
import { aShop, billingData, placed, settings } from '../orders/shop.ts'
import { BASE_URL, call } from '../support/api.ts'
import { aMasterToken, aTransaction, aWebhook, db } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { ageSession, aSignedInVisitor, type Visitor } from '../support/visitor.ts'
import {
  anAdministratorVisitor,
  anItem,
  emptyPages,
  failed,
  minutesAgo,
  read,
  stateOf,
  stockOfItem,
  textOf,
} from './operator.ts'

beforeEach(emptyPages)

it('is for administrators only, whose menu has a link to it', async () => {
  const { visitor } = await aSignedInVisitor()
  const refused = await visitor.get('/operations')
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('Only administrators may do this.')
  expect(await (await visitor.get('/orders')).text()).not.toContain('href="/operations"')
  const administrator = await anAdministratorVisitor()
  const { html } = await read(administrator.visitor, '/operations')
  expect(html).toContain('<a href="/operations">')
})

it('has a sentence where there is nothing to show', async () => {
  const { visitor } = await anAdministratorVisitor()
  const { text } = await read(visitor, '/operations')
  expect(text).toContain('No alarm is raised.')
  expect(text).toContain('No order was placed in the last 30 days, so there is nothing to draw.')
  expect(text).toContain('What is queued waits only for its turn.')
  expect(text).toContain('Nothing has failed.')
  expect(text).toContain('Not checked yet: the cron run does it each minute.')
  expect(text).toContain('There are no entries.')
})

it('shows alarms with their age, and a link to the runbook', async () => {
  const { visitor } = await anAdministratorVisitor()
  const raisedAt = minutesAgo(5)
  await db.insert(alarms).values({
    key: 'signer_low:31337:0x1',
    name: 'signer_low',
    detail: 'The signer 0x1 can pay for 7 deliveries.',
    raisedAt,
    notifiedAt: raisedAt,
  })
  const { html, text } = await read(visitor, '/operations')
  expect(text).toContain(
    'Signer low warning The signer 0x1 can pay for 7 deliveries. Raised 5 minutes ago',
  )
  expect(html).toContain('href="/docs/runbook#signer-low"')
})

describe('the plots', () => {
  const hour = (hoursAgo: number, values: Partial<typeof hourlyOrders.$inferInsert>) => {
    const at = new Date(Date.now() - hoursAgo * 60 * 60_000).toISOString()
    return {
      hour: `${at.slice(0, 13)}:00:00.000Z`,
      firstId: 1,
      lastId: 10,
      transferred: 0,
      failed: 0,
      awaitingWallet: 0,
      underWay: 0,
      updatedAt: at,
      ...values,
    }
  }

  it('have a title for each hour, a table, and no scripts in the page', async () => {
    const { visitor } = await anAdministratorVisitor()
    const values = { transferred: 5, failed: 1, awaitingWallet: 2, underWay: 1 }
    await db.insert(hourlyOrders).values(hour(1, { ...values, p50: 42_000, p95: 5_400_000 }))
    const { html } = await read(visitor, '/operations')
    const titles = [...html.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title)
    // 48 hours of two plots, and the title of the page.
    expect(titles).toHaveLength(48 + 48 + 1)
    expect(titles).toContainEqual(
      expect.stringMatching(
        /^\w{3} \d+ \w+ \d\d:00\nDelivered: 5\nUnder way: 1\nWithout a wallet: 2\nFailed: 1\nCancelled or written off: 1$/,
      ),
    )
    expect(titles).toContainEqual(
      expect.stringMatching(/\nHalf of them \(p50\): 42 s\n95 % of them \(p95\): 1.5 h$/),
    )
    expect(textOf(html)).toMatch(/\d\d:00 5 1 2 1 1 /)
  })

  it('have a logarithmic axis that says so if one hour dwarfs the others', async () => {
    const { visitor } = await anAdministratorVisitor()
    const of = (hoursAgo: number, orders: number) =>
      hour(hoursAgo, { lastId: orders, transferred: orders, p50: 1000, p95: 2000 })
    await db.insert(hourlyOrders).values([of(1, 10), of(2, 200), of(3, 11)])
    expect((await read(visitor, '/operations')).text).not.toContain('Logarithmic axis')
    await db.insert(hourlyOrders).values(of(4, 221))
    await db.delete(hourlyOrders).where(eq(hourlyOrders.lastId, 200))
    const { html, text } = await read(visitor, '/operations')
    expect(text.match(/Logarithmic axis/g)).toHaveLength(1)
    expect(html).toContain('aria-label="Deliveries by state, logarithmic axis.')
    expect(html).toContain('aria-label="Time to delivery. The table has the numbers."')
  })

  it('mark the value of an hour between two empty ones', async () => {
    const { visitor } = await anAdministratorVisitor()
    const delivered = { firstId: 1, lastId: 1, transferred: 1 }
    await db
      .insert(hourlyOrders)
      .values([hour(1, delivered), hour(2, delivered), hour(9, delivered)])
    const { html } = await read(visitor, '/operations')
    expect(html.match(/class="marker delivered"/g)).toHaveLength(1)
  })

  it('show 30 days on request, each with the sums of its hours', async () => {
    const { visitor } = await anAdministratorVisitor()
    const day = 24 * Math.ceil(1 + new Date().getUTCHours() / 24)
    const evening = day + new Date().getUTCHours() - 23
    await db
      .insert(hourlyOrders)
      .values([
        hour(evening, { transferred: 9, failed: 1, p50: 1000, p95: 2000 }),
        hour(evening + 1, { transferred: 1, p50: 60_000, p95: 120_000, firstId: 1, lastId: 1 }),
      ])
    const { html } = await read(visitor, '/operations?range=days')
    expect(html).toContain(
      'Delivered: 10\nUnder way: 0\nWithout a wallet: 0\nFailed: 1\nCancelled or written off: 0',
    )
    expect(html).toContain('Half of them (p50): 1 s\n95 % of them (p95): 2 s')
  })
})

it('groups failures by reason, with their number, their value and a link to their list', async () => {
  const { visitor } = await anAdministratorVisitor()
  const first = await anItem(failed('recipient_rejects', '0x1'))
  await anItem(failed('recipient_rejects', '0x2'))
  await anItem(failed('seller_has_no_wallet'))
  await anItem(failed('token_moved_nothing'))
  await anItem({ ...failed('cancelled'), state: 'cancelled', requestedAction: 'cancel' })
  const { html, sectionOf } = await read(visitor, '/operations')
  const failures = sectionOf('failures')
  expect(failures).toContain(
    `Failures ${sentence(rules.recipient_rejects.sentence)} 2 transfers : ${rules.recipient_rejects.sentence}` +
      ` €20.00 Oldest: Transfer ${first.id} A retry helps once the cause is removed.`,
  )
  expect(failures).toContain(
    'A retry fails again at once, unless the seller links a wallet before.',
  )
  expect(failures).toContain('They cannot be retried, because their delivery keys are used up.')
  expect(failures).not.toContain('ancelled')
  expect(html).toContain('href="/operations/transfers?state=failed&amp;code=recipient_rejects"')
  expect(html).toContain('<dd><a href="/operations/transfers?state=failed">4</a></dd>')
})

it('groups by reason what is queued and waits for more than its turn', async () => {
  const { visitor } = await anAdministratorVisitor()
  const waiting = { state: 'queued', dueAt: minutesAgo(-5), failingSince: minutesAgo(5) } as const
  const first = await anItem({ ...waiting, ...explain('holder_not_approved') })
  const second = await anItem({ ...waiting, ...explain('holder_not_approved'), chainId: null })
  await anItem({ state: 'queued', dueAt: minutesAgo(-5) })
  const { html, sectionOf } = await read(visitor, '/operations')
  const group = `${sentence(rules.holder_not_approved.sentence)} 1 transfer : ${rules.holder_not_approved.sentence}`
  const waitingText = sectionOf('waiting')
  expect(waitingText).toContain(`${group} Chain 31337 €10.00 Oldest: Transfer ${first.id}`)
  // Of a network that is not configured.
  expect(waitingText).toContain(`${group} €10.00 Oldest: Transfer ${second.id}`)
  expect(waitingText.match(/1 transfer /g)).toHaveLength(2)
  expect(html).toContain(
    'href="/operations/transfers?state=queued&amp;code=holder_not_approved&amp;chain=31337"',
  )
})

describe('what is wrong', () => {
  const aCheck = (values: Partial<typeof networkChecks.$inferInsert>) =>
    db.insert(networkChecks).values({ chainId: 31337, checkedAt: minutesAgo(2), ...values })

  it('is shown before there is an alarm, with the orders that wait', async () => {
    const { visitor } = await anAdministratorVisitor()
    await aCheck({ problem: 'the node cannot be reached' })
    await anItem({ state: 'queued', dueAt: minutesAgo(1), chainId: 31337 })
    await anItem({ state: 'queued', dueAt: minutesAgo(1), chainId: 31337 })
    const { html, text } = await read(visitor, '/operations')
    expect(text).toMatch(
      /Node unavailable critical No node of localhost can be used since \d{4}-\d\d-\d\d \d\d:\d\d UTC: the node cannot be reached\. · 2 orders wait No alarm yet/,
    )
    expect(html).toContain('href="/operations/transfers?state=queued&amp;chain=31337"')
    expect(text).not.toContain('No alarm is raised.')
  })

  it('has the worst first, then the oldest', async () => {
    const { visitor } = await anAdministratorVisitor()
    const raise = (name: string, subject: string, minutes: number) =>
      db.insert(alarms).values({
        key: `${name}:${subject}`,
        name,
        detail: `${name} ${subject}.`,
        raisedAt: minutesAgo(minutes),
        notifiedAt: minutesAgo(1),
      })
    await raise('quota_low', 'mails:day', 90)
    await raise('signer_low', '1:0x1', 30)
    await raise('foreign_transaction', '1:0x1', 5)
    await raise('signer_low', '1:0x2', 60)
    const { text } = await read(visitor, '/operations')
    expect(text).toMatch(
      /Foreign transaction critical .*Signer low warning signer_low 1:0x2.*Signer low warning signer_low 1:0x1.*Quota low notice/,
    )
  })

  it('is acknowledged with a button, for what the page shows, after a recent sign-in', async () => {
    const { visitor, user } = await anAdministratorVisitor()
    await aCheck({ checkedAt: minutesAgo(0) })
    const key = `foreign_transaction:31337:0x${'1'.repeat(40)}`
    const find = async (detail: string) => {
      const at = { seenAt: minutesAgo(0), nodes: [], chainId: 31337 }
      const [row] = await db
        .insert(findings)
        .values({ key, detail, ...at })
        .returning()
      return `${row?.id}`
    }
    const version = await find('Somebody has used the nonce 1.')
    const { html, text } = await read(visitor, '/operations')
    const path = `/operations/alarms/${encodeURIComponent(key)}/acknowledge`
    expect(html).toContain(`<form method="post" action="${path}">`)
    expect(html).toContain(`<input type="hidden" name="version" value="${version}"/>`)
    expect(text).toContain(
      'Acknowledge this alarm? Somebody has used the nonce 1. The alarm ends with the next cron run.',
    )
    const newer = await find('Somebody has used the nonce 2.')
    const acknowledge = (version: string) => visitor.post(path, { form: { version } })
    expect((await acknowledge(version)).headers.get('location')).toBe('/operations')
    const after = (await read(visitor, '/operations')).text
    expect(after).toContain('Somebody has used the nonce 2.')
    expect(after).not.toContain('Somebody has used the nonce 1.')
    expect(after).toContain(`acknowledged the alarm ${key} · version: ${version}`)

    await ageSession(visitor, 11)
    expect((await acknowledge(newer)).headers.get('location')).toMatch(/^\/sign-in\/again/)
    expect((await read(visitor, '/operations')).text).toContain('Somebody has used the nonce 2.')
    expect(await db.select().from(auditLog).where(eq(auditLog.userId, user.id))).toHaveLength(1)
  })

  it('is that the cron run has not ended for more than two minutes', async () => {
    const { visitor } = await anAdministratorVisitor()
    const ran = async (minutes: number) => {
      const at = minutesAgo(minutes)
      await db.delete(cronRuns)
      await db.insert(cronRuns).values({ id: 1, startedAt: at, finishedAt: at, failedJobs: [] })
      return read(visitor, '/operations')
    }
    expect((await ran(1)).text).not.toContain('The cron run of each minute')
    const late = await ran(3)
    expect(late.text).toContain('The cron run of each minute does not run. It ended 3 minutes ago')
    expect(late.html).toContain('class="notice danger" role="alert"')
    await db.delete(cronRuns)
    expect((await read(visitor, '/operations')).text).toContain('It has never ended.')
  })
})

it('shows signers and contract as the cron run saw them', async () => {
  const { visitor } = await anAdministratorVisitor()
  await db.insert(networkChecks).values({
    chainId: 31337,
    checkedAt: minutesAgo(1),
    problem: 'the node answered 503',
    headNumber: 12_345,
    headAt: minutesAgo(2),
    gasPrice: '1500000000',
    isPaused: true,
    isRetired: false,
    signers: [
      {
        address: `0x${'1'.repeat(40)}`,
        balance: '1250000000000000000',
        deliveries: 2777,
        limit: { capacity: 1000, perDay: 1000, available: 500 },
      },
      {
        address: `0x${'2'.repeat(40)}`,
        ...{ balance: '0', deliveries: 0, limit: null },
      },
    ],
  })
  const localhost = { ...settings.NETWORKS.localhost, explorerUrl: 'https://explorer.example/' }
  const { html, sectionOf } = await read(visitor, '/operations', { NETWORKS: { localhost } })
  const networks = sectionOf('networks')
  expect(networks).toContain('localhost Not reachable Paused Chain 31337')
  expect(networks).toContain('Block 12,345 , 2 minutes ago Gas 1.5 gwei The node answered 503.')
  expect(networks).toContain('0x1111…1111 1.25 ETH 2,777 deliveries 500 of 1,000 pieces')
  expect(networks).toContain('0x2222…2222 0 ETH 0 deliveries No relayer')
  expect(html).toContain(`href="https://explorer.example/address/0x${'1'.repeat(40)}"`)
})

it('counts the endpoints of webhooks', async () => {
  const { visitor, user } = await anAdministratorVisitor()
  const at = minutesAgo(1)
  await aWebhook(user, { failingSince: at, dueAt: at })
  await aWebhook(user, { failingSince: at, disabledAt: at, disabledReason: 'gone' })
  await aWebhook(user, { dueAt: at, disabledAt: at, disabledReason: 'owner' })
  await aWebhook(user, { disabledAt: at, disabledReason: 'owner', deletedAt: at })
  const { sectionOf } = await read(visitor, '/operations')
  expect(sectionOf('webhooks')).toContain(
    'Endpoints with something to send 1 Failing endpoints 1 Disabled endpoints 2',
  )
})

describe('the page of a transfer', () => {
  it('tells the whole history of an item', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id, orderId } = await anItem({ dueAt: null }, 'SHOP-7')
    const hash = (digit: string) => `0x${digit.repeat(64)}`
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

describe('the search', () => {
  const searchFor = (visitor: Visitor, q: string) =>
    visitor.get(`/operations/search?q=${encodeURIComponent(q)}`)

  it('opens the only transfer that has the number, key, transaction or event', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id, orderId } = await anItem({ dueAt: null }, 'ORDER-99')
    const hash = `0x${'e'.repeat(64)}`
    const old = `0x${'f'.repeat(64)}`
    await aTransaction({ items: [id], hash, replaced: [old] })
    const [event] = await db.select().from(events).where(eq(events.orderId, orderId))
    const [delivery] = await db.select().from(deliveries).where(eq(deliveries.id, id))
    for (const q of [
      'ORDER-99',
      ' ORDER-99 ',
      delivery?.key ?? '',
      hash,
      old,
      old.toUpperCase().replace('X', 'x'),
      `evt_${event?.id}`,
    ]) {
      const response = await searchFor(visitor, q)
      expect(response.headers.get('location'), q).toBe(`/operations/transfers/${id}`)
    }
  })

  it('finds a user by wallet and by e-mail address, with what the user bought and sold', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { input, seller, token } = await aShop({ nft: { title: 'Blue' } })
    const email = 'ada@xn--bcher-kva.example'
    const { user } = await aSignedInVisitor({ email, name: 'Ada' })
    const billing = { buyerUserId: user.id, buyerBillingData: billingData }
    const [order] = await placed(token, [{ ...input, ...billing }])
    const id = order?.orderItems[0]?.id
    const wallet = user.ethereumPublicAddr
    for (const q of [wallet.toLowerCase(), `\u200e0X${wallet.slice(2)}`, 'ADA@bücher.example']) {
      const path = `/operations/search?${new URLSearchParams({ q })}`
      const { sectionOf } = await read(visitor, path)
      expect(sectionOf('orders-and-transfers')).toContain(
        `Order ${order?.id} , Transfer ${id} Queued Bought by the user Blue`,
      )
      expect(sectionOf('users')).toContain(`User ${user.id} : Ada`)
    }
    const sold = await read(visitor, `/operations/search?q=${seller.id}`)
    expect(sold.sectionOf('orders-and-transfers')).toContain(
      `Transfer ${id} Queued Sold by the user Blue`,
    )
  })

  it('groups everything that has the same id', async () => {
    const { visitor } = await anAdministratorVisitor()
    const shop = await aShop({ nft: { title: 'Green' } })
    await placed(shop.token, [shop.input])
    const { text, sectionOf } = await read(visitor, '/operations/search?q=1')
    expect(text).toContain('Results for “1”')
    expect(sectionOf('users')).toContain('User 1 :')
    expect(sectionOf('nfts')).toContain('NFT 1 :')
    expect(sectionOf('listings')).toContain('Listing 1:')
  })

  it('finds beginnings of numbers, ids, addresses and titles, and words of titles', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { nft } = await aShop({ nft: { title: 'Moonlit Harbour <b>' } })
    const { user } = await aSignedInVisitor({ email: 'grace.hopper@example.com', name: 'Grace' })
    const first = await anItem({ dueAt: null }, 'PRE-100')
    const second = await anItem({ dueAt: null }, 'PRE-101')
    const { sectionOf } = await read(visitor, '/operations/search?q=PRE-1')
    for (const { id, orderId } of [first, second])
      expect(sectionOf('orders-and-transfers')).toContain(
        `Order ${orderId} , Transfer ${id} Queued Order with this number`,
      )
    for (const q of ['moonlit', 'HARB', 'harbour <b', String(nft.id)]) {
      const found = await read(visitor, `/operations/search?q=${encodeURIComponent(q)}`)
      expect(found.sectionOf('nfts'), q).toContain(`NFT ${nft.id} : Moonlit Harbour &lt;b&gt;`)
      expect(found.html).toContain(`href="/operations/nfts/${nft.id}"`)
    }
    expect((await read(visitor, '/operations/search?q=arbour')).text).toContain('Nothing has this')
    const people = await read(visitor, '/operations/search?q=Grace.H')
    expect(people.sectionOf('users')).toContain(`User ${user.id} : Grace grace.hopper@example.com`)
    expect(people.html).toContain(`href="/operations/users/${user.id}"`)
  })

  it('says that nothing was found, and where requests are', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { text } = await read(visitor, '/operations/search?q=nothing')
    expect(text).toContain(
      'Nothing has this id, title, order number, e-mail address, wallet, hash or key, or begins with it.',
    )
    const request = await read(visitor, `/operations/search?q=${crypto.randomUUID()}`)
    expect(request.text).toContain('Requests are only in the log: search it for this requestId.')
  })
})
