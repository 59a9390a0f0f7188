import type { lookup } from 'node:dns'
import { describe, expect, it } from 'vitest'
import {
  type DownloadOptions,
  download,
} from '../../../../scripts/operate/catalogue/chain/download.ts'
import { aServer } from './world.ts'

const KIB = 1024

const read = (url: string, options: Partial<DownloadOptions> = {}) =>
  download(url, { loopbackHosts: [new URL(url).host], retryDelay: 1, ...options })

it('follows up to five redirects', async () => {
  const { url } = await aServer((path, response) => {
    const left = Number(path.slice(1))
    if (left === 0) return response.end('{}')
    response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  expect(await read(`${url}/5`)).toBe('{}')
  await expect(read(`${url}/6`)).rejects.toThrow('metadata: is behind more than 5 redirects')
})

describe('a destination that is not public', () => {
  it.each(['http://127.0.0.1/', 'http://169.254.169.254/latest/meta-data/'])(
    'is refused: %s',
    async (url) => {
      await expect(read(url, { loopbackHosts: [] })).rejects.toThrow(
        'uri: must point to a public host',
      )
    },
  )

  it('is refused after a redirect', async () => {
    const { url } = await aServer((_, response) =>
      response.writeHead(302, { location: 'http://10.1.2.3/' }).end(),
    )
    await expect(read(url)).rejects.toThrow('uri: must point to a public host')
  })

  it.each([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])('is not asked if a public name resolves to $address', async (address) => {
    const { url, requests } = await aServer()
    const { port } = new URL(url)
    const found = [{ address: '93.184.215.14', family: 4 }, address]
    const resolve = (_: string, __: object, done: (error: null, found: object) => void) =>
      done(null, found)
    const options = { loopbackHosts: [], resolve: resolve as unknown as typeof lookup }
    await expect(read(`http://rebound.example.com:${port}/`, options)).rejects.toThrow(
      'uri: must point to a public host',
    )
    expect(requests).toEqual([])
  })
})

describe('a document', () => {
  it('has at most 128 KiB', async () => {
    const { url } = await aServer((path, response) =>
      response.end('x'.repeat(128 * KIB + Number(path.slice(1)))),
    )
    expect(await read(`${url}/0`)).toHaveLength(128 * KIB)
    await expect(read(`${url}/1`)).rejects.toThrow('metadata: must have at most 128 KiB')
  })
})

describe('a server that fails', () => {
  it.each([429, 503])('is asked again after HTTP %i', async (status) => {
    const { url, requests } = await aServer((_, response) =>
      requests.length < 3 ? response.writeHead(status).end() : response.end('{}'),
    )
    expect(await read(url)).toBe('{}')
    expect(requests).toHaveLength(3)
  })

  it('is asked four times, also if it breaks off or does not answer', async () => {
    const { url, requests } = await aServer((path, response) => {
      if (path === '/silent') return
      response.writeHead(200, { 'content-length': 100 })
      response.write('{', () => response.destroy())
    })
    await expect(read(`${url}/breaks-off`)).rejects.toThrow(
      'metadata: cannot be downloaded (Error: ',
    )
    await expect(read(`${url}/silent`, { timeout: 50 })).rejects.toThrow(
      'metadata: cannot be downloaded (no complete answer in 0.05 seconds)',
    )
    expect(requests).toHaveLength(8)
  })
})
