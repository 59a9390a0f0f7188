/** The table of events in docs/guides/webhooks.md. */
import { eventTexts } from '../../../src/db/schema/webhooks.ts'
import { tableOf, withTables } from './tables.ts'

/** Returns a document with the table as the Worker has the events. */
export function withEvents(document: string): string {
  const rows = Object.entries(eventTexts).map(([type, { meaning, more }]) => [
    `\`${type}\``,
    `${meaning}. ${more}`.trim(),
  ])
  return withTables(document, { Events: tableOf(['type', 'meaning'], rows) })
}
