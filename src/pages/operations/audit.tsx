import type { AuditEntry, readAudit } from '../../operations/audit.ts'
import { Pager } from '../components/navigation.tsx'
import { plural } from '../components/numbers.ts'
import { Rows } from '../components/rows.tsx'
import { Time } from '../components/time.tsx'
import { OperationsPage, TransferLink } from './layout.tsx'

type AuditProps = Omit<Awaited<ReturnType<typeof readAudit>>, 'account'> & {
  isFirstPage: boolean
}

/** The page of the audit log. */
export const Audit = ({ entries, next, isFirstPage }: AuditProps) => (
  <OperationsPage path="/operations/audit">
    <h1>Audit log</h1>
    <AuditList entries={entries} />
    <Pager
      noun="entries"
      first={isFirstPage ? null : '/operations/audit'}
      next={next ? `/operations/audit?before=${next}` : null}
    />
  </OperationsPage>
)

/** Entries of the audit log. */
export const AuditList = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <Rows
    items={entries}
    empty="There are no entries."
    isOrdered
    row={(entry) => (
      <li class="row">
        <p>
          <What entry={entry} />
        </p>
        <p class="meta">
          <span>
            <Who {...entry} />
          </span>
          <span>
            <Time at={entry.at} />
          </span>
        </p>
      </li>
    )}
  />
)

type WhoProps = Pick<AuditEntry, 'userId' | 'userName' | 'tokenName'>

/** The administrator, with the token that acted. */
export const Who = ({ userId, userName, tokenName }: WhoProps) => (
  <>
    {userName ?? `User ${userId}`}
    {tokenName && ` with the token “${tokenName}”`}
  </>
)

const verbs: Record<string, string> = {
  'transfer.retry': 'Retried',
  'transfer.cancel': 'Cancelled',
  'transfer.write_off': 'Wrote off',
  'token.generate': 'Generated',
  'token.roll': 'Rolled',
  'token.revoke': 'Revoked',
  'webhook.create': 'Made the webhook',
  'webhook.change': 'Changed the webhook',
  'webhook.rotate': 'Rotated the secret of the webhook',
  'webhook.replay': 'Replayed messages of the webhook',
  'webhook.delete': 'Deleted the webhook',
  'user.forget': 'Removed the data of user',
  'catalogue.import': 'Imported a catalogue',
}

const What = ({ entry: { action, subject, details } }: { entry: AuditEntry }) => {
  const verb = verbs[action]
  if (action.startsWith('transfer.')) {
    if (subject)
      return (
        <>
          {verb} <TransferLink id={Number(subject)} />
        </>
      )
    const { items = [], code, status } = details as { items?: number[] } & Record<string, string>
    return (
      <>
        {verb} {plural(items.length, 'transfer')} ({[status, code].filter(Boolean).join(': ')})
      </>
    )
  }
  if (action.startsWith('token.')) {
    const { kind, role, name } = (details ?? {}) as Record<string, string | null>
    const noun = kind === 'session' ? 'a browser session' : `a ${role} token`
    return (
      <>
        {verb} {noun} {name && `“${name}”`} <span class="hint">{subject}</span>
      </>
    )
  }
  return (
    <>
      {verb ?? <span class="code">{action}</span>} <span class="hint">{subject}</span>{' '}
      {details && <span class="hint">{JSON.stringify(details)}</span>}
    </>
  )
}
