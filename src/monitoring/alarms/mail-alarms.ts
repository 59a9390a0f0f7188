/** Mails about alarms: when they begin, once a day while they last, and when they are over. */
import { batch, guarded } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { takeQuotas } from '../../db/quota.ts'
import { ADMINISTRATOR } from '../../db/schema/users.ts'
import { raw } from '../../db/statements.ts'
import type { Settings } from '../../env.ts'
import { mailLimits } from '../../limits.ts'
import type { MailContent } from '../../mail/html.ts'
import { EnoughMails, type Mailer, mailOperator } from '../../mail/mail.ts'
import { DAY } from '../../time.ts'
import { type Severity, severityOf } from './alarm.ts'
import type { RaisedAlarm } from './notify.ts'

/** Administrators who are mailed, at most. */
const MAX_RECIPIENTS = 10
/** Alarms of each kind that a mail describes. */
const MAX_DESCRIBED = 10

type AlarmMailer = Mailer & { settings: Pick<Settings, 'ALARM_EMAIL'> }
/** What `raiseAlarms` returns. */
type Raised = { lasting: readonly RaisedAlarm[]; over: readonly RaisedAlarm[] }

/**
 * Sends one mail to each recipient, of all that is new. That is stored before the mail is sent, so that it is sent
 * once. If nobody gets it, the next run sends it again. After ten mails about beginnings in an hour (`alarmRuns`),
 * further alarms are told in the next hour. The end of an alarm is told only if its beginning was.
 */
export async function mailAlarms(mailer: AlarmMailer, raised: Raised): Promise<void> {
  const { db, now, settings } = mailer
  const aDayAgo = new Date(now.getTime() - DAY).toISOString()
  const over = raised.over.filter(({ mailedAt }) => mailedAt !== '')
  const due = await selectDue(
    mailer,
    raised.lasting.filter(({ mailedAt }) => mailedAt <= aDayAgo),
  )
  if (due.length + over.length === 0) return
  const at = now.toISOString()
  await batch(db, {
    mark: setMailed(
      db,
      due.map(({ key }) => ({ key, mailedAt: at })),
    ),
  })
  const begun = due.filter(({ mailedAt }) => mailedAt === '')
  const lasting = due.filter(({ mailedAt }) => mailedAt !== '')
  const content = writeMail(settings.PUBLIC_URL, { begun, lasting, over })
  const recipients = settings.ALARM_EMAIL
    ? [settings.ALARM_EMAIL]
    : await findAdministrators(mailer)
  const taken = await Promise.all(recipients.map((to) => mailOperator(mailer, to, content)))
  if (taken.length > 0 && !taken.includes(true)) await batch(db, { unmark: setMailed(db, due) })
}

/** Leaves out those of which there were enough mails in this hour: critical ones are counted by themselves. */
async function selectDue({ db, now }: Mailer, due: readonly RaisedAlarm[]) {
  const { max: limit, per } = mailLimits.alarmRuns
  const error = () => new EnoughMails('there were enough mails about alarms in this hour')
  const selected: RaisedAlarm[] = []
  for (const [name, alarms] of Map.groupBy(due, (alarm) =>
    isCritical(alarm.name) ? 'critical-alarm-mails' : 'alarm-mails',
  )) {
    const { guards, uses } = takeQuotas(db, now, [{ name, per, limit, error }])
    try {
      await guarded(db, guards, { uses })
      selected.push(...alarms)
    } catch (error) {
      if (!(error instanceof EnoughMails)) throw error
    }
  }
  return selected
}

const isCritical = (name: string): boolean =>
  (severityOf as Record<string, Severity | undefined>)[name] === 'critical'

const setMailed = (db: Database, alarms: readonly Pick<RaisedAlarm, 'key' | 'mailedAt'>[]) =>
  raw<never>(db)`UPDATE alarms SET mailedAt = value ->> 'mailedAt'
    FROM json_each(${JSON.stringify(alarms.map(({ key, mailedAt }) => ({ key, mailedAt })))})
    WHERE alarms."key" = value ->> 'key'`

/** Returns the addresses of administrators. */
async function findAdministrators({ db }: Mailer): Promise<string[]> {
  const { rows } = await batch(db, {
    rows: raw<{ email: string }>(db)`SELECT email FROM users
      WHERE roleId = ${ADMINISTRATOR} AND email <> '' AND removedAt IS NULL
      ORDER BY id LIMIT ${MAX_RECIPIENTS}`,
  })
  return rows.map(({ email }) => email)
}

type Told = Record<'begun' | 'lasting' | 'over', readonly RaisedAlarm[]>

function writeMail(publicUrl: string, { begun, lasting, over }: Told): MailContent {
  const subject =
    nameThem('Alarm', begun) || nameThem('Alarm lasts', lasting) || nameThem('Alarm is over', over)
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

/** Returns a subject; `''` if there are none of these. */
function nameThem(what: string, [first, ...others]: readonly RaisedAlarm[]): string {
  if (!first) return ''
  return `${what}: ${titleOf(first)}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

function describeThem(what: string, alarms: readonly RaisedAlarm[]): string[] {
  const described = alarms
    .slice(0, MAX_DESCRIBED)
    .map((alarm) => `${what}: ${titleOf(alarm)}. ${alarm.detail}`)
  const further = alarms.length - described.length
  return further > 0 ? [...described, `${what}: ${further} more.`] : described
}
