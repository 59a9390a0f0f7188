import * as z from 'zod'
import { MAX_IMPORT_LINES } from '../../../src/catalogue/import.ts'
import { MAX_RECORDS } from '../../../src/catalogue/numbers.ts'
import { problemCodes } from '../../../src/catalogue/problems.ts'
import { MAX_LINES, MAX_MIB } from '../../../src/catalogue/routes.ts'
import { count, id, orNull } from '../../../src/http/fields.ts'
import type { Operations } from '../operation.ts'

const Numbers = z
  .object({
    created: count('Records that are new.'),
    updated: count('Records that changed what is stored.'),
    unchanged: count('Records that are stored like this already.'),
  })
  .meta({ id: 'RecordCounts', description: 'Numbers of records of a type.' })
const ImportProgress = z
  .object({
    lines: count('The last line that is stored for the import. Continue after it.'),
    result: orNull(
      z
        .object({ user: Numbers, nft: Numbers, listing: Numbers })
        .meta({ id: 'ImportResult', description: 'What the commit did, by type of record.' })
        .describe('What the commit did, or would do; null before it.'),
    ),
  })
  .meta({ id: 'ImportProgress', description: 'An import so far.' })

const RecordNumbers = z
  .object({
    numbers: z
      .array(orNull(id('The id in the API; null if the record was not imported.')))
      .describe('In the order of the records.'),
  })
  .meta({ id: 'RecordNumbers', description: 'The ids of records in the API.' })

export const catalogueOperations: Operations = {
  importCatalogue: {
    summary: 'Import users, NFTs and listings',
    description:
      `The body is JSON Lines, a record a line: at most ${MAX_LINES} lines and ${MAX_MIB} MiB. ` +
      'All records are written, or none. Repeating a call is safe. A larger catalogue, of up to ' +
      `${MAX_IMPORT_LINES} lines, takes several calls with the same \`import\`, each with the ` +
      'number of its first `line`. Nothing changes before the call with `commit`. In `issues`, ' +
      '`lines[12]` is line 12.',
    body: { type: 'application/x-ndjson', schema: z.file().describe('JSON Lines.') },
    answer: ImportProgress,
    errors: [
      ...problemCodes,
      'network_not_found',
      'invalid_character',
      'conflict',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  findRecordNumbers: {
    summary: 'Find the numbers of records',
    description: `Returns the ids in the API of up to ${MAX_RECORDS} records, also of drafts.`,
    answer: RecordNumbers,
  },
}
