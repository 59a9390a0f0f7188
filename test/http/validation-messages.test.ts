/** No schema answers with the text of the validator, whatever a client sends. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import app from '../../src/app.ts'
import { endpointsOf } from '../../src/http/endpoint.ts'

const wrongValues = [undefined, null, '', ' ', 'x', 'x'.repeat(5000), '1', 0, -1, 1.5, 1e300, true]
const wrongShapes = [[], ['x', 'y'], {}, { x: 1 }, [[]], [{}], [null]]

/** Words of zod's own messages. */
const raw = /invalid|expected|received|unrecognized|too (small|big)|zod|regex|\/\^/i

const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    type?: string
    properties?: Record<string, unknown>
    items?: { properties?: Record<string, unknown> }
  }

/** Every wrong value for the whole, and for each field of an object or of the elements of a list. */
function inputsFor(schema: z.ZodType): unknown[] {
  const { properties, items } = jsonSchemaOf(schema)
  const values = [...wrongValues, ...wrongShapes]
  const fieldsOf = (names: Record<string, unknown> = {}) =>
    Object.keys(names).flatMap((name) => values.map((value) => ({ [name]: value })))
  return [...values, ...fieldsOf(properties), ...fieldsOf(items?.properties).map((item) => [item])]
}

describe.each(
  endpointsOf(app).flatMap(({ method, path, inputs }) =>
    inputs.map(({ target, schema }) => ({ name: `${method} ${path} (${target})`, schema })),
  ),
)('$name', ({ schema }) => {
  it('has a sentence of its own for everything that is wrong', async () => {
    for (const input of inputsFor(schema)) {
      const result = await schema.safeParseAsync(input)
      for (const { message } of result.error?.issues ?? []) {
        expect(message).not.toMatch(raw)
        expect(message).toMatch(/^[a-z"“]/)
        expect(message).not.toMatch(/\.$/)
      }
    }
  })
})
