import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { type Exchange, openGateway } from '../../../scripts/local/gateway.ts'
import { createTarget } from '../../../scripts/local/target.ts'
import { aFreePort } from '../../support/project.ts'
import { serve } from '../../support/server.ts'

/** A Worker that refuses everything, compressed if the client accepts it. */
const aWorker = () =>
  serve((request, response) => {
    const body = '{"code":"not_found","error":"there is no such order"}'
    if (!request.headers['accept-encoding']?.includes('gzip'))
      return response.writeHead(404).end(body)
    response.writeHead(404, { 'content-encoding': 'gzip' }).end(gzipSync(body))
  })

it('reports the text of an error to a client that accepts gzip', async () => {
  const reported = Promise.withResolvers<Exchange>()
  const port = Number(await aFreePort())
  const target = createTarget(await aWorker())
  const handlers = { target, control: async () => {}, report: reported.resolve }
  const servers = await openGateway(port, handlers)
  for (const server of servers) onTestFinished(() => void server.close())
  const response = await fetch(`http://localhost:${port}/x`)
  expect(await response.json()).toMatchObject({ code: 'not_found' })
  expect((await reported.promise).response?.body).toBe(
    '{"code":"not_found","error":"there is no such order"}',
  )
})
