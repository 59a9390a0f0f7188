/** The address that this browser has asked a sign-in link for, so that the next pages can name it. */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { EmailAddress } from '../../http/inputs.ts'
import { mailLimits } from '../../limits.ts'
import { SECOND } from '../../time.ts'

const COOKIE = 'link-address'
// A cookie, because URLs are logged.
const cookie = {
  httpOnly: true,
  secure: true,
  sameSite: 'Strict',
  path: '/sign-in',
} satisfies CookieOptions

export const storeLinkAddress = (c: Context, email: string): void =>
  setCookie(c, COOKIE, email, { ...cookie, maxAge: mailLimits.link.max / SECOND })

export const deleteLinkAddress = (c: Context) => deleteCookie(c, COOKIE, cookie)

export const readLinkAddress = (c: Context): string | undefined =>
  EmailAddress.safeParse(getCookie(c, COOKIE)).data
