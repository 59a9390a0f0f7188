/** The log lines of `npm run dev`. Colours are only for terminals; `NO_COLOR` turns them off. */
import { styleText } from 'node:util'
import type { Exchange } from './gateway.ts'

export type Level = 'info' | 'warning' | 'error'

/** `09:31:07`, in the time zone of this machine. */
const formatTime = (now: Date) => styleText('dim', now.toLocaleTimeString('en-GB'))

const join = (...parts: (string | undefined | false)[]) => parts.filter(Boolean).join('  ')

/** Characters of a path that are shown. */
const MAX_PATH = 200

/** Text from outside. What would control the terminal, or start a line of its own, is escaped. */
const printable = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`)

const shortened = (path: string) =>
  path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}… (${path.length} characters)` : path

/** A line about a request, such as `09:31:07  GET /docs  200  34 ms  user 3 · req 4f3c1a2b`. */
export function requestLine(exchange: Exchange, caller: string | undefined, now: Date): string {
  const { method, path, duration, response } = exchange
  const id = response?.headers['x-request-id']
  const details = [caller, typeof id === 'string' && shortId(id), response && problemIn(response)]
  return join(
    formatTime(now),
    printable(`${method} ${shortened(path)}`),
    response
      ? styleText(chooseColor(response.status), String(response.status))
      : 'closed by the client',
    `${Math.round(duration)} ms`,
    details.filter(Boolean).join(' · '),
  )
}

function chooseColor(status: number): Parameters<typeof styleText>[0] {
  if (status >= 500) return ['red', 'bold']
  if (status >= 400) return ['yellow']
  return status >= 300 ? ['cyan'] : ['green']
}

const shortId = (id: string) => `req ${id.slice(0, 8)}`

/** Code and sentence of an error; the body of a response that is no error of the API. */
function problemIn({ status, headers, body }: NonNullable<Exchange['response']>) {
  if (status < 400 || headers['content-type']?.startsWith('text/html')) return undefined
  try {
    const { code, error } = JSON.parse(body)
    return printable(`${code}: ${error}`)
  } catch {
    return printable(shortened(body.trim()))
  }
}

/** A line about something else. Details follow on indented lines. */
export function messageLine(level: Level, text: string, now: Date): string {
  const label = {
    info: undefined,
    warning: styleText(['yellow', 'bold'], 'WARNING'),
    error: styleText(['red', 'bold'], 'ERROR'),
  }[level]
  return join(formatTime(now), label, text)
}

/**
 * A line about an event of the Worker's log, with long values on lines of their own. The version
 * is left out: only deployed ones have a meaning.
 */
export function eventLine(
  level: Level,
  { event, version, ...fields }: Record<string, unknown>,
  now: Date,
): string {
  const entries = Object.entries(fields).map(([name, value]) => [name, formatValue(value)] as const)
  const isShort = ([, value]: readonly [string, string]) => !/\n|^.{60}.* /.test(value)
  const short = entries
    .filter(isShort)
    .map(([name, value]) => (name === 'requestId' ? shortId(value) : `${name} ${value}`))
  const long = entries
    .filter((entry) => !isShort(entry))
    .map(([name, value]) => `\n    ${name}: ${value.replaceAll('\n', '\n        ')}`)
  return messageLine(level, join(String(event), short.join(' · ')) + long.join(''), now)
}

const formatValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // Stacks have several lines.
  return text.split('\n').map(printable).join('\n')
}

type Mail = { to: string; subject: string; file: string; text: string }

/** A line about a mail: its link if it has a secret one, or else its subject and its file. */
export function mailLine({ to, subject, file, text }: Mail, now: Date) {
  const [link] = /https?:\S+[?&]secret=\S+/.exec(text) ?? []
  if (!link) return messageLine('info', printable(`mail for ${to}: ${subject} (${file})`), now)
  const kind = link.includes('/sign-in/')
    ? 'sign-in'
    : link.includes('/claim/')
      ? 'claim'
      : 'confirmation'
  return messageLine(
    'info',
    `${kind} link for ${to}: ${styleText(['bold', 'underline'], link)}`,
    now,
  )
}
