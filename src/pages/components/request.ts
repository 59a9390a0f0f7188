/** What parts of a page know of its request. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Account, isRecent, type SignInLimit } from '../../auth/session.ts'
import type { Settings } from '../../env.ts'
import type { Texts } from '../../texts/en.ts'

/** What a page says: of a page in the language of its reader, a function of the texts. */
export type Translated<T> = T | ((texts: Texts) => T)

/** Returns it in the language of the texts. */
export const inTexts = <T extends object | string>(said: Translated<T>, texts: Texts): T =>
  typeof said === 'function' ? said(texts) : said

/** A form that is shown again: what was entered, and why it was rejected, by the names of fields. */
export type Rejection = {
  values: Record<string, unknown>
  problems: Record<string, Translated<string>>
  status: ContentfulStatusCode
}

declare module 'hono' {
  interface ContextVariableMap {
    rejection?: Rejection
  }
}

/** An error page must not use `settings` and `now`: the error may come before they are set. */
export type PageRequest = {
  settings: Settings
  now: Date
  /** The signed-in user; null for visitors. */
  account: Account | null
  /** The name of a message, which the redirect to the page has put into its query. */
  notice: string | undefined
  rejection: Rejection | undefined
  /** Whether a list begins on this page: its query has no cursor. */
  isFirstPage: boolean
  /** In which dates, numbers and prices are written. */
  locale: string
  texts: Texts
}

/** What a page shows of what was read for it: the layout shows the account. */
export type Found<Read extends (...args: never) => Promise<object>> = Omit<
  Awaited<ReturnType<Read>>,
  'account'
>

/** What is known while a page is rendered. `createContext` would add what renders in browsers to the bundle. */
export const pageRequest = new AsyncLocalStorage<PageRequest>()

export function usePage(): PageRequest {
  const request = pageRequest.getStore()
  if (!request) throw new Error('nothing is rendered')
  return request
}

export function useRecentSignIn(limit?: SignInLimit): boolean {
  const { account, now } = usePage()
  return account !== null && isRecent(account, now, limit)
}
