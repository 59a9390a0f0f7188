/**
 * Puts the answers to the sample requests into the document. `npm run openapi -- --examples` records
 * them.
 */
import type { createDocument } from 'zod-openapi'

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
const optional: Record<string, unknown> = {
  after: 'evt_1772442120000000',
  amountType: 'unlimited',
  buyerId: 3,
  buyerUserId: 3,
  code: 'recipient_rejects',
  commit: 'true',
  createdFrom: '2026-03-01T00:00:00Z',
  createdTo: '2026-04-01T00:00:00Z',
  cursor: '1000',
  deliveryStatus: 'awaiting_wallet',
  dryRun: 'true',
  'idempotency-key': 'checkout-1001',
  fields: 'summary',
  import: '5d3c0f0e-6f0c-4d5e-9b1a-2f7c8d9e0a1b',
  limit: 10,
  active: 'true',
  creatorId: 2,
  q: 'Moon',
  sellerId: 2,
  updatedSince: '2026-03-02T09:00:00Z',
  line: 1,
  'listListings.cursor': 'eyJrZXkiOiIiLCJpZCI6MjAsInRhcmdldCI6MjB9',
  'listNfts.cursor': 'eyJrZXkiOiIiLCJpZCI6MjAsInRhcmdldCI6MjB9',
  'listWebhookMessages.cursor': 'evt_1772442120000000',
  'listWebhooks.cursor': '3db104a9-dc47-463e-8322-6d0b25c4cabf',
  providerId: 'A-1001',
  since: '2026-03-02T09:00:00Z',
  source: 'Shop',
  state: 'delivered',
  status: 'failed',
  type: 'billing',
  updatedFrom: '2026-03-02T09:00:00Z',
}

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
