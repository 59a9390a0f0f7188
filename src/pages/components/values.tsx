/** What others have written, prices, times, reasons, and links to explorers: as parts of a text. */
import { type Reason, rules } from '../../delivery/reasons.ts'
import { explorerPage } from '../../ethereum/explorer.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../time.ts'
import { Icon } from './icon.tsx'
import { type PageRequest, usePage } from './request.ts'
import { formatMoney, shortAddress } from './text.ts'

/** A title that ends after two lines. Its direction does not change that of the text around it. */
export const Title = ({ children }: { children: string }) => (
  <bdi class="title" title={children}>
    {children}
  </bdi>
)

/** A price on one line, in minor units of the currency (ISO 4217). */
export const Price = ({ price, currency }: { price: number; currency: string }) => (
  <span class="price">{formatMoney(price, currency, usePage().locale)}</span>
)

/** Why something cannot be delivered, in the language of the page, with what a node has said. */
export function useReason({ reasonCode, reasonDetail }: Reason): string {
  const text = usePage().texts.reasons?.[reasonCode] ?? rules[reasonCode].sentence
  return reasonDetail === null ? text : `${text}: ${reasonDetail}`
}

type ExplorerLinkProps = {
  /** Its name in the configuration. */
  network: string
  kind: 'tx' | 'address' | 'token' | 'block'
  value: string | number
  /** Instead of the shortened value. */
  text?: string | undefined
}

/** A link to the block explorer of a network; without one the value, all of which can be copied. */
export const ExplorerLink = ({ network, kind, value, text }: ExplorerLinkProps) => {
  const explorer = usePage().settings.NETWORKS[network]?.explorerUrl
  if (!explorer) return <span class="hash">{value}</span>
  return (
    <a href={explorerPage(explorer, kind, value)}>
      {text ?? shortAddress(String(value))} <Icon name="external" size={12} />
    </a>
  )
}

/** English without a country has the days before the months. */
const dateLocale = (locale: string) => (locale === 'en' ? 'en-GB' : locale)

/** Returns a date such as `1 January 2026`, in UTC. */
export const formatDate = (date: Date, locale: string): string =>
  date.toLocaleDateString(dateLocale(locale), { dateStyle: 'long', timeZone: 'UTC' })

const newFormats = (locale: string) => ({
  exact: new Intl.DateTimeFormat(dateLocale(locale), {
    dateStyle: 'long',
    timeStyle: 'medium',
    timeZone: 'UTC',
  }),
  relative: new Intl.RelativeTimeFormat(locale),
})

/** Formats by locale, kept because creating them takes longer than formatting a page. */
const formats = new Map<string, ReturnType<typeof newFormats>>()

/** Locales kept before all are cleared: visitors choose them. */
const MAX_LOCALES = 20

function formatsOf(locale: string) {
  const known = formats.get(locale) ?? newFormats(locale)
  if (formats.size >= MAX_LOCALES) formats.clear()
  formats.set(locale, known)
  return known
}

const exactTime = (at: string, locale: string): string =>
  `${formatsOf(locale).exact.format(new Date(at))} UTC`

export const ExactTime = ({ at }: { at: string }) => (
  <time datetime={at}>{exactTime(at, usePage().locale)}</time>
)

/** A timestamp as its distance from now. Hovering shows the exact time. */
export const Time = ({ at }: { at: string }) => {
  const page = usePage()
  return (
    <time datetime={at} title={exactTime(at, page.locale)}>
      {relativeTime(new Date(at), page)}
    </time>
  )
}

/** What happened or happens then, as a part of a line. */
export const When = ({ what, at }: { what: string; at: string }) => (
  <span>
    {what} <Time at={at} />
  </span>
)

const MONTH = 30 * DAY
const YEAR = 365 * DAY

const units = [
  [YEAR, 'year'],
  [MONTH, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const

/** Returns a text such as `3 hours ago`, `in 7 days`, `just now` or `in a moment`. */
export function relativeTime(
  date: Date,
  { now, locale, texts }: Pick<PageRequest, 'now' | 'locale' | 'texts'>,
): string {
  const distance = date.getTime() - now.getTime()
  if (Math.abs(distance) < 10 * SECOND) return distance > SECOND ? texts.time.soon : texts.time.now
  const [size, unit] = units.find(([size]) => Math.abs(distance) >= size) ?? [SECOND, 'second']
  return formatsOf(locale).relative.format(Math.trunc(distance / size), unit)
}

/**
 * When a token was used last. The time is stored once an hour (auth/authenticate.ts), so a later use
 * may have happened.
 */
export const LastUsed = ({ at }: { at: string }) => {
  const { now, texts } = usePage()
  const isLately = now.getTime() - Date.parse(at) < HOUR
  return isLately ? (
    <span>{texts.sessions.usedLately}</span>
  ) : (
    <When what={texts.sessions.used} at={at} />
  )
}
