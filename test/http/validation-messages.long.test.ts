/** No schema answers with the text of the validator, whatever a client sends. */
import { describe, expect, it } from 'vitest'
import { safeParseAsync } from 'zod/v4/core'
import { listEndpoints } from '../../scripts/build/openapi/list.ts'
import app from '../../src/app.ts'
import { type JsonSchema, jsonSchemaOf } from '../support/json-schema.ts'

const wrongValues = [undefined, null, '', ' ', 'x', 'x'.repeat(5000), '1', 0, -1, 1.5, 1e300, true]
const wrongShapes = [[], ['x', 'y'], {}, { x: 1 }, [[]], [{}], [null]]

/** Words of zod's own messages. */
const raw = /invalid|expected|received|unrecognized|too (small|big)|zod|regex|\/\^/i

const values = [...wrongValues, ...wrongShapes]

/** Every wrong value for the whole, and for each field of an object or of the elements of a list. */
function inputsFor({ properties = {}, items, anyOf = [] }: JsonSchema): unknown[] {
  const ofFields = Object.entries(properties).flatMap(([name, field]) =>
    inputsFor(field).map((value) => ({ [name]: value })),
  )
  const ofElements = items ? inputsFor(items).map((item) => [item]) : []
  return [...values, ...ofFields, ...ofElements, ...anyOf.flatMap(inputsFor)]
}

describe.each(
  listEndpoints(app).flatMap(({ method, path, input = {} }) =>
    Object.entries(input).map(([part, schema]) => ({
      name: `${method} ${path} (${part})`,
      schema,
    })),
  ),
)('$name', ({ schema }) => {
  it('has a sentence of its own for everything that is wrong', async () => {
    for (const input of inputsFor(jsonSchemaOf(schema))) {
      const result = await safeParseAsync(schema, input)
      for (const { message } of result.error?.issues ?? []) {
        // What stands in quotes is a value that is accepted, such as "invalid_recipient".
        expect(message.replaceAll(/"[^"]*"/g, '')).not.toMatch(raw)
        expect(message).toMatch(/^[a-z"“]/)
        expect(message).not.toMatch(/\.$/)
      }
    }
  })
})
