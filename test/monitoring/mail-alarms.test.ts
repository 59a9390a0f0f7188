/** Mails to administrators about alarms. */
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { quotas } from '../../src/db/schema/operations.ts'
import { users } from '../../src/db/schema/users.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { anAdministrator, aUser, db, setRow } from '../support/makers.ts'
import { anInstance, broken, forgetAll } from './instance.ts'

recordLogs()

beforeEach(async () => {
  await forgetAll()
  await db.delete(quotas)
  await db.update(users).set({ roleId: 2, email: '' })
})

type Mail = { to: string; subject: string; text: string }

/** An instance in whose hour no quota ends, and that keeps its mails. */
function aMailingInstance(bindings: Partial<Env> = {}) {
  const mails: Mail[] = []
  const EMAIL = { send: async (mail: Mail) => void mails.push(mail) } as unknown as Env['EMAIL']
  const instance = anInstance(undefined, { bindings: { EMAIL, ...bindings } })
  const failing = {
    works: {},
    fails: { AVATARS: broken(env.AVATARS, 'head') },
    'fails more': { AVATARS: broken(broken(env.AVATARS, 'head'), 'list') },
  }
  return {
    /** Runs cron while R2 answers, does not, or answers lists with an error, too. Returns its mails. */
    async cron(minutes: number, storage: keyof typeof failing) {
      await instance.cron(minutes, failing[storage])
      return mails.splice(0)
    },
  }
}

async function anOperator(email: string) {
  const user = await anAdministrator()
  await setRow(users, user.id, { email })
  return user
}

it('are sent when an alarm begins, once a day while it lasts, and when it is over', async () => {
  await anOperator('first@example.com')
  await anOperator('second@example.com')
  await aUser({ email: 'buyer@example.com' })
  const { cron } = aMailingInstance()
  const begun = await cron(0, 'fails')
  expect(begun.map(({ to }) => to).sort()).toEqual(['first@example.com', 'second@example.com'])
  const [mail] = begun
  expect(mail?.subject).toBe('Alarm: Storage unavailable (marketplace.test)')
  expect(mail?.text).toBe(
    `Begun: Storage unavailable. R2 does not answer.

https://marketplace.test/operations

What to do: https://marketplace.test/docs/runbook. You get one mail a day while an alarm lasts.
`,
  )
  expect(await cron(1, 'fails')).toEqual([])
  expect(await cron(23 * 60, 'fails')).toEqual([])
  const subjects = (all: Mail[]) => [...new Set(all.map(({ subject }) => subject))]
  expect(subjects(await cron(24 * 60, 'fails'))).toEqual([
    'Alarm lasts: Storage unavailable (marketplace.test)',
  ])
  expect(await cron(25 * 60, 'fails')).toEqual([])
  expect(subjects(await cron(25 * 60 + 1, 'works'))).toEqual([
    'Alarm is over: Storage unavailable (marketplace.test)',
  ])
  expect(await cron(25 * 60 + 2, 'works')).toEqual([])
})

it('tell of the test that the setup has raised, until it is acknowledged', async () => {
  await anOperator('first@example.com')
  const { cron } = aMailingInstance()
  await env.DB.exec(
    "INSERT INTO findings (chainId, key, detail, nodes, seenAt) VALUES (0, 'test', 'A test.', '[]', '2026-01-01T00:00:00.000Z')",
  )
  expect(await cron(0, 'works')).toMatchObject([{ subject: 'Alarm: Test (marketplace.test)' }])
  await env.DB.exec("UPDATE findings SET acknowledgedAt = '2026-01-02T00:00:00.000Z'")
  expect(await cron(1, 'works')).toMatchObject([
    { subject: 'Alarm is over: Test (marketplace.test)' },
  ])
})

it('go to ALARM_EMAIL instead, if there is one, also when only mails for users are left', async () => {
  await anOperator('first@example.com')
  const { cron } = aMailingInstance({
    ALARM_EMAIL: 'alarms@example.com',
    MAX_MAILS_PER_HOUR: '1',
  } as Partial<Env>)
  const [mail, ...others] = await cron(0, 'fails')
  expect([mail?.to, others]).toEqual(['alarms@example.com', []])
})

it('tell of ten beginnings in an hour and of their ends, and of the others in the next hour', async () => {
  await anOperator('first@example.com')
  const { cron } = aMailingInstance()
  // From the beginning of an hour on.
  const start = 60 - new Date().getMinutes()
  const sent: number[] = []
  for (let i = 0; i < 22; i++)
    sent.push((await cron(start + i, i % 2 === 0 ? 'fails' : 'works')).length)
  expect(sent).toEqual([...Array(20).fill(1), 0, 0])
  expect(await cron(start + 30, 'fails')).toEqual([])
  expect(await cron(start + 31, 'fails more')).toMatchObject([
    { subject: 'Alarm: Cron job failed (marketplace.test)' },
  ])
  expect(await cron(start + 60, 'fails')).toMatchObject([
    { subject: 'Alarm: Storage unavailable (marketplace.test)' },
    { subject: 'Alarm is over: Cron job failed (marketplace.test)' },
  ])
})

it('are sent again in the next minute if nobody got them', async () => {
  await anOperator('first@example.com')
  const mails: Mail[] = []
  let isRefused = true
  const send = async (mail: Mail) => {
    if (isRefused) throw new Error('refused')
    mails.push(mail)
  }
  const { cron } = aMailingInstance({ EMAIL: { send } as unknown as Env['EMAIL'] })
  await cron(0, 'fails')
  isRefused = false
  await cron(1, 'fails')
  await cron(2, 'fails')
  expect(mails).toMatchObject([{ subject: 'Alarm: Storage unavailable (marketplace.test)' }])
})
