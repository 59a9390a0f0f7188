/** The examples of errors in the OpenAPI document are answers to requests that fail. */
import { expect, it, vi } from 'vitest'
import { errorStatus } from '../../src/http/errors.ts'
import { failEveryWay } from './failures.ts'
import { stable } from './stable.ts'

it('has an answer with each error code as an example', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const lines: string[] = []
  for (const [code, response] of await failEveryWay()) {
    const { orders: _, ...body } = await response.json<{ code: string; orders?: null }>()
    expect([code, response.status, body]).toEqual([
      code,
      Reflect.get(errorStatus, code),
      expect.objectContaining({ code }),
    ])
    lines.push(`${JSON.stringify(code)}: ${JSON.stringify(body)}`)
  }
  expect(lines).toHaveLength(Object.keys(errorStatus).length)
  const text = stable(`{\n${lines.join(',\n')}\n}\n`).replaceAll(
    'https://marketplace.test',
    'https://marketplace.example.com',
  )
  await expect(text).toMatchFileSnapshot('../../scripts/build/openapi/error-examples.json')
})
