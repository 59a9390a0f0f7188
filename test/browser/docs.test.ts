/** The documentation of the API in a browser: guides, and the reference. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { aFreePort } from '../support/project.ts'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, signInByMail } from './marketplace.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

type Language = 'sh' | 'ts' | 'py'
const languages: readonly Language[] = hasPython ? ['sh', 'ts', 'py'] : ['sh', 'ts']
const names = { sh: 'curl', ts: 'TypeScript', py: 'Python' }
const commands = { sh: 'sh', ts: process.execPath, py: 'python3' }

type Received = { headers: IncomingHttpHeaders; body: string }

/** Opens an operation of the reference, and returns its part of the page. */
async function openOperation(page: Page, tag: string, operationId: string) {
  await page.goto(`/docs#/${tag}/${operationId}`)
  const operation = page.locator(`#operations-${tag}-${operationId}`)
  await operation.getByRole('button', { name: 'Execute' }).waitFor()
  return operation
}

/** The program that a sample shows in a language. */
async function programIn(page: Page, id: string, language: Language): Promise<string> {
  const samples = page.locator('.samples', { has: page.locator(`#${id}-sh`) })
  await samples.getByText(names[language], { exact: true }).click()
  return (await samples.locator('pre:visible').textContent()) ?? ''
}

