/** The packed client in Node, Workers and browsers. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { describe, expect, it } from 'vitest'
import { open } from '../browser/browser.ts'
import { hasChromium } from '../browser/chromium.ts'
import { run } from '../support/packed.ts'
import { serve } from '../support/server.ts'
import { expected, prepareRuntimes } from './runtimes.ts'

const { shop, folder, input } = await prepareRuntimes()

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
