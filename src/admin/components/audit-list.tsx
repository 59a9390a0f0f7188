/** Entries of the audit log. */

import { nameOfSource } from '../../auth/sources.ts'
import type { AuditAction } from '../../db/schema/operations.ts'
import { Rows } from '../../pages/components/lists.tsx'
import { plural, sentence } from '../../pages/components/text.ts'
import type { AuditEntry } from './audit-entries.ts'
import { periodName } from './format.ts'
import { OrderLink, PageLink, UserLink } from './layout.tsx'

type AuditListProps = { entries: readonly AuditEntry[]; heading?: 'h2' | 'h3' }

export const AuditList = ({ entries, heading: Heading = 'h3' }: AuditListProps) => {
  if (entries.length === 0) return <p class="empty">There are no entries.</p>
  return [...Map.groupBy(entries, ({ at }) => at.slice(0, 10))].map(([day, ofDay]) => (
    <section class="flow">
      <Heading id={day}>
        {periodName(day, 'day')} {day.slice(0, 4)}
      </Heading>
      <Rows
        items={ofDay}
        empty=""
        labelledby={day}
        isOrdered
        row={(entry) => (
          <li class="row">
            <p>
              <Who {...entry} /> <What {...entry} /> ·{' '}
              <time datetime={entry.at}>{entry.at.slice(11, 19)} UTC</time>
            </p>
          </li>
        )}
      />
    </section>
  ))
}

type WhoProps = Pick<AuditEntry, 'userId' | 'userName' | 'tokenName'>

/** The administrator, with the token that acted. */
export const Who = ({ userId, userName, tokenName }: WhoProps) => (
  <>
    <UserLink id={userId} name={userName} />
    {tokenName && (
      <>
        {' with the token '}
        <bdi>“{tokenName}”</bdi>
      </>
    )}
  </>
)

/** What was done. The subject stands in place of `%`. */
const sentences: Record<AuditAction, string> = {
  'transfer.retry': 'retried %',
  'transfer.cancel': 'cancelled %',
  'transfer.write_off': 'wrote off %',
  'token.generate': 'generated %',
  'token.roll': 'rolled %',
  'token.revoke': 'revoked %',
  'webhook.create': 'created %',
  'webhook.change': 'changed %',
  'webhook.rotate': 'rotated the secret of %',
  'webhook.replay': 'sent messages again to %',
  'webhook.delete': 'deleted %',
  'alarm.acknowledge': 'acknowledged %',
  'shop.change': 'changed %',
  'user.approve': 'approved %',
  'user.disapprove': 'took back the approval of %',
  'user.correct_email': 'corrected the e-mail address of %',
  'user.permit_mint': 'let % list what a contract mints',
  'user.forbid_mint': 'no longer lets % list what a contract mints',
  'order.mail': 'sent the mail about % again',
  'user.forget': 'removed the data of %',
  'catalogue.import': 'imported %',
  'nft.change': 'changed %',
  'listing.change': 'changed %',
  'nft.approve': 'approved %',
  'nft.reject': 'rejected %',
  'listing.approve': 'approved %',
  'listing.reject': 'rejected %',
  'report.dismiss': 'dismissed the reports of %',
  'content.store': 'stored a file of %',
  'codes.store': 'added codes to %',
  'codes.read': 'read the codes of %',
  'codes.remove': 'removed codes of %',
  'administrator.appoint': 'made % an administrator',
  'administrator.dismiss': 'dismissed % as administrator',
}

export const auditActions = Object.keys(sentences) as AuditAction[]

/** Names an action: `Retried a transfer`. */
export function labelOf(action: AuditAction): string {
  const [group = ''] = action.split('.')
  const subject =
    { administrator: 'a user', content: 'an NFT', nft: 'an NFT', report: 'an NFT' }[group] ??
    (/^[ao]/.test(group) ? `an ${group}` : `a ${group}`)
  return sentence(sentences[action].replace('%', subject)).slice(0, -1)
}

const What = (entry: AuditEntry) => {
  const [before, after] = sentences[entry.action].split('%')
  const { kind, role, name, host, items, ...facts } = entry.details ?? {}
  return (
    <>
      {before}
      <Subject {...entry} />
      {after}
      {Object.entries(facts).map(([key, value]) => [' · ', <bdi>{describe(key, value)}</bdi>])}
    </>
  )
}

const Subject = ({ action, subject, subjectName, details }: AuditEntry) => {
  const { kind, role, name, items } = details ?? {}
  switch (action.split('.')[0]) {
    case 'transfer':
      return <Transfers ids={subject ? [Number(subject)] : (items as number[])} />
    case 'token':
      if (kind === 'session') return 'a browser session'
      return [`a ${role} token `, <bdi>{name && `“${name}”`}</bdi>]
    case 'webhook': {
      const host = details?.host ?? (subjectName && URL.parse(subjectName)?.host)
      return host ? `a webhook to ${host}` : 'a webhook'
    }
    case 'alarm':
      return `the alarm ${subject}`
    case 'shop':
      return ['the shop of ', <bdi>“{nameOfSource(subject ?? '')}”</bdi>]
    case 'catalogue':
      return 'a catalogue'
    case 'content':
    case 'nft':
    case 'report':
      return <PageLink to="nfts" id={Number(subject)} />
    case 'listing':
      return <PageLink to="listings" id={Number(subject)} />
    case 'order':
      return <OrderLink id={Number(subject)} providerId={null} />
    default:
      return <UserLink id={subject} name={subjectName} />
  }
}

/** Transfers from which on only their number is shown: the file has all ids. */
const MANY = 5

const Transfers = ({ ids }: { ids: readonly number[] }) =>
  ids.length >= MANY
    ? plural(ids.length, 'transfer')
    : ids.map((id, i) => [i > 0 && ', ', <PageLink to="transfers" id={id} />])

/** `2 events`, `code: no_relayer`, `nft updated: 3`. */
const describe = (key: string, value: unknown): string =>
  Array.isArray(value)
    ? plural(value.length, key.slice(0, -1))
    : `${key.replace(/\.|(?=[A-Z])/, ' ').toLowerCase()}: ${value}`
