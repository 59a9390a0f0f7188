/** No text of a caller keeps the Worker busy. In Node, because the clock of workerd stands still meanwhile. */
import { describe, expect, it } from 'vitest'
import type { $ZodType } from 'zod/v4/core'
import { listEndpoints } from '../../../scripts/build/openapi/list.ts'
import app from '../../../src/app.ts'
import { CatalogueRecord } from '../../../src/catalogue/record.ts'

/** Characters. A pattern whose CPU time grows with the square of this takes five seconds. */
const LENGTH = 100_000

const hostileTexts: Record<string, string> = {
  blanks: ' ',
  'other blanks': '\u00a0\u2003',
  'combining characters': 'e\u0301',
  'more combining characters': '\u0300\u0301',
  'line ends': '\n',
  'line ends and blanks': '\r\n ',
  surrogates: '\ud83d',
  'pairs of surrogates': '🦍',
  'right-to-left marks': '\u200f',
  'right-to-left overrides': '\u202e\u2067',
  dots: 'a.',
  'at signs': '@.',
}

/** The hostile text between characters that a pattern may begin and end with. */
const longTexts = Object.entries(hostileTexts).flatMap(([name, part]) => {
  const text = part.repeat(LENGTH / part.length)
  return [
    [name, text],
    [`${name} between letters`, `a${text}a`],
    [`${name} after a beginning`, `a@a.${text}!`],
    [`${name} before a wrong end`, `a@${text}@`],
  ] as const
})

/** Returns values in which each text, at any depth, is this one. */
function filled(schema: $ZodType, text: string): unknown[] {
  const def = schema._zod.def as unknown as Record<string, unknown> & { type: string }
  const inner = (key: string) => filled(def[key] as $ZodType, text)
  switch (def.type) {
    case 'object': {
      const shape = Object.entries(def.shape as Record<string, $ZodType>)
      return [Object.fromEntries(shape.map(([key, field]) => [key, filled(field, text)[0]]))]
    }
    case 'array':
      return [[inner('element')[0]]]
    case 'pipe':
      return (def.in as $ZodType)._zod.def.type === 'transform' ? inner('out') : inner('in')
    case 'union':
      return (def.options as $ZodType[]).flatMap((option) => filled(option, text))
    case 'literal':
      return [(def.values as unknown[])[0]]
    default:
      return 'innerType' in def ? inner('innerType') : [text]
  }
}

const inputs = listEndpoints(app).flatMap(({ method, path, input = {} }) =>
  Object.entries(input).map(([part, schema]) => ({ name: `${part} of ${method} ${path}`, schema })),
)

describe.each([...inputs, { name: 'a line of a catalogue', schema: CatalogueRecord }])(
  '$name',
  ({ schema }) => {
    it('is checked at once, whatever text is in it', () => {
      const { safeParse } = schema as unknown as typeof CatalogueRecord
      for (const [name, text] of longTexts)
        for (const value of filled(schema, text)) {
          const start = process.cpuUsage()
          const { error } = safeParse(value)
          expect(process.cpuUsage(start).user / 1000, name).toBeLessThan(2000)
          expect(JSON.stringify(error?.issues ?? []).length, name).toBeLessThan(20_000)
        }
    })
  },
)
