/** `npm run replay`, against the two endpoints that it uses. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { replayDeadLetters } from '../../scripts/transfers/replay.ts'

const server = createServer()
afterEach(() => void server.close())

async function anInstance(pages: Record<string, unknown>) {
  const asked: string[] = []
  server.on('request', ({ method, url, headers }, response) => {
    asked.push(`${method} ${url}`)
    const isAllowed = headers.authorization === 'Bearer master'
    response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isAllowed ? (pages[`${url}`] ?? {}) : { error: 'no' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

it('asks for another try of each dead letter, on every page', async () => {
  const list = '/api/admin/transfers?status=dead_lettered'
  const letter = (id: number) => ({ id, orderId: id, reason: 'why' })
  const { url, asked } = await anInstance({
    [list]: { transfers: [letter(1), letter(2)], nextCursor: '2' },
    [`${list}&cursor=2`]: { transfers: [letter(3)], nextCursor: null },
  })
  const lines: string[] = []
  expect(await replayDeadLetters(url, 'master', (line) => lines.push(line))).toBe(3)
  expect(lines).toEqual([1, 2, 3].map((id) => `transfer ${id} of order ${id}: why`))
  expect(asked).toEqual([
    `GET ${list}`,
    'POST /api/admin/transfers/1/retry',
    'POST /api/admin/transfers/2/retry',
    `GET ${list}&cursor=2`,
    'POST /api/admin/transfers/3/retry',
  ])
  await expect(replayDeadLetters(url, 'another', () => {})).rejects.toThrow('401')
})
