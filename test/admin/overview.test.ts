/** The overview of the pages for operators, as HTML. */

import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  alarms,
  auditLog,
  cronRuns,
  findings,
  hourlyOrders,
  networkChecks,
} from '../../src/db/schema/operations.ts'
import { explain, rules } from '../../src/delivery/reasons.ts'
import { sentence } from '../../src/pages/components/text.ts'
import { settings } from '../orders/shop.ts'
import { db } from '../support/makers.ts'
import { ageSession, locationOf, textOf, type Visitor } from '../support/visitor.ts'
import { anAdministratorVisitor, anItem, emptyPages, failed, minutesAgo, read } from './operator.ts'

let visitor: Visitor

beforeEach(async () => {
  await emptyPages()
  visitor = (await anAdministratorVisitor()).visitor
})

it('shows alarms with their age, and a link to the runbook', async () => {
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

  it('show 30 days on request, each with the sums of its hours', async () => {
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
  const waiting = { state: 'queued', dueAt: minutesAgo(-5), waitingSince: minutesAgo(5) } as const
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
    const done = await locationOf(acknowledge(version))
    expect((await read(visitor, done ?? '')).text).toContain('The alarm is acknowledged. It ends')
    const after = (await read(visitor, '/operations')).text
    expect(after).toContain('Somebody has used the nonce 2.')
    expect(after).not.toContain('Somebody has used the nonce 1.')
    expect(after).toContain(`acknowledged the alarm ${key} · version: ${version}`)

    await ageSession(visitor, 11)
    expect(await locationOf(acknowledge(newer))).toMatch(/^\/sign-in\/again/)
    expect((await read(visitor, '/operations')).text).toContain('Somebody has used the nonce 2.')
    expect(await db.select().from(auditLog).where(eq(auditLog.userId, user.id))).toHaveLength(1)
  })

  it('is that the cron run has not ended for more than two minutes', async () => {
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
  expect(networks).toContain(
    '0x1111…1111 1.25 ETH 2,777 deliveries 500 of 1,000 pieces 1,500 pieces',
  )
  expect(networks).toContain(
    'Mails about orders today: 0 of 1,000. Before a drop says what to raise',
  )
  expect(networks).toContain('0x2222…2222 0 ETH 0 deliveries No relayer')
  expect(html).toContain(`href="https://explorer.example/address/0x${'1'.repeat(40)}"`)
})
