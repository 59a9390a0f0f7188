/** Compares responses to the OpenAPI document. `call` does it for each response of each test. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import openapi from '../../docs/openapi.json'
import { listEndpoints } from '../../scripts/build/openapi/list.ts'
import app from '../../src/app.ts'

type Reference = { $ref: string }
type Examples = Record<string, { summary?: string; value: unknown }>
type Content = { schema?: object; examples?: Examples }
type Body = { description?: string; content?: Record<string, Content> }
type Header = { description?: string; required?: boolean; schema?: object }
type DocumentedResponse = Body & {
  headers?: Record<string, Header | Reference>
}
type Parameter = {
  name: string
  in: string
  schema: object
  description?: string
  required?: boolean
  example?: unknown
}
type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters?: (Parameter | Reference)[]
  requestBody?: Body
  responses: Record<string, DocumentedResponse | Reference>
}

export type Document = {
  info: { contact: { name: string; url: string }; license: { name: string; identifier: string } }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description: string }[]
  components: {
    schemas: Record<string, { description?: string; properties?: object; required?: string[] }>
    headers: Record<string, Header>
    parameters: Record<string, Parameter>
    responses: Record<string, DocumentedResponse>
  }
}

export const document: Document = openapi

/** The fields of a resource. */
export const documentedFields = (component: string): string[] =>
  Object.keys(document.components.schemas[component]?.properties ?? {})

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'document')

/** Headers are texts, of which some stand for numbers. */
const headerAjv = new Ajv2020({ strict: false, coerceTypes: true })
addFormats.default(headerAjv)

/** Throws an error that says how the response differs from the document. */
export async function assertDocumented(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url)
  const problem = await explainInvalidToken(request.method, pathname, response)
  if (problem)
    throw new Error(`${request.method} ${pathname} answered ${response.status}: ${problem}`)
}

/** Statuses that every path may have. */
const commonStatuses = new Set([400, 403, 404, 429])

async function explainInvalidToken(method: string, path: string, response: Response) {
  const caching = cachingProblem(response)
  if (caching) return caching
  if (method === 'OPTIONS') return response.status === 204 ? null : 'OPTIONS must get 204'
  const template = document.paths[path]
    ? path
    : Object.keys(document.paths).find((candidate) => matches(candidate, path))
  if (!template)
    return isPage(path) || commonStatuses.has(response.status)
      ? null
      : 'the document does not have this path'
  const key = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = document.paths[template]?.[key]
  if (!operation && isBroken(path)) return response.status === 400 ? null : 'it must get 400'
  if (!operation)
    return response.status === 405 && response.headers.has('allow')
      ? null
      : 'a method that the document does not have must get 405 with Allow'
  const documented = resolved(operation.responses[response.status])
  if (!documented) return 'the document does not have this status'
  return headerProblem(documented, response) ?? bodyProblem(documented, method, response)
}

/** Cloudflare's cache gives a public response to every caller. */
const ownHeaders = ['x-request-id', 'x-d1-bookmark', 'server-timing', 'set-cookie', 'retry-after']

/** Returns what is wrong with how a response may be cached, or null. */
function cachingProblem({ headers }: Response): string | null {
  const caching = headers.get('cache-control') ?? 'nothing'
  if (caching === 'private, no-store')
    return headers.get('x-request-id') ? null : 'x-request-id is missing'
  if (!/^public, max-age=([1-9]\d*), stale-if-error=\1(, immutable)?$/.test(caching))
    return `caching: ${caching}`
  const own = ownHeaders.filter((name) => headers.has(name))
  return own.length > 0 ? `${own.join()} of one request, in a public response` : null
}

/** Returns the error codes that the description of a status lists. */
export const codesOf = ({ description = '' }: DocumentedResponse): string[] =>
  [...description.matchAll(/^`(\w+)`: /gm)].map(([, code = '']) => code)

/** Returns whether a path matches a template, as `/a/1` matches `/a/{id}`. */
/** Whether a path has a percent sign that escapes nothing. */
function isBroken(path: string): boolean {
  try {
    decodeURIComponent(path)
    return false
  } catch {
    return true
  }
}

function matches(template: string, path: string): boolean {
  const [expected, actual] = [template.split('/'), path.split('/')]
  return (
    expected.length === actual.length &&
    expected.every((segment, i) => segment === actual[i] || (/^\{/.test(segment) && actual[i]))
  )
}

const pages = listEndpoints(app)
  .filter(({ access }) => access !== null)
  .map(({ path }) => path.replace(/:\w+/g, '{}'))

/** Returns whether the path is a page or redirect, which the document leaves out. */
const isPage = (path: string) => pages.some((pattern) => matches(pattern, path))

/** Follows a `$ref`. */
export function resolved<T extends object>(value: T | Reference | undefined): T | undefined {
  if (!value || !('$ref' in value)) return value
  return value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => Reflect.get(Object(at), key), document) as T
}

function headerProblem(documented: DocumentedResponse, response: Response): string | null {
  for (const [name, reference] of Object.entries(documented.headers ?? {})) {
    const header = resolved(reference)
    const value = response.headers.get(name)
    if (value === null && header?.required) return `${name} is missing`
    if (value !== null && header?.schema && !headerAjv.validate(header.schema, value))
      return `${name}: ${ajv.errorsText()}`
  }
  return null
}

async function bodyProblem(documented: DocumentedResponse, method: string, response: Response) {
  const body = await response.arrayBuffer()
  if (method === 'HEAD' || !documented.content)
    return body.byteLength === 0 ? null : 'the body must be empty'
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const content = documented.content[type]
  if (!content) return `the document does not have the type ${type || '(none)'}`
  if (type !== 'application/json') return null
  const validate = validatorOf(content.schema)
  const json = JSON.parse(new TextDecoder().decode(body))
  if (!validate(json)) return ajv.errorsText(validate.errors, { dataVar: 'body' })
  const isListed = response.status < 400 || codesOf(documented).includes(json.code)
  return isListed ? null : `the document does not have the code ${json.code}`
}

/** Returns how a value violates a schema of the document, or null if it is valid. */
export function problemWith(schema: object | undefined, value: unknown): string | null {
  const validate = validatorOf(schema)
  return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'value' })
}

const validators = new WeakMap<object, ReturnType<typeof ajv.compile>>()

function validatorOf(schema: object = {}) {
  const known = validators.get(schema)
  if (known) return known
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
  const validate = ajv.compile(JSON.parse(text))
  validators.set(schema, validate)
  return validate
}
