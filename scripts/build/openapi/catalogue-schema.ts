/** The JSON Schema of a line of a catalogue, `docs/catalogue.schema.json`, for editors. */
import * as z from 'zod'
import { CatalogueRecord } from '../../../src/catalogue/record.ts'

export function catalogueSchema(): string {
  const options = { io: 'input', target: 'draft-7', unrepresentable: 'any' } as const
  const schema = z.toJSONSchema(CatalogueRecord, options)
  return `${JSON.stringify({ title: 'A line of a catalogue', ...schema }, null, 2)}\n`
}
