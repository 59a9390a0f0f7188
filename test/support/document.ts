/** Holds every answer of every test against the OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import app from '../../src/app.ts'
import { doorsOf } from '../../src/http/door.ts'
import { documentOf } from '../../src/http/openapi/document.ts'

export type Document = ReturnType<typeof documentOf>
type Reference = { $ref: string }
type Header = { required?: boolean; schema?: object }
type Answer = { headers?: Record<string, Header | Reference>; content?: Record<string, object> }
type Operation = { responses: Record<string, Answer | Reference> }

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** The document as it is served. */
export const document: Document = JSON.parse(
  JSON.stringify(documentOf(doorsOf(app), 'https://marketplace.test')),
)
ajv.addSchema(document, 'document')

/** Throws an error that says how the answer differs from what the document promises. */
export async function assertDocumented(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url)
  const problem = await problemOf(request.method, pathname, response)
  if (problem)
    throw new Error(`${request.method} ${pathname} answered ${response.status}: ${problem}`)
}

/** What a request may get wherever it goes. */
const anywhere = new Set([400, 403, 404, 429])

async function problemOf(method: string, path: string, response: Response) {
  if (!response.headers.get('x-request-id')) return 'without x-request-id'
  if (method === 'OPTIONS') return response.status === 204 ? null : 'OPTIONS wants 204'
  const template = Object.keys(document.paths ?? {}).find((candidate) => fits(candidate, path))
  if (!template) return isPage(path) || anywhere.has(response.status) ? null : 'not in the document'
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation: Operation | undefined = Reflect.get(document.paths?.[template] ?? {}, verb)
  if (!operation)
    return response.status === 405 && response.headers.has('allow') ? null : 'wants 405 with Allow'
  const answer = resolved(operation.responses[response.status])
  if (!answer) return 'a status that is not in the document'
  return headerProblem(answer, response) ?? bodyProblem(answer, method, response)
}

/** Whether a path is one of a template, as `/a/1` is of `/a/{id}`. */
function fits(template: string, path: string): boolean {
  const [expected, actual] = [template.split('/'), path.split('/')]
  return (
    expected.length === actual.length &&
    expected.every((segment, i) => segment === actual[i] || (/^\{/.test(segment) && actual[i]))
  )
}

/** Pages are for people, and not in the document. */
const isPage = (path: string) =>
  doorsOf(app).some(
    ({ about, path: pattern }) =>
      typeof about?.answer === 'string' && fits(pattern.replace(/:\w+(\{[^/]*\})?/g, '{}'), path),
  )

/** What `$ref` points to. */
export function resolved<T extends object>(value: T | Reference | undefined): T | undefined {
  if (!value || !('$ref' in value)) return value
  return value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => Reflect.get(Object(at), key), document) as T
}

function headerProblem(answer: Answer, response: Response): string | null {
  for (const [name, reference] of Object.entries(answer.headers ?? {})) {
    const header = resolved(reference)
    const value = response.headers.get(name)
    if (value === null && header?.required) return `without ${name}`
    if (value !== null && header?.schema && !ajv.validate(header.schema, value))
      return `${name}: ${ajv.errorsText()}`
  }
  return null
}

async function bodyProblem(answer: Answer, method: string, response: Response) {
  const body = await response.arrayBuffer()
  if (method === 'HEAD' || !answer.content) return body.byteLength === 0 ? null : 'with a body'
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const content = answer.content[type]
  if (!content) return `the type ${type || '(none)'} is not in the document`
  if (type !== 'application/json') return null
  const validate = validatorOf(content)
  if (validate(JSON.parse(new TextDecoder().decode(body)))) return null
  return ajv.errorsText(validate.errors, { dataVar: 'body' })
}

/** What is wrong with a value of a schema of the document; null when nothing is. */
export function problemWith(schema: object | undefined, value: unknown): string | null {
  const validate = validatorOf({ schema })
  return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'value' })
}

const validators = new WeakMap<object, ReturnType<typeof ajv.compile>>()

function validatorOf(content: { schema?: object | undefined }) {
  const known = validators.get(content)
  if (known) return known
  const schema = JSON.parse(
    JSON.stringify(content.schema ?? {}).replaceAll('"#/components/', '"document#/components/'),
  )
  const validate = ajv.compile(schema)
  validators.set(content, validate)
  return validate
}
