import * as z from 'zod'
import { count, orNull } from '../http/fields.ts'
import type { EndpointInfos } from '../http/openapi.ts'
import { MAX_IMPORT_LINES } from './import.ts'
import { MAX_LINES, MAX_MIB } from './limits.ts'
import { problemCodes } from './problems.ts'

const Numbers = z
  .object({
    created: count('Records that are new.'),
    updated: count('Records that changed what is stored.'),
    unchanged: count('Records that are stored like this already.'),
  })
  .meta({ id: 'RecordCounts', description: 'Numbers of records of a type.' })
const Progress = z
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

export const catalogueEndpoints = {
  'POST /api/admin/catalogue': {
    tag: 'Catalogue',
    operationId: 'importCatalogue',
    summary: 'Import users, NFTs and listings',
    description:
      `The body is JSON Lines, a record a line: at most ${MAX_LINES} lines and ${MAX_MIB} MiB. ` +
      'All records are written, or none. Repeating a call is safe. A larger catalogue, of up to ' +
      `${MAX_IMPORT_LINES} lines, takes several calls with the same \`import\`, each with the ` +
      'number of its first `line`. Nothing changes before the call with `commit`. In `issues`, ' +
      '`lines[12]` is line 12.',
    body: { type: 'application/x-ndjson', schema: z.file().describe('JSON Lines.') },
    answer: Progress,
    errors: [...problemCodes, 'network_not_found', 'conflict', 'payload_too_large'],
  },
} satisfies EndpointInfos
