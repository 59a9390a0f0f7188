/** What imports have in common. */
import type { Counts } from '../../../src/catalogue/import.ts'
import type { LineProblem } from '../../../src/catalogue/line.ts'

export type Request = {
  /** The file that the operator names. Reports are beside it. */
  file: string
  /** The file to read, with the same lines as JSON: with `--files`, they say what the files are. */
  lines: string
  isDryRun: boolean
  /** Whether prices may change by much. */
  isConfirmed: boolean
}

/**
 * What an import has done, or why it has done nothing. `counts` is null for a file without lines.
 * `imported` is the number of parts before the one with problems.
 */
export type Outcome = { counts: Counts | null } | { problems: LineProblem[]; imported?: number }
