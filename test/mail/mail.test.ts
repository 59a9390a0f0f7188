import { expect, it } from 'vitest'
import { type AccountEvent, type Mailer, mailEvent, mailLink } from '../../src/mail/mail.ts'
import { db } from '../support/makers.ts'

const settings = {
  PUBLIC_URL: 'https://marketplace.test',
  EMAIL_FROM: 'no-reply@marketplace.test',
  INSTANCE_NAME: 'Marketplace',
  LEGAL_LINKS: {},
  MAX_MAILS_PER_HOUR: 100,
  MAX_MAILS_PER_DAY: 100,
}

type Mail = {
  from: { name: string; email: string }
  to: string
  subject: string
  text: string
  html: string
}

/** Returns the mail that the function sends. */
async function mailOf(send: (mailer: Mailer) => Promise<unknown>): Promise<Mail> {
  const mails: Mail[] = []
  const email = {
    send: async (mail: Mail) => {
      mails.push(mail)
      return { messageId: 'test' }
    },
  } as SendEmail
  await send({ email, db, settings, now: new Date() })
  expect(mails).toHaveLength(1)
  return mails[0] as Mail
}

const eventMail = (event: AccountEvent) =>
  mailOf((mailer) => mailEvent(mailer, { email: 'ada@example.com' }, event))

const secret = 'ab'.repeat(32)
const linkMail = () =>
  mailOf((mailer) =>
    mailLink(mailer, { to: 'ada@example.com', secret, purpose: 'sign-in', locale: 'en' }),
  )

it('is light and dark, and loads nothing', async () => {
  const { html } = await linkMail()
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  expect(html).toContain('@media (prefers-color-scheme: dark)')
  expect(html).not.toMatch(/<(img|link|script)\b|url\(|@import/)
})

it('escapes the name of a token', async () => {
  const name = `"><img src=x onerror='alert(1)'> & co`
  const { html, text } = await eventMail({ type: 'master-token', name })
  expect(html).not.toContain('<img')
  expect(html).toContain(
    '“&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt; &amp; co”. It acts for every user.',
  )
  expect(text).toContain(`with the name “${name}”`)
})
