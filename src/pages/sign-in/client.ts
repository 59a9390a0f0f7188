import type { Context } from 'hono'
import type { App } from '../../http/context.ts'
import { clientIp } from '../../http/rate-limit.ts'
import type { Client } from '../../identity/sign-in.ts'
import { browserLocale } from '../reader.ts'

/** In this order: most browsers name others, too. */
const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const find = (names: [RegExp, string][], userAgent: string) =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1]

/** Returns a name in all languages such as `Firefox (Windows)`, or null if the text names no known browser. */
export function describeBrowser(userAgent: string): string | null {
  const browser = find(browsers, userAgent)
  const system = find(systems, userAgent)
  return browser && system ? `${browser} (${system})` : (browser ?? null)
}

export function describeClient<E extends App>(c: Context<E>): Client {
  const country = c.req.raw.cf?.country
  return {
    ipAddress: clientIp(c.req.raw),
    browser: describeBrowser(c.req.header('user-agent') ?? ''),
    country: typeof country === 'string' ? country : null,
    locale: browserLocale(c),
    previous: c.var.caller,
  }
}
