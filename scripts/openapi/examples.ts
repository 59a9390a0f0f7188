/** Puts the calls of a real run into the document. `npm run openapi -- --examples` makes them. */
import type { createDocument } from 'zod-openapi'
import type { ErrorCode } from '../../src/http/errors.ts'

/** A call and its answer. */
export type Example = {
  operationId: string
  /** Unique among the answers of the operation with this status. */
  name: string
  summary: string
  /** Values of the path, the query and the headers, by name. */
  parameters?: Record<string, unknown>
  /** The JSON body. */
  body?: unknown
  status: number
  /** The JSON answer. Absent for pictures. */
  answer?: unknown
}

type Document = ReturnType<typeof createDocument>
type Media = { examples?: Record<string, { summary: string; value: unknown }> }
type Response = { $ref?: string; content?: Record<string, Media> }
type Parameter = { $ref?: string; name: string; example?: unknown }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}

/** Adds the examples to the operations, parameters and error responses of the document. */
export function addExamples(document: Document, examples: readonly Example[]): void {
  const operations = Object.values(document.paths ?? {})
    .flatMap((methods): Operation[] => Object.values(methods))
    .flatMap((operation) => ('responses' in operation ? operation : []))
  for (const example of examples) {
    const operation = operations.find(({ operationId }) => operationId === example.operationId)
    if (!operation) throw new Error(`There is no operation ${example.operationId}.`)
    const response = resolve(document, operation.responses[example.status])
    if (example.status >= 400) addError(response, example)
    else addCall(document, operation, response, example)
  }
}

function addCall(document: Document, operation: Operation, response: Response, call: Example) {
  for (const reference of operation.parameters ?? []) {
    const parameter = resolve(document, reference)
    const value = call.parameters?.[parameter.name]
    if (value !== undefined) parameter.example ??= value
  }
  if (call.body !== undefined)
    add(operation.requestBody?.content['application/json'], call.name, call.summary, call.body)
  if (call.answer !== undefined)
    add(response.content?.['application/json'], call.name, call.summary, call.answer)
}

/** Several operations may share the response: the first example of each code is shown. */
function addError(response: Response, { summary, answer }: Example): void {
  const { code } = answer as { code: ErrorCode }
  add(response.content?.['application/json'], code, summary, answer)
}

function add(media: Media | undefined, name: string, summary: string, value: unknown): void {
  if (!media) throw new Error(`The document has no JSON for the example "${summary}".`)
  media.examples = { ...media.examples, [name]: media.examples?.[name] ?? { summary, value } }
}

/** Follows a `$ref`. */
function resolve<T extends { $ref?: string }>(document: Document, value: T | undefined): T {
  if (!value) throw new Error('The document lacks the status of an example.')
  if (!value.$ref) return value
  const keys = value.$ref.split('/').slice(1)
  return keys.reduce<unknown>((at, key) => Reflect.get(Object(at), key), document) as T
}
