/** Finds the ids that the records of a catalogue have in the API. */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { readAs } from '../auth/access.ts'
import { type CatalogueType, catalogueTypes } from '../db/schema/catalogue.ts'
import { prepared } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { identifier } from '../http/inputs.ts'
import { catalogueLimits } from '../limits.ts'

export const RecordIds = z
  .object({
    records: z
      .array(
        z.object({
          type: z.enum(catalogueTypes).describe('Type of the record.'),
          id: identifier(200).describe('The id in the catalogue.'),
        }),
      )
      .max(catalogueLimits.records.max)
      .describe('The records.'),
  })
  .meta({ id: 'RecordIds', description: 'Records of a catalogue.' })
export type RecordIds = z.infer<typeof RecordIds>

const find = (table: CatalogueType) =>
  sql.raw(`WHEN '${table}' THEN (SELECT id FROM ${table}s WHERE externalId = r.value ->> 'id')`)

/** Selects a row for each record of the JSON, in its order. */
const selectNumbers = prepared((db, { records }: { records: string }) =>
  db.all<{ number: number | null }>(sql`SELECT CASE r.value ->> 'type'
      ${sql.join(catalogueTypes.map(find), sql` `)} END AS number
    FROM json_each(${records}) r ORDER BY r.key`),
)

export async function findNumbers(
  { db, caller }: Pick<Ctx, 'db' | 'caller'>,
  { records }: RecordIds,
): Promise<(number | null)[]> {
  const { rows } = await readAs(db, caller, {
    rows: selectNumbers(db, { records: JSON.stringify(records) }),
  })
  return rows.map(({ number }) => number)
}
