/** The secret of the code that this phone has scanned. It is no session. */
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { LinkSecret } from '../../identity/email-link.ts'
import { mailLimits } from '../../limits.ts'
import { SECOND } from '../../time.ts'

const COOKIE = 'phone'
const cookie = {
  httpOnly: true,
  secure: true,
  sameSite: 'Strict',
  path: '/phone',
  maxAge: mailLimits.phone.max / SECOND,
} satisfies CookieOptions

export const storePhoneSecret = (c: Context, secret: string): void =>
  setCookie(c, COOKIE, secret, cookie)

/** Returns the secret of this phone; `''`, which no link has, if there is none. */
export const readPhoneSecret = (c: Context): string =>
  LinkSecret.safeParse({ secret: getCookie(c, COOKIE) }).data?.secret ?? ''
