/** Mails about alarms: when they begin, once a day while they last, and when they are over. */
import { batch, guarded } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import { mailLimits } from '../http/limits.ts'
import type { MailContent } from '../mail/html.ts'
import { EnoughMails, type Mailer, mailOperator } from '../mail/mail.ts'
import { DAY } from '../time.ts'
import type { RaisedAlarm } from './notify.ts'

/** Administrators that are mailed: those who have been it longest. */
const MAX_RECIPIENTS = 10
/** Alarms of each kind that a mail describes. */
const MAX_DESCRIBED = 10

type AlarmMailer = Mailer & { settings: Pick<Settings, 'ALARM_EMAIL'> }
/** What `raiseAlarms` returns. */
type Raised = { lasting: readonly RaisedAlarm[]; over: readonly RaisedAlarm[] }

/**
 * Mails what was not mailed before, in one mail to each recipient. It is stored as mailed first, so that it
 * is mailed once. What begins while no more is mailed in this hour is told in the next one.
 */
export async function mailAlarms(mailer: AlarmMailer, { lasting, over }: Raised): Promise<void> {
  const { db, now, settings } = mailer
  const aDayAgo = new Date(now.getTime() - DAY).toISOString()
  const due = lasting.filter(({ mailedAt }) => mailedAt <= aDayAgo)
  if (due.length + over.length === 0) return
  const { max: limit, per } = mailLimits.alarmRuns
  const error = () => new EnoughMails('there were enough mails about alarms in this hour')
  const { guards, uses } = takeQuotas(db, now, [{ name: 'alarm-mails', per, limit, error }])
  const keys = JSON.stringify(due.map(({ key }) => key))
  try {
    await guarded(db, guards, {
      uses,
      mark: raw<never>(db)`UPDATE alarms SET mailedAt = ${now.toISOString()}
        WHERE "key" IN (SELECT value FROM json_each(${keys}))`,
    })
  } catch (error) {
    if (error instanceof EnoughMails) return
    throw error
  }
  const { administrators } = await batch(db, { administrators: selectAdministrators(mailer) })
  const recipients = settings.ALARM_EMAIL
    ? [settings.ALARM_EMAIL]
    : administrators.map(({ email }) => email)
  const begun = due.filter(({ mailedAt }) => mailedAt === '')
  const others = due.filter(({ mailedAt }) => mailedAt !== '')
  const content = writeMail(settings.PUBLIC_URL, { begun, lasting: others, over })
  await Promise.all(recipients.map((to) => mailOperator(mailer, to, content)))
}

const selectAdministrators = ({ db }: Mailer) =>
  raw<{ email: string }>(db)`SELECT email FROM users
    WHERE roleId = ${ADMINISTRATOR} AND email <> '' AND removedAt IS NULL
    ORDER BY id LIMIT ${MAX_RECIPIENTS}`

type Told = Record<'begun' | 'lasting' | 'over', readonly RaisedAlarm[]>

function writeMail(publicUrl: string, { begun, lasting, over }: Told): MailContent {
  const [subject = ''] = [
    ...nameThem('Alarm', begun),
    ...nameThem('Alarm lasts', lasting),
    ...nameThem('Alarm is over', over),
  ]
  const lead = [
    ...describeThem('Begun', begun),
    ...describeThem('Lasts', lasting),
    ...describeThem('Over', over),
  ]
  return {
    subject,
    lead: lead.join('\n'),
    url: `${publicUrl}/operations`,
    button: 'See the alarms',
    note: `What to do: ${publicUrl}/docs/runbook. You get one mail a day while an alarm lasts.`,
  }
}

/** `contract_paused` → `Contract paused`. */
const titleOf = ({ name }: RaisedAlarm): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/** A subject, of which a mail has the first. */
function nameThem(what: string, alarms: readonly RaisedAlarm[]): string[] {
  const [first, ...others] = alarms
  if (!first) return []
  return [`${what}: ${titleOf(first)}${others.length > 0 ? ` and ${others.length} more` : ''}`]
}

function describeThem(what: string, alarms: readonly RaisedAlarm[]): string[] {
  const described = alarms
    .slice(0, MAX_DESCRIBED)
    .map((alarm) => `${what}: ${titleOf(alarm)}. ${alarm.detail}`)
  const further = alarms.length - described.length
  return further > 0 ? [...described, `${what}: ${further} more.`] : described
}
