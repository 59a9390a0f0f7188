/** People, as searches and lists show them. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { isGuestSql, type users } from '../../db/schema/users.ts'
import { raw } from '../../db/statements.ts'
import { Meta } from '../../pages/components/lists.tsx'
import { shortAddress } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { LIMIT, UserLink } from './layout.tsx'

/** A user's name, or what else tells who it is; null once the data of the person was removed. */
export const nameSql = (user: string) =>
  sql.raw(`coalesce(nullif(${user}.name, ''), ${user}.username, nullif(${user}.email, ''),
    substr(nullif(${user}.ethereumPublicAddr, ''), 1, 6) || '…' || substr(${user}.ethereumPublicAddr, -4))`)

export type FoundPerson = Pick<
  typeof users.$inferSelect,
  'id' | 'name' | 'email' | 'ethereumPublicAddr' | 'createdAt' | 'removedAt'
> & { isGuest: 0 | 1 }

/** Selects the newest people by a condition on the user `u`. */
export const selectPeople = (db: Database, condition: SQL, limit = LIMIT) =>
  raw<FoundPerson>(
    db,
  )`SELECT u.id, ${nameSql('u')} AS name, u.email, u.ethereumPublicAddr, u.createdAt,
      u.removedAt, ${isGuestSql('u')} AS isGuest
    FROM users u WHERE ${condition} ORDER BY u.id DESC LIMIT ${limit}`

export const PersonEntry = ({ id, name, email, ethereumPublicAddr, ...person }: FoundPerson) => (
  <>
    <h3>
      <UserLink id={id} name={name} />
    </h3>
    <Meta
      facts={[
        `User ${id}`,
        email !== name && email,
        ethereumPublicAddr && shortAddress(ethereumPublicAddr),
        person.removedAt ? 'Data removed' : person.isGuest === 1 && 'Has not signed in',
        ['Joined ', <Time at={person.createdAt} />],
        <a href={`/settings/api-access/everyone?owner=${id}`}>Tokens and sessions</a>,
      ]}
    />
  </>
)
