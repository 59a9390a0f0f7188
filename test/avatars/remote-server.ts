/** A web server for the tests that serves pictures, texts, errors and broken responses; a global setup. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of the server. */
    remoteHost: string
  }
}

const picture = readFileSync(new URL('./fixtures/phone.jpg', import.meta.url).pathname)
const MEBIBYTE = Buffer.alloc(1024 * 1024)

/** Headers of all requests by path, served at `/requests?path=…`. */
const requests = new Map<string, IncomingMessage['headers'][]>()

type Answer = (response: ServerResponse, query: URLSearchParams) => void

const answers: Record<string, Answer> = {
  '/picture.jpg': (response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture),
  '/picture-as-text': (response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(picture),
  '/page': (response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<html>not a picture</html>'),
  '/echo': (response, query) => response.writeHead(200).end(query.get('text')),
  '/empty': (response) => response.writeHead(200).end(),
  '/status': (response, query) => response.writeHead(Number(query.get('code'))).end(picture),
  '/redirect': (response, query) =>
    response
      .writeHead(Number(query.get('code') ?? 302), { location: query.get('to') ?? '' })
      .end('<html>elsewhere</html>'),
  // Redirects `left` more times, then to the picture.
  '/hops': (response, query) => {
    const left = Number(query.get('left'))
    const location = left > 0 ? `/hops?left=${left - 1}` : '/picture.jpg'
    response.writeHead(302, { location }).end()
  },
  '/silent': () => {},
  '/slow': (response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' })
    let sent = 0
    const timer = setInterval(() => response.write(picture.subarray(sent, ++sent)), 50)
    response.on('close', () => clearInterval(timer))
  },
  '/endless': (response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' })
    const more = () => {
      while (response.write(MEBIBYTE));
    }
    response.on('drain', more)
    more()
  },
  '/declares-too-much': (response) =>
    response.writeHead(200, { 'content-length': 11 * 1024 * 1024 }).write(picture),
  '/breaks-off': (response) => {
    response.writeHead(200, { 'content-length': picture.length + 1000 })
    response.write(picture, () => response.destroy())
  },
  '/gzip-bomb': (response) =>
    response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(64 * MEBIBYTE.length))),
  '/requests': (response, query) =>
    response.end(JSON.stringify(requests.get(query.get('path') ?? '') ?? [])),
}

export default async function setup({ provide }: TestProject): Promise<() => void> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://remote')
    requests.set(url.pathname, [...(requests.get(url.pathname) ?? []), request.headers])
    const answer = answers[url.pathname]
    if (answer) answer(response, url.searchParams)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  provide('remoteHost', `127.0.0.1:${(server.address() as AddressInfo).port}`)
  return () => {
    server.close()
    server.closeAllConnections()
  }
}
