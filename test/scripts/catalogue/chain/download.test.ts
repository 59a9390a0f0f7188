import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { downloading } from '../../../../scripts/catalogue/chain/download.ts'
import type { Resolve } from '../../../../scripts/catalogue/chain/public-lookup.ts'
import { aServer } from './world.ts'

let waits: number[]
beforeEach(() => {
  waits = []
})

type Options = Partial<Parameters<typeof downloading>[0]>

const aDownload = (options: Options = {}) =>
  downloading({
    loopbackHosts: [],
    trusted: [],
    wait: async (milliseconds) => waits.push(milliseconds),
    ...options,
  })

const KIB = 1024

it('follows up to five redirects', async () => {
  const { host, url } = await aServer((path, response) => {
    const left = Number(path.slice(1))
    if (left === 0) return response.end('{}')
    response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  const download = aDownload({ loopbackHosts: [host] })
  expect(await download(`${url}/5`)).toBe('{}')
  await expect(download(`${url}/6`)).rejects.toThrow('more than 5 redirects')
})

describe('a destination that is not public', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:127.0.0.1]/',
    'http://10.1.2.3/',
    'http://localhost/',
    'http://metadata.internal/',
  ])('is refused: %s', async (url) => {
    await expect(aDownload()(url)).rejects.toMatchObject({
      code: 'uri_invalid',
      message: 'must point to a public host',
    })
  })

  it('is refused after a redirect', async () => {
    const { host, url } = await aServer((_, response) =>
      response.writeHead(302, { location: 'http://10.1.2.3/' }).end(),
    )
    await expect(aDownload({ loopbackHosts: [host] })(url)).rejects.toThrow(
      'must point to a public host',
    )
  })

  it('is allowed below the URL of a gateway only', async () => {
    const { url } = await aServer((_, response) => response.end('{}'))
    const download = aDownload({ trusted: [`${url}/ipfs/`] })
    expect(await download(`${url}/ipfs/x`)).toBe('{}')
    await expect(download(`${url}/api`)).rejects.toThrow('must point to a public host')
  })
})

describe('a document', () => {
  const bodies: Record<string, string> = {
    '/fits': 'x'.repeat(128 * KIB),
    '/too-large': 'x'.repeat(128 * KIB + 1),
  }

  it('has at most 128 KiB', async () => {
    const { host, url } = await aServer((path, response) => response.end(bodies[path]))
    const download = aDownload({ loopbackHosts: [host] })
    expect(await download(`${url}/fits`)).toHaveLength(128 * KIB)
    await expect(download(`${url}/too-large`)).rejects.toMatchObject({
      code: 'metadata_too_large',
      message: 'must have at most 128 KiB',
    })
  })

  it('may be compressed, and has at most 128 KiB then', async () => {
    const { host, url } = await aServer((path, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bodies[path] ?? '')),
    )
    const download = aDownload({ loopbackHosts: [host] })
    expect(await download(`${url}/fits`)).toHaveLength(128 * KIB)
    await expect(download(`${url}/too-large`)).rejects.toMatchObject({ code: 'metadata_invalid' })
  })

  it('is not asked for again if it is not there', async () => {
    const { host, url, requests } = await aServer((_, response) => response.writeHead(404).end())
    await expect(aDownload({ loopbackHosts: [host] })(url)).rejects.toMatchObject({
      code: 'metadata_unavailable',
      message: 'the server answered with HTTP 404',
    })
    expect(requests).toHaveLength(1)
  })
})

describe('a server that fails', () => {
  it.each([
    [{ status: 503, headers: {} }, [1000, 2000]],
    [{ status: 429, headers: { 'retry-after': '9' } }, [9000, 9000]],
  ])('is asked again: %j', async ({ status, headers }, expected) => {
    let failures = 0
    const { host, url } = await aServer((_, response) =>
      failures++ < 2 ? response.writeHead(status, headers).end() : response.end('{}'),
    )
    expect(await aDownload({ loopbackHosts: [host] })(url)).toBe('{}')
    expect(waits).toEqual(expected)
  })

  it('is asked four times, also if it breaks off or does not answer', async () => {
    const { host, url, requests } = await aServer((path, response) => {
      if (path === '/silent') return
      response.writeHead(200, { 'content-length': 100 })
      response.write('{', () => response.destroy())
    })
    const download = aDownload({ loopbackHosts: [host], timeout: 200 })
    await expect(download(`${url}/breaks-off`)).rejects.toThrow('the download failed (ECONNRESET)')
    await expect(download(`${url}/silent`)).rejects.toThrow('the server did not answer in time')
    expect(requests).toHaveLength(8)
    expect(waits).toEqual([1000, 2000, 4000, 1000, 2000, 4000])
  })

  it('is asked for two minutes if it limits requests', async () => {
    const { host, url, requests } = await aServer((_, response) => response.writeHead(429).end())
    await expect(aDownload({ loopbackHosts: [host] })(url)).rejects.toThrow(
      'the server answered with HTTP 429',
    )
    expect(requests).toHaveLength(8)
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  it('is not asked any more after 20 documents in a row', async () => {
    const { host, url, requests } = await aServer((_, response) => response.writeHead(500).end())
    const download = aDownload({ loopbackHosts: [host] })
    const failures = Array.from({ length: 20 }, (_, i) => download(`${url}/${i}`))
    await Promise.allSettled(failures)
    expect(requests).toHaveLength(80)
    await expect(download(url)).rejects.toThrow(
      `${host} failed 20 times in a row and was not asked again`,
    )
    expect(requests).toHaveLength(80)
  })
})

describe('a public name', () => {
  const resolveTo =
    (...addresses: { address: string; family: number }[]): Resolve =>
    (_hostname, _options, callback) =>
      callback(null, addresses)

  it.each([
    { address: '127.0.0.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
    { address: '::1', family: 6 },
    { address: '::ffff:127.0.0.1', family: 6 },
    { address: 'fd00::1', family: 6 },
  ])('is not asked if it resolves to $address', async (address) => {
    const { url, requests } = await aServer((_, response) => response.end('{}'))
    const { port } = new URL(url)
    const download = aDownload({ resolve: resolveTo(address) })
    await expect(download(`http://rebound.example.com:${port}/`)).rejects.toMatchObject({
      code: 'uri_invalid',
      message: 'must point to a public host',
    })
    expect({ requests, waits }).toEqual({ requests: [], waits: [] })
  })
})
