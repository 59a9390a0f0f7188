import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { type Exchange, openGateway } from '../../../scripts/local/gateway.ts'
import { createTarget } from '../../../scripts/local/target.ts'
import { aFreePort } from '../../support/project.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A Worker that refuses everything, compressed if the client accepts it. */
async function aWorker(): Promise<string> {
  const server = createServer((request, response) => {
    const body = '{"code":"not_found","error":"there is no such order"}'
    if (!request.headers['accept-encoding']?.includes('gzip'))
      return response.writeHead(404).end(body)
    response.writeHead(404, { 'content-encoding': 'gzip' }).end(gzipSync(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('reports the text of an error to a client that accepts gzip', async () => {
  const reported = Promise.withResolvers<Exchange>()
  const port = Number(await aFreePort())
  const target = createTarget(await aWorker())
  const handlers = { target, control: async () => {}, report: reported.resolve }
  servers.push(...(await openGateway(port, handlers)))
  const response = await fetch(`http://localhost:${port}/x`)
  expect(await response.json()).toMatchObject({ code: 'not_found' })
  expect((await reported.promise).response?.body).toBe(
    '{"code":"not_found","error":"there is no such order"}',
  )
})
