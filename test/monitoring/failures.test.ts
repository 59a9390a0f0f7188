/** What is counted when it fails: the alarms and the metric of it. */
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { failures } from '../../src/db/schema/operations.ts'
import { aPng } from '../avatars/pictures.ts'
import { brokenDatabase } from '../openapi/databases.ts'
import { callWith } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMetricsToken, aToken, aUser, db } from '../support/makers.ts'
import { anEmail, aVisitor } from '../support/visitor.ts'
import { parseExposition } from './exposition.ts'
import { anInstance, broken, detailOf, forgetAll } from './instance.ts'

const logged = recordLogs()

beforeEach(async () => {
  await forgetAll()
  await db.delete(failures)
})

async function total(kind: string) {
  const response = await anInstance().get('/metrics', await aMetricsToken())
  return parseExposition(await response.text()).get(`marketplace_failures_total{kind="${kind}"}`)
}

/** Asks for a sign-in mail, which Cloudflare does not take. */
async function askForMail(code = 'E_SENDER_NOT_VERIFIED'): Promise<number> {
  const send = () => Promise.reject(Object.assign(new Error('refused'), { code }))
  const EMAIL = { send } as unknown as Env['EMAIL']
  const options = { form: { email: anEmail() }, env: { EMAIL } }
  return (await aVisitor().post('/sign-in/email', options)).status
}

/** Sends a picture while the quota of Cloudflare Images is used up. */
async function sendPicture(): Promise<number> {
  const error = Object.assign(new Error('IMAGES_ERROR 9422'), { code: 9422 })
  const output = { transform: () => output, output: () => Promise.reject(error) }
  const IMAGES = { input: () => output } as unknown as ImagesBinding
  const path = '/api/public/user/me/profile/updateAvatarBytes'
  const content = { token: await aToken(await aUser()), body: aPng({ colour: [1, 2, 3] }) }
  return (await callWith({ IMAGES }, 'PUT', path, content)).status
}

/** Reads a picture while R2 throws. */
async function readPicture(): Promise<number> {
  const path = `/avatars/1/${'0'.repeat(48)}.jpg`
  return (await callWith({ AVATARS: broken(env.AVATARS, 'get') }, 'GET', path)).status
}

it.each([
  ['mails_refused', 'mails', 3, 24, 503, askForMail, 'Cloudflare did not take 3 mails'],
  ['pictures_failed', 'pictures', 3, 24, 503, sendPicture, 'Cloudflare did not convert 3 pictures'],
  ['requests_failed', 'requests', 10, 1, 500, readPicture, 'The Worker failed at 10 requests'],
] as const)(
  '%s lasts for a while after the last of several',
  async (name, kind, least, hours, status, fail, what) => {
    const instance = anInstance()
    for (let i = 1; i < least; i++) expect(await fail()).toBe(status)
    expect(await instance.cron()).toEqual([])
    await fail()
    expect(await instance.cron(1)).toEqual([name])
    const minute = '[-\\d]+ [:\\d]+ UTC'
    const detail = new RegExp(`^${what} since ${minute}, the last at ${minute}\\.$`)
    expect(await detailOf(name)).toMatch(detail)
    expect(await total(kind)).toBe(least)
    expect(await instance.cron(60 * hours - 1)).toEqual([name])
    expect(await instance.cron(60 * hours + 1)).toEqual([])
  },
)

it('adds up mails and pictures of which each comes within a day after the one before', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const since = ago(40)
  await db.insert(failures).values([
    { kind: 'mails', total: 7, recent: 2, since, lastAt: ago(25) },
    { kind: 'pictures', total: 7, recent: 2, since, lastAt: ago(23) },
  ])
  await askForMail()
  await sendPicture()
  expect(await db.select().from(failures).orderBy(failures.kind)).toMatchObject([
    { kind: 'mails', total: 8, recent: 1, since: expect.not.stringContaining(since) },
    { kind: 'pictures', total: 8, recent: 3, since },
  ])
})

it('counts no mail to a mailbox that has refused mails before', async () => {
  await askForMail('E_RECIPIENT_SUPPRESSED')
  expect(await total('mails')).toBe(0)
})

it('answers as usual if the failure cannot be counted, and logs that', async () => {
  const response = await callWith({ DB: brokenDatabase('D1 is down') }, 'GET', '/health')
  expect(response.status).toBe(503)
  expect(logged('failure_not_counted')).toMatchObject([{ kind: 'requests' }])
})
