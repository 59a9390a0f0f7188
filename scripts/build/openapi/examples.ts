/**
 * Puts the answers to the sample requests into the document. `npm run openapi -- --examples` records
 * them.
 */
import type { createDocument } from 'zod-openapi'
import parameterExamples from './parameter-examples.json'

/** A sample request and its answer. */
export type Example = {
  operationId: string
  summary: string
  /** Values of the path and the query, by name. */
  parameters: Record<string, string>
  /** The JSON body. */
  body?: unknown
  /** The JSON answer. Absent for pictures. */
  answer?: unknown
}

type Document = ReturnType<typeof createDocument>
type Media = { examples?: Record<string, { summary: string; value: unknown }> }
type Parameter = { $ref?: string; name: string; schema?: { type?: string }; example?: unknown }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** Values of parameters that the sample requests leave out, by name or by operation and name. */
const optional: Record<string, unknown> = parameterExamples

/** Adds the examples to the operations and the parameters of the document. */
export function addExamples(document: Document, examples: readonly Example[]): void {
  const operations = Object.values(document.paths ?? {})
    .flatMap((methods): Operation[] => Object.values(methods))
    .flatMap((operation) => ('responses' in operation ? operation : []))
  for (const operation of operations) {
    const own = examples.filter(({ operationId }) => operationId === operation.operationId)
    for (const parameter of operation.parameters ?? []) addValue(operation, parameter, own[0])
    for (const [i, { summary, body, answer }] of own.entries()) {
      add(operation.requestBody?.content, `example${i + 1}`, summary, body)
      for (const status of [200, 201])
        add(operation.responses[status]?.content, `example${i + 1}`, summary, answer)
    }
  }
}

function addValue(
  { operationId }: Operation,
  parameter: Parameter,
  example: Example | undefined,
): void {
  if (parameter.$ref) return
  const { name, schema } = parameter
  const text = example?.parameters[name]
  if (text === undefined) parameter.example = optional[`${operationId}.${name}`] ?? optional[name]
  else if (schema?.type === 'array') parameter.example = text.split(',').map(Number)
  else if (schema?.type === 'string' || !/^\d+$/.test(text)) parameter.example = text
  else parameter.example = Number(text)
}

function add(
  content: Record<string, Media> | undefined,
  name: string,
  summary: string,
  value: unknown,
): void {
  const media = content?.['application/json']
  if (media && value !== undefined)
    media.examples = { ...media.examples, [name]: { summary, value } }
}
