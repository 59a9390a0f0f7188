/** The audit log as a file. */
import type { Ctx } from '../../http/context.ts'
import { type AuditFilter, readAudit } from './read.ts'

/**
 * A spreadsheet takes a text that begins with one of these for a formula, which may send data
 * elsewhere. An apostrophe makes it a text.
 */
const formula = /^\s*[=+\-@＝＋－＠]/

const toLine = (values: readonly unknown[]): string =>
  `${values
    .map((value) => String(value ?? ''))
    .map((text) => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`)
    .join(',')}\r\n`

/**
 * Returns what matches as CSV (RFC 4180), newest first. The first page is read at once, each other
 * one when the reader is ready for it.
 */
export async function exportAudit(ctx: Pick<Ctx, 'db' | 'caller'>, filter: AuditFilter) {
  const read = (before?: number) => readAudit(ctx, { ...filter, before, limit: 500 })
  let page: Awaited<ReturnType<typeof read>> | undefined = await read()
  let text = toLine(['time', 'userId', 'user', 'token', 'action', 'subject', 'details'])
  return new ReadableStream({
    async pull(controller) {
      if (!page) return controller.close()
      for (const { at, userId, userName, tokenName, action, subject, details } of page.entries)
        text += toLine([
          at,
          userId,
          userName,
          tokenName,
          action,
          subject,
          details && JSON.stringify(details),
        ])
      controller.enqueue(new TextEncoder().encode(text))
      text = ''
      page = page.next ? await read(page.next) : undefined
    },
  })
}
