/** The JSON Schema for editors says of each record what an import says of it. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { CatalogueRecord } from '../../../src/catalogue/record.ts'
import { aListingRecord, anNftRecord, aUserRecord } from '../../catalogue/records.ts'

type RecordSchema = { properties: Record<string, { description?: string }> }

const schema: { oneOf: RecordSchema[] } = JSON.parse(
  readFileSync('docs/catalogue.schema.json', 'utf8'),
)
const ajv = new Ajv({ strict: false })
addFormats(ajv)
const isValid = ajv.compile(schema)

const records = [aUserRecord('cleo'), anNftRecord('one', 1), aListingRecord('sale', 'one')]

it('describes every field', () => {
  for (const { properties } of schema.oneOf)
    for (const [name, field] of Object.entries(properties))
      expect([name, field.description]).toEqual([name, expect.stringMatching(/^[A-Z3].*\.$/)])
})

it('accepts records', () => {
  for (const record of records) expect([record, isValid(record)]).toEqual([record, true])
})

describe.each(records)('$type', (record) => {
  it.each(Object.keys(record))('%s has the same limits as an import', (name) => {
    for (const value of [undefined, null, 1, 'x y', '', true, [], {}]) {
      const changed = { ...record, [name]: value }
      if (value === undefined) Reflect.deleteProperty(changed, name)
      const { success } = CatalogueRecord.safeParse(changed)
      // The schema knows nothing of rules between fields, and of addresses only that they are text.
      if (success) expect([changed, isValid(changed)]).toEqual([changed, true])
    }
  })

  it('refuses what is missing or unknown, as an import does', () => {
    for (const name of ['type', 'id']) {
      const { [name as 'id']: _, ...incomplete } = record
      expect([isValid(incomplete), CatalogueRecord.safeParse(incomplete).success]).toEqual([
        false,
        false,
      ])
    }
    const unknown = { ...record, colour: 'red' }
    expect([isValid(unknown), CatalogueRecord.safeParse(unknown).success]).toEqual([false, false])
  })
})
