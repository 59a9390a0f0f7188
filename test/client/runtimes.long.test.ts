/** The packed client in Node, also the oldest that it supports, in Workers, browsers, Deno and Bun. */
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open } from '../browser/browser.ts'
import { hasChromium } from '../browser/chromium.ts'
import { instance } from '../support/instance/instance.ts'
import { installPackage, run } from '../support/packed.ts'
import { serve } from '../support/server.ts'

/** What a runtime that does everything prints. */
const expected = {
  pages: 3,
  event: 'webhook.test',
  rejected: 'unauthenticated',
  late: 'TimeoutError',
}

/** Returns a message as an endpoint with the secret gets it. */
function aMessage() {
  const secret = `whsec_${btoa('a secret of thirty-two bytes ...')}`
  const body = JSON.stringify({ type: 'webhook.test', data: { challenge: 'c1' } })
  const at = new Date()
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  }
  return { secret, body, headers }
}

const hangingUrl = await serve(() => {})
const input = { url: instance.url, hangingUrl, message: aMessage() }
const { shop, folder } = await installPackage('client')
let runtimes: string

beforeAll(async () => {
  await copyFile('test/client/runtimes/check.js', join(shop, 'check.js'))
  const checked = `check(client, ${JSON.stringify(input)})`
  const printed = '.then((result) => console.log(JSON.stringify(result)))\n'
  await writeFile(
    join(shop, 'module.mjs'),
    `import * as client from '@marketplace-api/marketplace'
     import { check } from './check.js'
     ${checked}${printed}`,
  )
  await writeFile(
    join(shop, 'common.cjs'),
    `const client = require('@marketplace-api/marketplace')
     import('./check.js').then(({ check }) => ${checked})${printed}`,
  )
  runtimes = await mkdtemp(join(tmpdir(), 'runtimes-'))
  await cp('test/client/runtimes', runtimes, { recursive: true })
  await cp('.npmrc', join(runtimes, '.npmrc'))
  await run('npm', ['install', '--no-package-lock'], { cwd: runtimes })
}, 300_000)

afterAll(() => rm(runtimes, { recursive: true, force: true }))

it.each([
  ['node', ['module.mjs']],
  ['node', ['common.cjs']],
  ['deno', ['run', '--allow-net', 'module.mjs']],
  ['deno', ['run', '--allow-net', '--allow-read', 'common.cjs']],
  ['bun', ['module.mjs']],
  ['bun', ['common.cjs']],
])('runs in %s with %j', async (runtime, args) => {
  const { stdout } = await run(join(runtimes, 'node_modules/.bin', runtime), args, { cwd: shop })
  expect(JSON.parse(stdout)).toEqual(expected)
})

it.each(['module.mjs', 'common.cjs'])('runs in Node as %s', async (program) => {
  const { stdout } = await run(process.execPath, [program], { cwd: shop })
  expect(JSON.parse(stdout)).toEqual(expected)
})

it('runs in Workers', async () => {
  const names = (await readdir(join(folder, 'dist'))).filter((name) => name.endsWith('.js'))
  const files = names.map(async (name) => ({
    path: `dist/${name}`,
    contents: await readFile(join(folder, 'dist', name), 'utf8'),
  }))
  const worker = `import * as client from './dist/index.js'
    import { check } from './check.js'
    export default { fetch: async (request) => Response.json(await check(client, await request.json())) }`
  const modules = [
    { path: 'worker.js', contents: worker },
    { path: 'check.js', contents: await readFile(join(shop, 'check.js'), 'utf8') },
    ...(await Promise.all(files)),
  ]
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'shop',
      modules: modules.map((module) => ({ type: 'ESModule', ...module })),
      compatibilityDate: '2025-01-01',
    }),
  )
  try {
    const init = { method: 'POST', body: JSON.stringify(input) }
    const response = await miniflare.dispatchFetch('http://worker.test/', init)
    expect(await response.json()).toEqual(expected)
  } finally {
    await miniflare.dispose()
  }
})

describe.skipIf(!hasChromium)('in browsers', () => {
  it('runs on the pages of another site', async () => {
    const site = await serve(async ({ url = '/' }, response) => {
      if (!url.endsWith('.js')) return response.setHeader('content-type', 'text/html').end()
      const path = url === '/check.js' ? join(shop, url) : join(folder, url)
      response.setHeader('content-type', 'text/javascript').end(await readFile(path))
    })
    const page = await open()
    await page.goto(site)
    // As a text, because Vitest rewrites imports.
    const script = `Promise.all([import('/dist/index.js'), import('/check.js')])
      .then(([client, { check }]) => check(client, ${JSON.stringify(input)}))`
    expect(await page.evaluate(script)).toEqual(expected)
  })
})
