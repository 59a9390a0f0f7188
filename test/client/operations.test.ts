/** Each method of the client sends what the document describes, and reads what it promises. */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import recorded from '../../scripts/build/openapi/examples.json'
import type { Example } from '../../scripts/build/openapi/examples.ts'
import { document, resolved } from '../support/document.ts'
import { instance } from '../support/instance/instance.ts'

const examples: Example[] = recorded

/** How a body is sent: as JSON, as a form, or as bytes of whatever type. */
function typeOf(content: object = {}): string | undefined {
  const [type] = Object.keys(content)
  const isEncoded = type === 'application/json' || type === 'multipart/form-data'
  return isEncoded ? type : type && 'application/octet-stream'
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    id: operation.operationId,
    path,
    method: method.toUpperCase(),
    type: typeOf(operation.requestBody?.content),
    responses: operation.responses,
  })),
)

/** Files, which the examples do not have. */
const files: Record<string, unknown> = {
  'multipart/form-data': { avatar: new Blob(['picture']) },
  'application/octet-stream': new TextEncoder().encode('picture'),
}

/** Returns what a sample request has, and its parameters as they are in the path and in the query. */
function exampleOf(id: string, path: string, type = '') {
  const example = examples.find(({ operationId }) => operationId === id)
  const { parameters = {}, answer } = example ?? {}
  const body = example?.body ?? files[type]
  const query = new URLSearchParams(parameters)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = query.get(name) ?? ''
    query.delete(name)
    return encodeURIComponent(value)
  })
  const url = query.size > 0 ? `${filled}?${query}` : filled
  return { input: body ? { ...parameters, body } : parameters, body, url, answer }
}

const { waitForDelivery, pages, items, ...methods } = createClient(instance)

it('has a method for each operation of the document, and no others', () => {
  expect(Object.keys(methods).sort()).toEqual(operations.map(({ id }) => id).sort())
})

it.each(operations)('$id sends the sample request, and returns its answer', async (operation) => {
  const { id, path, method, type, responses } = operation
  const { input, body, url, answer } = exampleOf(id, path, type)
  const status = responses[204] ? 204 : 200
  const [media = ''] = Object.keys(resolved(responses[status] ?? {})?.content ?? {})
  const sent: Request[] = []
  const client = createClient({
    url: 'https://marketplace.test',
    fetch: async (target, init) => {
      sent.push(new Request(target, init))
      if (status === 204) return new Response(null, { status })
      const text = answer ? JSON.stringify(answer) : 'picture'
      return new Response(text, { headers: { 'content-type': media } })
    },
  })
  const result = await Reflect.get(client, id)(input)
  const [request] = sent
  expect(`${request?.method} ${request?.url}`).toBe(`${method} https://marketplace.test${url}`)
  expect(request?.headers.get('content-type')?.split(';')[0]).toBe(type)
  if (type === 'application/json') expect(await request?.json()).toEqual(body)
  else if (type === 'multipart/form-data')
    expect(
      await Object(await request?.formData())
        .get('avatar')
        .text(),
    ).toBe('picture')
  else if (type) expect(await request?.text()).toBe('picture')
  if (status === 204) expect(result).toBeUndefined()
  else if (answer) expect(result).toMatchObject(answer)
  else expect(await result.text()).toBe('picture')
})

it('uploads files as a form and as bytes, and downloads the picture', async () => {
  const client = createClient(instance)
  const picture = new Uint8Array(await readFile('test/avatars/fixtures/phone.jpg'))
  const before = await client.getAvatar({ user_id: 2 })
  const body = { avatar: new Blob([picture]) }
  const { avatarUrl } = await client.uploadAvatarFile({ user_id: 2, body })
  expect(avatarUrl).not.toBe(before.avatarUrl)
  expect(await client.uploadAvatarBytes({ user_id: 2, body: picture })).toEqual({ avatarUrl })
  const name = avatarUrl.replace(/.*\//, '')
  const file = await client.getPicture({ user_id: '2', picture: name })
  expect(file.type).toBe('image/jpeg')
  expect([...new Uint8Array(await file.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0xd8])
})
