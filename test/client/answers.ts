/** A server that answers calls of a client as a test says. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeEach } from 'vitest'
import { serve } from '../support/server.ts'

export type Answer = (response: ServerResponse) => void

/** Starts one. `answers` is what the next requests get; the last answer is repeated. */
export async function anAnsweringServer() {
  const server = { url: '', answers: [] as Answer[], requests: [] as IncomingMessage[] }
  server.url = await serve((request, response) => {
    server.requests.push(request)
    const answer = server.answers.length > 1 ? server.answers.shift() : server.answers[0]
    answer?.(response)
  })
  beforeEach(() => {
    server.requests = []
  })
  return server
}

export const succeed: Answer = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"orders":[]}')
