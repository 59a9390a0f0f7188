/** Reads the output of `wrangler dev`: the Worker's log, and what wrangler says itself. */
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { eventLine, type Level, mailLine, messageLine } from './lines.ts'
import { keepMail } from './mails.ts'

/** Wrangler repeats these whenever it reloads the Worker. */
const NOISE =
  /^(Using secrets defined in|⎔ Connection status updated|\[wrangler:info\] ✨ Parsed \d+ valid header)/

const levels: Record<string, Level> = {
  ERROR: 'error',
  WARNING: 'warning',
  error: 'error',
  warn: 'warning',
}

/** Returns a function that takes one line of the output and prints none or more for people. */
export function createLogReader(print: (line: string) => void): (line: string) => void {
  let isInBindings = false
  let mail: Record<string, string> | undefined

  function readMail(fields: Record<string, string>, line: string) {
    const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    fields[name] = value
    if (name !== 'HTML') return
    const { To: to = '', Subject: subject = '', Text: file = '', HTML: page = '' } = fields
    const [text, html] = [readFileSync(file, 'utf8'), readFileSync(page, 'utf8')]
    keepMail({ to, subject, text, html, at: new Date() })
    print(mailLine({ to, subject, file, text }, new Date()))
    mail = undefined
  }

  return (output) => {
    const line = stripVTControlCharacters(output)
    if (mail) return readMail(mail, line)
    if (isInBindings) {
      isInBindings = line !== ''
      return
    }
    if (line.includes('send_email binding called with MessageBuilder')) mail = {}
    else if (line === 'Your Worker has access to the following bindings:') isInBindings = true
    else if (line.trim() && !NOISE.test(line)) {
      const text = describe(line)
      if (text) print(text)
    }
  }
}

/** Returns what to print for a line; undefined for a request, which the gateway reports. */
function describe(line: string): string | undefined {
  // Details of the line before.
  if (/^\s/.test(line)) return line
  const now = new Date()
  const [, mark, text = line] = /^(?:✘ |▲ )?\[(?:wrangler:)?(\w+)\] (.*)$/.exec(line) ?? []
  const level = levels[mark ?? ''] ?? 'info'
  const event = parseEvent(text)
  if (event) return event.event === 'request' ? undefined : eventLine(level, event, now)
  return /^[A-Z]+ \/\S* \d{3} .*\(\d+ms\)$/.test(text) ? undefined : messageLine(level, text, now)
}

function parseEvent(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{"event":')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
