/** Calls every operation of the API with the client. `call()` of other tests compares the answers of each. */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { document, resolved } from '../support/document.ts'
import { instance } from '../support/instance/instance.ts'

const client = createClient(instance)

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
)

it('has a method for each operation of the document, and no others', () => {
  const { waitForDelivery, pages, items, ...methods } = client
  expect(Object.keys(methods).sort()).toEqual(operations.map((one) => one.operationId).sort())
})

it.each(operations)('sends $operationId with its parameters and its body', async (operation) => {
  const sent: Request[] = []
  const recording = createClient({
    url: 'http://127.0.0.1',
    retry: { attempts: 1 },
    fetch: async (url, init) => {
      sent.push(new Request(url, init))
      return new Response(null, { status: 400 })
    },
  })
  const parameters = (operation.parameters ?? [])
    .map((one) => resolved<{ name: string; in: string }>(one))
    .filter((one) => one?.in !== 'header')
  const input = Object.fromEntries(parameters.map((one) => [one?.name, `a ${one?.name}`]))
  const [type = ''] = Object.keys(operation.requestBody?.content ?? {})
  const bodies: Record<string, unknown> = {
    'application/json': { field: 'é' },
    'multipart/form-data': { avatar: new Blob(['picture']) },
  }
  const body = bodies[type] ?? new Blob(['bytes'])
  const call = Reflect.get(recording, operation.operationId)
  await expect(call({ ...input, ...(type && { body }) })).rejects.toMatchObject({ status: 400 })

  const [request] = sent
  const { pathname, searchParams } = new URL(request?.url ?? '')
  expect(request?.method.toLowerCase()).toBe(operation.method)
  expect(decodeURIComponent(pathname)).toBe(operation.path.replace(/{(\w+)}/g, 'a $1'))
  expect(Object.fromEntries(searchParams)).toEqual(
    Object.fromEntries(
      parameters.flatMap((one) => (one?.in === 'query' ? [[one.name, `a ${one.name}`]] : [])),
    ),
  )
  const text = (await request?.text()) ?? ''
  if (type === 'application/json') expect(JSON.parse(text)).toEqual(body)
  else if (type === 'multipart/form-data') expect(text).toMatch(/name="avatar"[\s\S]*picture/)
  else expect(text).toBe(type ? 'bytes' : '')
})

it('uploads files as a form and as bytes, and downloads the picture', async () => {
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
