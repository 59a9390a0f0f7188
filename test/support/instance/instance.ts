/** The running instance of the project `instance`, and what tests change in it. */
import { readFileSync } from 'node:fs'
import { inject, vi } from 'vitest'
import { PATIENCE } from '../patience.ts'
import { queryInstance } from '../query.ts'

export const instance = inject('instance')

/** Runs a statement on the database and returns its rows. */
export const query = <Row>(sql: string, ...params: string[]): Promise<Row[]> =>
  queryInstance<Row>(instance.url, sql, ...params)

/** Adds a person, whose wallet has an address if one is given. Returns the id. */
export async function aPerson(wallet = ''): Promise<number> {
  const name = crypto.randomUUID()
  const sql = `INSERT INTO users (provider, email, ethereumPublicAddr, identityHash, createdAt, updatedAt)
    VALUES ('email', ?1, ?2, ?3, ?4, ?4) RETURNING id`
  const now = new Date().toISOString()
  const [user] = await query<{ id: number }>(sql, `${name}@example.com`, wallet, name, now)
  return user?.id ?? 0
}

/** Returns the id of the person with an e-mail address or a wallet. */
export async function userId(identity: string): Promise<number> {
  const sql = 'SELECT id FROM users WHERE email = ?1 OR ethereumPublicAddr = ?1'
  const [user] = await query<{ id: number }>(sql, identity)
  if (!user) throw new Error(`nobody is ${identity}`)
  return user.id
}

/** The mails that the instance has sent to an address: of what kind they are, and what the log says of them. */
const readMails = (email: string) =>
  [...readFileSync(instance.log, 'utf8').matchAll(/(\S+ link|mail) for (\S+): (.+)$/gm)]
    .filter(([, , to]) => to === email)
    .map(([, kind = '', , text = '']) => ({ kind, text }))

/** The kinds of the mails that were sent to an address. */
export const mailsTo = (email: string) => readMails(email).map(({ kind }) => kind)

/** Returns the link that is mailed to an address because of `action`: of an order, or one that proves the address. */
export async function linkMailedBy(
  email: string,
  action: () => Promise<unknown>,
  purpose: 'claim' | 'proof' = 'proof',
) {
  const links = () =>
    readMails(email)
      .filter(({ kind }) => kind !== 'mail' && (kind === 'claim link') === (purpose === 'claim'))
      .map(({ text }) => text)
  const { length } = links()
  await action()
  return vi.waitUntil(() => links()[length], PATIENCE)
}
