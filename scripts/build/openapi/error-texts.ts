/** What docs/errors.md says of each error code. */
import { readFileSync } from 'node:fs'
import { type ErrorCode, errorStatus } from '../../../src/http/errors.ts'

/** Texts without a full stop. */
type ErrorText = { cause: string; action: string }

const row = /^\| \d+ \| `(\w+)` \| (.+) \| (.+) \|$/gm

const rows = new Map(
  [...readFileSync('docs/errors.md', 'utf8').matchAll(row)].map(
    ([, code = '', cause = '', action = '']) => [code, { cause, action }],
  ),
)

/** Returns the cause of an error code and what to do. */
export function errorText(code: ErrorCode): ErrorText {
  const text = rows.get(code)
  if (!text) throw new Error(`docs/errors.md lacks the row | ${errorStatus[code]} | \`${code}\` |.`)
  return text
}