describe.skipIf(!hasChromium)('the documentation', () => {
  let marketplace: Marketplace
  let folder: string
  /** Where webhooks are sent. */
  let receiverPort: string

  beforeAll(async () => {
    receiverPort = await aFreePort()
    marketplace = await aMarketplace({ LOOPBACK_HOSTS: `localhost:${receiverPort}` })
    folder = await mkdtemp(join(tmpdir(), 'samples-'))
  })
  afterAll(async () => {
    await marketplace?.close()
    await rm(folder, { recursive: true })
  })

  /** Stores a program as a reader does who has installed its packages. Returns the file. */
  async function store(program: string, language: Language): Promise<string> {
    const file = join(folder, `program.${language === 'ts' ? 'mts' : language}`)
    const client = JSON.stringify(resolve('client/src/index.ts'))
    const library = JSON.stringify(import.meta.resolve('standardwebhooks'))
    await writeFile(
      file,
      program.replace("'marketplace-client'", client).replace("'standardwebhooks'", library),
    )
    return file
  }

  /** Runs a program as a reader does who has set the token. Returns what it prints. */
  async function run(program: string, language: Language, variables = {}): Promise<string> {
    const file = await store(program, language)
    const env = { ...process.env, TOKEN: marketplace.masterToken, ...variables }
    const { stdout } = await promisify(execFile)(commands[language], [file], { env, cwd: folder })
    return stdout
  }

  /** Creates a webhook at `receiverPort`. */
  async function aWebhook() {
    const client = createClient({ url: marketplace.url, token: marketplace.masterToken })
    const body = { url: `http://localhost:${receiverPort}/`, events: ['order.failed' as const] }
    const { webhook, secret } = await client.createWebhook({ body })
    const parameter = { webhook_id: webhook.id }
    return {
      secret,
      test: () => client.testWebhook(parameter),
      remove: () => client.deleteWebhook(parameter),
    }
  }

  it('places an order, without errors and without requests to other hosts', async () => {
    const page = await marketplace.open()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(marketplace.url))
        problems.push(request.url())
    })
    await page.goto('/docs')
    await page.getByLabel('Token', { exact: true }).fill(marketplace.masterToken)
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .locator('a[href="#/Orders/placeOrders"]')
      .click()
    const operation = page.locator('#operations-Orders-placeOrders')
    // The example is not edited: its ids exist in the demo catalogue.
    await operation.getByRole('button', { name: 'Execute' }).click()
    const response = operation.locator('.live-responses-table')
    expect(await response.locator('tbody .response-col_status').first().textContent()).toBe('200')
    expect(await response.locator('.highlight-code').first().textContent()).toContain('"paid"')
    expect(problems).toEqual([])
  })

  it('gets a token by a click, and sends it with requests', async () => {
    const page = await marketplace.open()
    await signInByMail(marketplace, page, 'reader@example.com')
    await page.goto('/docs')
    await page.getByRole('button', { name: 'Get a token for one hour' }).click()
    await page.getByText('This token acts as you until').waitFor()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(page.url()).not.toContain(token)
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)

    await page.locator('a[href="#/Avatars/getAvatar"]').click()
    const operation = page.locator('#operations-Avatars-getAvatar')
    const request = page.waitForRequest('**/profile/avatar')
    await operation.getByRole('button', { name: 'Execute' }).click()
    expect((await request).headers().authorization).toBe(`Bearer ${token}`)
    expect(await operation.locator('.response-col_status').nth(1).textContent()).toBe('200')

    await marketplace.ageSessions()
    await page.getByRole('button', { name: 'Get a token for one hour' }).click()
    await page.waitForURL('**/sign-in/again?redirect=/docs')
  })

  it.each(languages)('has guides whose programs work (%s)', async (language) => {
    const page = await marketplace.open()
    const runSample = async (path: string, id: string) => {
      await page.goto(path)
      return run(await programIn(page, id, language), language)
    }
    const placed = /"status":"paid"|^order \d+: paid$/m
    expect(await runSample('/docs/first-order', 'place')).toMatch(placed)
    const delivered = /"transferred"|^delivered by transaction 0x[0-9a-f]{64}$/m
    expect(await runSample('/docs/delivery', 'follow')).toMatch(delivered)
    const read = /"status":"transferred"|^order 1: transferred, 0x[0-9a-f]{64}$/m
    expect(await runSample('/docs/first-order', 'read')).toMatch(read)
    const retried = await runSample('/docs/retries', 'retry')
    expect(retried).toMatch(placed)
    expect(await runSample('/docs/retries', 'retry')).toBe(retried)
  })

  it.each(languages)('has a program that creates a webhook (%s)', async (language) => {
    const page = await marketplace.open()
    await page.goto('/docs/webhooks')
    const output = await run(await programIn(page, 'webhook', language), language)
    expect(output).toMatch(/whsec_[\w+/]{43}=/)
  })

  it('has a program that checks the signature of a request (curl)', async () => {
    const page = await marketplace.open()
    await page.goto('/docs/webhooks')
    const program = await programIn(page, 'receive', 'sh')
    const { secret, test, remove } = await aWebhook()
    const { promise: received, resolve: receive } = Promise.withResolvers<Received>()
    const server = createServer(async (request, response) => {
      receive({ headers: request.headers, body: await text(request) })
      response.end()
    }).listen(Number(receiverPort), 'localhost')
    await test()
    const { headers, body } = await received
    server.close()
    await remove()
    await writeFile(join(folder, 'body.json'), body)
    const variables = {
      WEBHOOK_SECRET: secret,
      WEBHOOK_ID: headers['webhook-id'],
      WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
      WEBHOOK_SIGNATURE: headers['webhook-signature'],
    }
    expect(await run(program, 'sh', variables)).toBe(`authentic: ${body}\n`)
    await writeFile(join(folder, 'body.json'), `${body} `)
    expect(await run(program, 'sh', variables)).toBe('not authentic\n')
  })

  it.each(languages.filter((language) => language !== 'sh'))(
    'has a program that receives webhooks (%s)',
    async (language) => {
      const page = await marketplace.open()
      await page.goto('/docs/webhooks')
      const file = await store(await programIn(page, 'receive', language), language)
      const { secret, test, remove } = await aWebhook()
      const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: receiverPort }
      const program = spawn(commands[language], [file], { env })
      let output = ''
      program.stdout.on('data', (chunk) => {
        output += chunk
      })
      await expect.poll(() => output, { timeout: 15_000 }).toBe('listening\n')
      await test()
      const printed = /^listening\nwebhook.test \{"message": ?"This is a test."\}\n$/
      await expect.poll(() => output, { timeout: 15_000 }).toMatch(printed)
      const body = '{"type":"order.failed","timestamp":"","data":{}}'
      const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,' }
      for (const headers of [{}, forged]) {
        const init = { method: 'POST', body, headers }
        expect((await fetch(`http://localhost:${receiverPort}/`, init)).status).toBe(400)
      }
      expect(output).toMatch(printed)
      await remove()
      program.kill()
      await once(program, 'exit')
    },
  )

  it.each(languages)('writes the request of an operation as a program (%s)', async (language) => {
    const page = await marketplace.open()
    await openOperation(page, 'Orders', 'placeOrders')
    const output = await run(await programIn(page, 'placeOrders', language), language)
    expect(output).toMatch(/["']?status["']?: ?["']paid["']/)

    const operation = await openOperation(page, 'Orders', 'getOrders')
    await operation.getByRole('textbox', { name: 'order_ids' }).fill('404')
    const program = await programIn(page, 'getOrders', language)
    expect(program).toContain(`${marketplace.url}/api/externalOrders/404`)
  })

  it('keeps the language of the programs, and copies them', async () => {
    const page = await marketplace.open()
    await page.goto('/docs/retries')
    const program = await programIn(page, 'retry', 'py')
    await page.getByRole('button', { name: 'Copy the program' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(program)
    await page.goto('/docs/delivery')
    expect(await page.locator('.samples pre:visible').textContent()).toMatch(/^import json/)
    await openOperation(page, 'Orders', 'placeOrders')
    const shown = page.locator('#operations-Orders-placeOrders .samples pre:visible')
    expect(await shown.textContent()).toMatch(/^import json/)
  })

  it('has guides that work without JavaScript', async () => {
    const page = await marketplace.open({ javaScriptEnabled: false })
    await page.goto('/docs')
    expect(await page.locator('noscript .notice').isVisible()).toBe(true)
    expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Retrying safely' }).first().click()
    expect(await programIn(page, 'retry', 'sh')).toMatch(/^curl/)
    expect(await programIn(page, 'retry', 'py')).toMatch(/^import json/)
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Contents' }).click()
    await page.getByRole('link', { name: 'Errors', exact: true }).click()
    await page.getByRole('heading', { name: 'Errors' }).waitFor()
  })

  it('is accessible', async () => {
    const page = await marketplace.open({ reducedMotion: 'reduce' })
    const check = (name: string) => expectAccessible(page, `docs, ${name}`)
    for (const guide of ['first-order', 'retries', 'delivery', 'webhooks', 'errors']) {
      await page.goto(`/docs/${guide}`)
      await check(guide)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Contents' }).click()
    await check('navigation opened')
    await page.goto('/docs')
    await page.locator('.opblock').first().waitFor()
    await check('signed out')

    await signInByMail(marketplace, page, 'ada@example.com')
    await page.goto('/docs')
    await page.getByRole('button', { name: 'Get a token for one hour' }).click()
    await page.getByText('This token acts as you until').waitFor()
    await check('authorized')
    for (const [tag, operationId] of [
      ['Orders', 'placeOrders'],
      ['Avatars', 'uploadAvatarFile'],
      ['Transfers', 'listTransfers'],
    ] as const) {
      const operation = await openOperation(page, tag, operationId)
      await check(operationId)
      await operation.getByRole('tab', { name: 'Schema' }).last().click()
      await operation.locator('.model-box').last().waitFor()
      await check(`${operationId}, schema`)
      await operation.getByRole('button', { name: 'Execute' }).click()
      if (operationId !== 'uploadAvatarFile')
        await operation.locator('.live-responses-table').waitFor()
      await check(`${operationId}, executed`)
      await operation.locator('.opblock-summary-control').click()
    }
    await marketplace.ageSessions()
    await page.goto('/docs')
    await page.getByRole('link', { name: 'Sign in again' }).waitFor()
    await check('old sign-in')
  }, 300_000)
})
