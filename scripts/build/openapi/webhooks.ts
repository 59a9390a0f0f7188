/** The requests that the marketplace sends to endpoints of webhooks, for receivers. */
import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { eventTexts, type WebhookEvent } from '../../../src/db/schema/webhooks.ts'
import recorded from './event-examples.json'
import { eventBodies } from './events.ts'

/** A new event has none until they are recorded. */
const examples: Partial<Record<WebhookEvent, object>> = recorded

const header = (name: string, id: string, description: string) =>
  z.string().meta({ description, param: { in: 'header', name, id } })

/** Headers of every message. */
const parameters = [
  header('webhook-id', 'WebhookId', 'Id of the event, the same in every attempt: `evt_…`.'),
  header('webhook-timestamp', 'WebhookTimestamp', 'Time of this attempt, in seconds since 1970.'),
  header(
    'webhook-signature',
    'WebhookSignature',
    'A signature for each secret: `v1,` and the HMAC-SHA-256 of id, timestamp and body in base64, ' +
      'as Standard Webhooks has it. Two are separated by a blank.',
  ),
]

const description = 'Sent to the endpoints that have chosen it.'
const testDescription =
  'Sent to each endpoint: when its URL is new, and when its owner asks for it. Until the URL has ' +
  'answered with the challenge, it gets nothing else.'

const accepted = { description: 'The message is accepted.' }
const challenge = z.string().describe('`data.challenge` of the request.')

const operationOf = (type: WebhookEvent, body: z.ZodType): ZodOpenApiOperationObject => ({
  tags: ['Webhooks'],
  summary: eventTexts[type].meaning,
  description: type === 'webhook.test' ? testDescription : description,
  operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
  security: [],
  parameters,
  requestBody: {
    required: true,
    description: body.description ?? '',
    content: {
      'application/json': {
        schema: body,
        examples: { example1: { summary: eventTexts[type].meaning, value: examples[type] } },
      },
    },
  },
  responses: {
    '2XX':
      type === 'webhook.test'
        ? {
            description: 'The message is accepted. The challenge as the body verifies the URL.',
            content: { 'text/plain': { schema: challenge } },
          }
        : accepted,
    410: { description: 'Nothing more is wanted: the endpoint is disabled.' },
    default: { description: 'The attempt failed. The next one is not before `Retry-After`.' },
  },
})

/** Returns an entry for each event. */
export const webhooks = (): ZodOpenApiPathsObject =>
  Object.fromEntries(
    eventBodies.map((body) => [
      body.shape.type.value,
      { post: operationOf(body.shape.type.value, body) },
    ]),
  )
