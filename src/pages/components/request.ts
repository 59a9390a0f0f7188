import { type Account, isRecent } from '../../auth/session.ts'
import type { Settings } from '../../env.ts'

/** What parts of a page need of its request. An error page must not use `settings` and `now`. */
export type PageRequest = {
  settings: Settings
  now: Date
  /** The signed-in user; null for visitors. */
  account: Account | null
  /** The name of a message, which the redirect to the page has put into its query. */
  notice: string | undefined
}

let rendered: PageRequest | null = null

/** Renders a page, whose parts get its request from `usePage`. No part is asynchronous. */
export function renderPage(request: PageRequest, layout: { toString(): string }): string {
  rendered = request
  try {
    return layout.toString()
  } finally {
    rendered = null
  }
}

/** Returns the request of the page that is rendered. */
export function usePage(): PageRequest {
  if (!rendered) throw new Error('nothing is rendered')
  return rendered
}

/** Returns whether the user has signed in a short time ago. */
export function useRecentSignIn(): boolean {
  const { account, now } = usePage()
  return account !== null && isRecent(account, now)
}
