/** What pages about errors need to know of the request that failed. */
import type { Context } from 'hono'
import { type Account, findAccount } from '../auth/session.ts'
import type { App } from '../http/context.ts'

/** Whether a browser asks for a page. All other clients get errors as JSON. */
export const isForPerson = (c: Context<App>): boolean =>
  !c.req.path.startsWith('/api/') && !!c.req.header('accept')?.includes('text/html')

/**
 * Returns the signed-in user for the header of the page, or null. Never throws: if the database has
 * failed, the page must not fail too.
 */
export async function findAccountSafely(c: Context<App>): Promise<Account | null> {
  // An error may come before these are set.
  const { db, caller = null }: Partial<App['Variables']> = c.var
  if (!db) return null
  return findAccount(db.$client.openPrimary(), caller).catch(() => null)
}
