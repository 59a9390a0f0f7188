/** The requests to endpoints of webhooks, in the OpenAPI document. */
import { expect, it } from 'vitest'
import openapi from '../../../docs/openapi.json'
import { eventTexts, webhookEvents } from '../../../src/db/schema/webhooks.ts'
import { problemWith, resolved } from '../../support/document.ts'

const { webhooks } = openapi

type Body = { properties: { type: { const: string }; data: { $ref: string } } }

it('has each event', () => {
  expect(Object.keys(webhooks)).toEqual(webhookEvents)
})

it.each(webhookEvents)('describes %s', (type) => {
  const { summary, parameters, requestBody, responses } = webhooks[type].post
  expect(summary).toBe(eventTexts[type].meaning)
  const names = parameters.map((parameter) => resolved<{ name?: string }>(parameter)?.name)
  expect(names).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  const { schema, examples } = requestBody.content['application/json']
  expect(examples.example1.value.type).toBe(type)
  expect(problemWith(schema, examples.example1.value)).toBeNull()
  const body = resolved<Body>(schema)
  expect(body?.properties.type.const).toBe(type)
  const [kind = ''] = type.split('.')
  const data = { order: 'Order', alarm: 'Alarm', webhook: 'Test' }[kind]
  expect(body?.properties.data.$ref).toBe(`#/components/schemas/${data}EventData`)
  const answers = 'content' in responses['2XX'] ? Object.keys(responses['2XX'].content) : []
  expect(answers).toEqual(type === 'webhook.test' ? ['text/plain'] : [])
})
