/** The JSON Schema for editors. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
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
