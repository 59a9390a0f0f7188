/** Renders the operations of the OpenAPI document: the reference of `/docs`. */
import type { Oas3_1Schema as Schema } from '@redocly/openapi-core'
import { raw } from 'hono/html'
import { renderInline, renderMarkdown } from './markdown.ts'
import { FILE_URL } from './pages.ts'

type Media = { schema: Schema; examples?: Record<string, { summary: string; value: unknown }> }
type Content = Record<string, Media>
type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}
type Operation = {
  deprecated?: boolean
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
type Endpoint = { path: string; method: string; operation: Operation }

export type OpenApi = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: Record<string, Record<string, object>>
}

export type Section = ReturnType<typeof aSection>

/** Returns the sections of the reference: a tag each, and the events. */
export function operationSections(document: OpenApi): Section[] {
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: resolved(document, operation),
    })),
  )
  const tags = document.tags.map(({ name, description }) =>
    aSection(
      name,
      // The guides say the rest.
      description.split('\n\n')[0] ?? '',
      endpoints.filter(({ operation }) => operation.tags.includes(name)).map(describeEndpoint),
    ),
  )
  const events = Object.entries(resolved(document, document.webhooks))
  const intro =
    'The bodies that are sent to your endpoints, and that [List events](/docs#listEvents) returns.'
  return [...tags, aSection('Events', intro, events.map(describeEvent))]
}

/** Returns the page of a tag. The introduction is Markdown, and the id that in `/docs#orders`. */
function aSection(name: string, intro: string, operations: Described[]) {
  const id = name.toLowerCase()
  return { name, id, path: `/docs/api-${id}`, intro, operations }
}

type Described = ReturnType<typeof describeEndpoint>

/** Names an operation for navigation and search. */
function describeEndpoint(endpoint: Endpoint) {
  const { path, method, operation } = endpoint
  const { operationId: id, summary: title, description, parameters = [], requestBody } = operation
  const [body] = Object.values(requestBody?.content ?? {})
  const names = parameters.map(({ name }) => name)
  return {
    id,
    title,
    place: `${method} ${path}`,
    text: [id, path, description, ...names, ...fieldNames(body?.schema)].join(' '),
    html: `${<OperationDetails {...endpoint} />}`,
  }
}

const describeEvent = ([type, { post }]: EventItem): Described => ({
  id: post.operationId,
  title: post.summary,
  place: type,
  text: `${type} ${post.description}`,
  html: `${<EventDetails type={type} post={post} />}`,
})

const fieldNames = (schema: Schema = {}): string[] =>
  objectsIn(schema).flatMap(({ properties = {} }) => Object.keys(properties))

/** Returns the HTML of a section. */
export const renderOperations = ({ name, intro, operations }: Section): string =>
  [
    <h1>{name}</h1>,
    raw(renderMarkdown(intro)),
    <Token />,
    ...operations.map(({ html }) => raw(html)),
  ]
    .map((part) => `${part}\n`)
    .join('')

