/** Tokens that end soon: the alarm, the mail to the owner, and the metric. */
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { alarms } from '../../src/db/schema/operations.ts'
import { tokens } from '../../src/db/schema/users.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMasterToken, aSession, aToken, aUser, db } from '../support/makers.ts'
import { anInstance } from './instance.ts'

const logged = recordLogs()

const MINUTES = 24 * 60
const DAY = MINUTES * 60_000

beforeEach(async () => {
  await db.delete(alarms)
  await db.delete(tokens)
})

type Mail = { to: string; subject: string; text: string }

/** An instance that keeps its mails, whose clock counts days. */
function aRecordingInstance() {
  const mails: Mail[] = []
  const EMAIL = { send: async (mail: Mail) => void mails.push(mail) } as unknown as Env['EMAIL']
  const instance = anInstance(undefined, { bindings: { EMAIL } })
  const days = (count: number) => instance.at(count * MINUTES).toISOString()
  return {
    days,
    /** Runs cron. Returns the alarms that last, and the recipients of the mails. */
    async cron(day: number) {
      const raised = await instance.cron(day * MINUTES)
      return { alarms: raised, mails: mails.splice(0).map(({ to, text }) => ({ to, text })) }
    },
  }
}

const idOf = (token: string): string => JSON.parse(atob(token.split('.')[1] ?? '')).jti

/** Makes a token of a year that ends at this time, and was used on its first day. */
async function endsOn(jwt: string, end: string, values: Partial<typeof tokens.$inferInsert> = {}) {
  const id = idOf(jwt)
  const createdAt = new Date(Date.parse(end) - 365 * DAY).toISOString()
  const changed = { createdAt, expiresAt: end, lastUsedAt: createdAt, ...values }
  await db.update(tokens).set(changed).where(eq(tokens.id, id))
  return id
}

it('has an alarm and one mail to its owner 30 days before its end, and again 7 days before', async () => {
  const { days, cron } = aRecordingInstance()
  const owner = await aUser({ email: 'operator@example.com' })
  const id = await endsOn(await aToken(owner, 'master', 'api', 'moon shop'), days(40), {
    lastUsedAt: days(30),
  })
  const quiet = { alarms: [], mails: [] }
  expect(await cron(9.9)).toEqual(quiet)

  const mail = { to: owner.email, text: expect.stringContaining('“moon shop” ends on') }
  const first = [`token_ends:${id}:30`]
  expect(await cron(10)).toEqual({ alarms: first, mails: [mail] })
  const [alarm] = await db.select().from(alarms)
  expect(alarm?.detail).toBe(
    `The master token “moon shop” of user ${owner.id} ends at ${days(40).slice(0, 16).replace('T', ' ')} UTC. What uses it is refused from then on.`,
  )
  // Told again each day, and not each hour.
  expect(await cron(10.9)).toEqual({ alarms: first, mails: [] })
  expect(logged('alarm_raised')).toHaveLength(1)
  expect(await cron(11)).toEqual({ alarms: first, mails: [] })
  expect(logged('alarm_raised')).toHaveLength(2)

  const both = [...first, `token_ends:${id}:7`]
  expect(await cron(33)).toEqual({ alarms: both, mails: [mail] })
  expect(await cron(34)).toEqual({ alarms: both, mails: [] })
  expect(await cron(40)).toEqual(quiet)
})

it('names the token in the mail, and where to roll it', async () => {
  const { days, cron } = aRecordingInstance()
  const owner = await aUser({ email: 'seller@example.com' })
  const id = await endsOn(await aToken(owner, 'user', 'api', 'my shop'), days(5), {
    lastUsedAt: days(0),
  })
  const { alarms: raised, mails } = await cron(0)
  expect(raised).toEqual([`token_ends:${id}:30`, `token_ends:${id}:7`])
  expect(mails).toEqual([
    {
      to: 'seller@example.com',
      text: expect.stringContaining(`/settings/api-access/tokens/${id}`),
    },
  ])
  // Operators need not know how somebody calls a token.
  const [alarm] = await db.select().from(alarms)
  expect(alarm?.detail).toContain(`The user token of user ${owner.id} ends at`)
})

it.each<[string, Partial<typeof tokens.$inferInsert>]>([
  [
    'was not used in the last 30 days',
    { lastUsedAt: new Date(Date.now() - 31 * DAY).toISOString() },
  ],
  ['was never used', { lastUsedAt: null }],
  ['is revoked', { revokedAt: new Date().toISOString() }],
  ['was rolled', { rolledAt: new Date().toISOString() }],
  ['was made for 7 days', { createdAt: new Date(Date.now() - 2 * DAY + 60_000).toISOString() }],
])('has neither if it %s', async (_, values) => {
  const { days, cron } = aRecordingInstance()
  await endsOn(await aMasterToken(), days(5), { lastUsedAt: days(0), ...values })
  expect(await cron(0)).toEqual({ alarms: [], mails: [] })
})

it('has none if it is a session', async () => {
  const { days, cron } = aRecordingInstance()
  await endsOn(await aSession(await aUser()), days(5), { lastUsedAt: days(0) })
  expect(await cron(0)).toEqual({ alarms: [], mails: [] })
})

it('has an alarm without a mail if its owner has no address', async () => {
  const { days, cron } = aRecordingInstance()
  const id = await endsOn(await aToken(await aUser({ email: '' })), days(20), {
    lastUsedAt: days(0),
  })
  expect(await cron(0)).toEqual({ alarms: [`token_ends:${id}:30`], mails: [] })
})

it('is a metric with the time of the end', async () => {
  const instance = anInstance()
  const end = new Date(Math.floor(Date.now() / 1000) * 1000 + 20 * DAY)
  const used = { lastUsedAt: instance.at(0).toISOString() }
  const id = await endsOn(await aMasterToken(), end.toISOString(), used)
  const response = await instance.get('/metrics', await aMasterToken())
  expect(await response.text()).toContain(
    `marketplace_token_ends_timestamp_seconds{token="${id}",role="master"} ${end.getTime() / 1000}\n`,
  )
})

it('lists the tokens of masters before those of users, twenty at most', async () => {
  const { days, cron } = aRecordingInstance()
  const owner = await aUser({ email: '' })
  for (let i = 0; i < 20; i++)
    await endsOn(await aToken(owner, 'user', 'api', `shop ${i}`), days(10), { lastUsedAt: days(0) })
  const id = await endsOn(await aMasterToken(), days(20), { lastUsedAt: days(0) })
  const { alarms: raised } = await cron(0)
  expect(raised).toHaveLength(20)
  expect(raised).toContain(`token_ends:${id}:30`)
})
