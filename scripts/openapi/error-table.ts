import { type ErrorCode, statusOf } from '../../src/http/errors.ts'
import { errorGuides } from '../guides/error-guide.ts'

const table = /(?<=\| status \| code \| cause \| what to do \|\n\|[-|]+\|\n)(?:\|.*\|\n)*/

/** Returns the text of docs/errors.md with a row for each error code. */
export function withErrorTable(markdown: string): string {
  const rows = (Object.keys(statusOf) as ErrorCode[]).map((code) => {
    const { cause, action } = errorGuides[code]
    return `| ${statusOf[code]} | \`${code}\` | ${cause} | ${action} |\n`
  })
  return markdown.replace(table, rows.join(''))
}