/** The operations of all sections. Their ids are those of links from before each had a page. */
export const OperationLinks = ({ sections }: { sections: readonly Section[] }) => (
  <>
    {sections.map(({ name, id, path, operations }) => (
      <section class="operations" aria-labelledby={id}>
        <h3 id={id}>
          <a href={path}>{name}</a>
        </h3>
        <ul>
          {operations.map((operation) => (
            <li id={operation.id}>
              <a href={`${path}#${operation.id}`}>{operation.title}</a>{' '}
              <code class="code">{operation.place}</code>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </>
)

/** The token that requests carry. `reference.js` shows it. */
const Token = () => (
  <section class="panel token" id="authorization" aria-labelledby="token-title" hidden>
    <h2 id="token-title">Try it with your token</h2>
    <div class="inline-form">
      <div class="field wide">
        <label for="token">Token</label>
        <input
          id="token"
          class="code"
          autocomplete="off"
          spellcheck={false}
          placeholder="Paste a token"
          aria-describedby="token-hint"
        />
      </div>
      <button class="button" type="button" id="get-token">
        Get a token for one hour
      </button>
      <button class="button" type="button" id="copy-token" hidden>
        Copy
      </button>
    </div>
    <p class="hint" id="token-hint">
      Without a token, requests of this page use your session. A token is kept until you leave this
      page.
    </p>
    <p class="status" role="status" id="token-status" />
  </section>
)

/** Returns a part of the document with the components that it refers to. */
function resolved<T>(document: OpenApi, part: T): T {
  if (Array.isArray(part)) return part.map((each) => resolved(document, each)) as T
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as { $ref?: string }
  const [kind = '', name = ''] = $ref?.split('/').slice(2) ?? []
  const whole = { ...document.components[kind]?.[name], ...rest }
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [
      key,
      key === 'examples' ? value : resolved(document, value),
    ]),
  ) as T
}

/** The fields stand beside the sample where there is room. */
const OperationDetails = ({ path, method, operation }: Endpoint) => {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const { 200: ok, 204: empty, ...others } = responses
  const answer = ok ?? empty
  const [answerBody] = Object.values(answer?.content ?? {})
  return (
    <details class="operation">
      <summary>
        <h2>
          {summary}
          {operation.deprecated && ' (deprecated)'}
        </h2>
        <code class="code">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> {path}
        </code>
      </summary>
      {/* A link to an element within opens the details. */}
      <div id={operationId} class="columns">
        <div>
          {raw(renderMarkdown(description))}
          <form class="request" data-method={method} data-path={path}>
            {parameters?.map((parameter) => (
              <ParameterField id={`${operationId}.${parameter.name}`} {...parameter} />
            ))}
            {type && body && <BodyField id={`${operationId}.body`} type={type} {...body} />}
            <button class="button" type="submit" hidden>
              Send<span class="visually-hidden"> the request: {summary}</span>
            </button>
            <output />
          </form>
        </div>
        <div class="sample">
          {raw(renderMarkdown(programs({ path, method, operation })))}
          {Object.values(answerBody?.examples ?? {}).map(({ summary, value }) => (
            <details>
              <summary>Example: {summary}</summary>
              <pre class="code" tabindex={0}>
                <code>{JSON.stringify(value, null, 2)}</code>
              </pre>
            </details>
          ))}
        </div>
        <div>
          {body && <Fields name="Fields of the body" schema={body.schema} />}
          <h3>Answer</h3>
          {raw(renderMarkdown(answer?.description ?? ''))}
          {answerBody && <Fields name="Fields of the answer" schema={answerBody.schema} />}
          <h3>Errors</h3>
          <ul>
            {Object.entries(others).map(([status, { description }]) => (
              <li>
                {status}: {raw(renderInline(errorCodes(description)))}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </details>
  )
}

type EventItem = [type: string, item: { post: Operation }]

/** What is sent to endpoints of webhooks. The section of these has the requests. */
const EventDetails = ({ type, post }: { type: string; post: Operation }) => (
  <details class="operation">
    <summary>
      <h2>{post.summary}</h2>
      <code class="code">{type}</code>
    </summary>
    <div id={post.operationId}>
      {raw(renderMarkdown(post.description))}
      <Fields
        name="Fields of the body"
        schema={post.requestBody?.content['application/json']?.schema ?? {}}
      />
    </div>
  </details>
)

const ParameterField = ({ id, ...parameter }: Parameter & { id: string }) => {
  const { name, required, description = '', schema, example } = parameter
  const value = example === undefined ? '' : String(example)
  return (
    <div class="field">
      <label for={id}>
        <code class="code">{name}</code>{' '}
        <span class="hint">
          {describeType(schema)}, {parameter.in}
          {required ? ', required' : ''}
        </span>
      </label>
      <input
        id={id}
        name={name}
        class="code"
        data-in={parameter.in}
        required={required}
        value={required ? value : ''}
        placeholder={value}
        autocomplete="off"
        aria-describedby={`${id}-hint`}
      />
      <span class="hint" id={`${id}-hint`}>
        {raw(renderInline(description))}
      </span>
    </div>
  )
}

const BodyField = ({ id, type, schema, examples = {} }: Media & { id: string; type: string }) => {
  const [example] = Object.values(examples)
  const [part] = type === 'multipart/form-data' ? Object.keys(schema.properties ?? {}) : []
  return (
    <div class="field">
      <label for={id}>
        Body <span class="hint">{type}</span>
      </label>
      {type === 'application/json' ? (
        <textarea id={id} name="body" class="code" data-type={type} spellcheck={false}>
          {JSON.stringify(example?.value, null, 2)}
        </textarea>
      ) : (
        <input id={id} type="file" name="body" data-type={type} data-part={part} />
      )}
    </div>
  )
}

type FieldsProps = { name: string; schema: Schema }

/** The fields of an object, of the objects in a list, or of each of several kinds of object. */
const Fields = ({ name, schema }: FieldsProps) => {
  const objects = objectsIn(schema)
  if (objects.length === 0) return null
  return (
    <details>
      <summary>{name}</summary>
      {objects.map(({ properties = {}, required = [] }) => (
        <dl class="properties">
          {Object.entries<Schema>(properties).map(([key, property]) => (
            <div>
              <dt>
                <code class="code">{key}</code>{' '}
                <span class="hint">
                  {describeType(property)}
                  {required.includes(key) ? '' : ', optional'}
                </span>
              </dt>
              <dd>
                {raw(renderInline(property.description ?? ''))}
                <Fields name={`Fields of ${key}`} schema={property} />
              </dd>
            </div>
          ))}
        </dl>
      ))}
    </details>
  )
}

/** Returns the schemas of objects with fields that the schema stands for. */
function objectsIn(schema: Schema): Schema[] {
  if (schema.properties) return [schema]
  const { items, additionalProperties, anyOf = [], allOf = [] } = schema
  const values = [items, additionalProperties].filter((value) => typeof value === 'object')
  return [...values, ...anyOf, ...allOf].flatMap(objectsIn)
}

/** `integer, 1 to 100`. */
function describeType(schema: Schema): string {
  const { anyOf, allOf, enum: values, const: value, items, format } = schema
  if (anyOf ?? allOf) return (anyOf ?? allOf ?? []).map(describeType).join(' or ')
  if (value !== undefined) return JSON.stringify(value)
  if (values) return values.map((each) => JSON.stringify(each)).join(' or ')
  const name = [schema.type ?? 'any'].flat().join(' or ')
  const kind = typeof items === 'object' ? `${name} of ${describeType(items)}` : name
  const { default: preset, maximum } = schema
  return [
    kind,
    format !== 'int64' && format,
    range(schema.minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' elements'),
    preset !== undefined && `${JSON.stringify(preset)} by default`,
    schema.deprecated && 'deprecated',
  ]
    .filter(Boolean)
    .join(', ')
}

function range(minimum: number | undefined, maximum: number | undefined, unit: string): string {
  if (maximum === undefined) return minimum === undefined ? '' : `at least ${minimum}${unit}`
  return minimum === undefined ? `at most ${maximum}${unit}` : `${minimum} to ${maximum}${unit}`
}

/** Returns links to the codes that the description of an error status explains. */
function errorCodes(description: string): string {
  const codes = [...description.matchAll(/^`(\w+)`:/gm)]
  return codes.map(([, code]) => `[${code}](/docs/errors#${code})`).join(', ') || description
}

/** Returns Markdown with programs that send the request of the example. */
function programs({ path, method, operation }: Endpoint): string {
  const { operationId, parameters = [], requestBody, security } = operation
  const [[type = '', body] = []] = Object.entries(requestBody?.content ?? {})
  const json = Object.values(body?.examples ?? {})[0]?.value
  const given = Object.fromEntries(
    parameters.filter(({ required }) => required).map(({ name, example }) => [name, example]),
  )
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name) => String(given[name])),
    FILE_URL,
  )
  for (const { name, in: place } of parameters)
    if (place === 'query' && name in given) url.searchParams.set(name, String(given[name]))
  const curl = [`curl '${url}'`]
  if (method !== (json === undefined ? 'GET' : 'POST')) curl.push(`-X ${method}`)
  if (security.length > 0) curl.push('-H "Authorization: Bearer $TOKEN"')
  if (json !== undefined) curl.push("-H 'Content-Type: application/json'")
  if (json !== undefined)
    curl.push(`-d '${JSON.stringify(json, null, 2).replaceAll("'", "'\\''")}'`)
  else if (type === 'multipart/form-data')
    curl.push(`-F ${Object.keys(body?.schema.properties ?? {})[0]}=@file`)
  else if (type) curl.push('--data-binary @file')
  const programs = [`\`\`\`sh ${operationId}\n${curl.join(' \\\n  ')}\n\`\`\``]
  if (!type || json !== undefined) {
    const input = { ...given, ...(json !== undefined && { body: json }) }
    const argument = Object.keys(input).length > 0 ? JSON.stringify(input, null, 2) : ''
    programs.push(`\`\`\`ts ${operationId}
import { createClient } from '@marketplace-api/marketplace'

const client = createClient({ url: '${FILE_URL}', token: process.env.TOKEN ?? '' })
console.log(await client.${operationId}(${argument}))
\`\`\``)
  }
  return programs.join('\n\n')
}
