/** The language of whoever reads a page. */
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { Account } from '../auth/session.ts'
import type { App } from '../http/context.ts'
import { acceptedLocale, DEFAULT_LOCALE, textLocale } from '../texts/texts.ts'
import { DAY, SECOND } from '../time.ts'

const COOKIE = 'language'

/** Stores the choice of a visitor in the browser, for a year. */
export const storeLanguage = (c: Context, language: string): void =>
  setCookie(c, COOKIE, language, {
    ...{ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
    maxAge: (365 * DAY) / SECOND,
  })

const chosenLocale = (c: Context) => acceptedLocale(getCookie(c, COOKIE))
const acceptedByBrowser = (c: Context) => acceptedLocale(c.req.header('accept-language'))

/** Returns the language chosen in this browser, or the first one that it accepts and that has texts. */
export const browserLocale = <E extends App>(c: Context<E>): string | undefined =>
  chosenLocale(c) ?? acceptedByBrowser(c)

/**
 * Returns what was chosen: by the signed-in user, or else in this browser. Without a choice, what is known
 * of the user, or of the browser of a visitor.
 */
export const readerLocale = <E extends App>(c: Context<E>, account: Account | null): string =>
  textLocale(
    account?.language ??
      chosenLocale(c) ??
      account?.locale ??
      acceptedByBrowser(c) ??
      DEFAULT_LOCALE,
  )
