/** The language of whoever reads a page. */
import type { Context } from 'hono'
import type { Account } from '../auth/session.ts'
import type { App } from '../http/context.ts'
import { acceptedLocale, DEFAULT_LOCALE, textLocale } from '../texts/texts.ts'

/** Returns the first locale that the browser accepts and that has texts, if there is one. */
export const browserLocale = <E extends App>(c: Context<E>) =>
  acceptedLocale(c.req.header('accept-language'))

/** Returns the locale of the signed-in user; without one, that of the browser. */
export const readerLocale = <E extends App>(c: Context<E>, account: Account | null): string =>
  account ? textLocale(account.locale) : (browserLocale(c) ?? DEFAULT_LOCALE)
