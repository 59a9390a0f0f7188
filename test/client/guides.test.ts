/** Runs the programs of the guides as a reader does. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { instance } from '../support/instance/instance.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

type Language = 'sh' | 'ts' | 'py'
const languages: readonly Language[] = hasPython ? ['sh', 'ts', 'py'] : ['sh', 'ts']
const commands = { sh: 'sh', ts: process.execPath, py: 'python3' }

type Received = { headers: IncomingHttpHeaders; body: string }

let folder: string
/** Where webhooks are sent. */
const receiverPort = String(instance.receivers.docs)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'programs-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

/** Stores a program as a reader does who has installed its packages. Returns the file. */
async function store(program: string, language: Language): Promise<string> {
  const file = join(folder, `program.${language === 'ts' ? 'mts' : language}`)
  const client = JSON.stringify(resolve('client/src/index.ts'))
  const library = JSON.stringify(import.meta.resolve('standardwebhooks'))
  await writeFile(
    file,
    program
      .replace("'marketplace-client'", client)
      .replace("'standardwebhooks'", library)
      .replaceAll('http://localhost:8787', instance.url),
  )
  return file
}

/** Returns a program of a guide. */
async function programIn(guide: string, name: string, language: Language): Promise<string> {
  const markdown = await readFile(`docs/guides/${guide}.md`, 'utf8')
  const block = new RegExp(`^\`\`\`${language} ${name}\n(.*?)^\`\`\`$`, 'ms').exec(markdown)
  if (!block?.[1]) throw new Error(`${guide}.md has no program ${name} in ${language}`)
  return block[1]
}

/** Runs a program as a reader does who has set the token. Returns what it prints. */
async function run(program: string, language: Language, variables = {}): Promise<string> {
  const file = await store(program, language)
  const env = { ...process.env, TOKEN: instance.token, ...variables }
  const { stdout } = await promisify(execFile)(commands[language], [file], { env, cwd: folder })
  return stdout
}

/** Creates a webhook at `receiverPort`. */
async function aWebhook() {
  const client = createClient(instance)
  const body = { url: `http://127.0.0.1:${receiverPort}/`, events: ['order.failed' as const] }
  const { webhook, secret } = await client.createWebhook({ body })
  const parameter = { webhook_id: webhook.id }
  return {
    secret,
    test: () => client.testWebhook(parameter),
    remove: () => client.deleteWebhook(parameter),
  }
}

it.each(languages)('places, follows, reads and repeats an order (%s)', async (language) => {
  const runProgram = async (guide: string, name: string) =>
    run(await programIn(guide, name, language), language)
  const placed = /"status":"paid"|^order \d+: paid$/m
  expect(await runProgram('first-order', 'place')).toMatch(placed)
  const delivered = /"transferred"|^delivered by transaction 0x[0-9a-f]{64}$/m
  expect(await runProgram('delivery', 'follow')).toMatch(delivered)
  const read = /"status":"transferred"|^order 1: transferred, 0x[0-9a-f]{64}$/m
  expect(await runProgram('first-order', 'read')).toMatch(read)
  const retried = await runProgram('retries', 'retry')
  expect(retried).toMatch(placed)
  expect(await runProgram('retries', 'retry')).toBe(retried)
})

it.each(languages)('creates a webhook (%s)', async (language) => {
  const output = await run(await programIn('webhooks', 'webhook', language), language)
  expect(output).toMatch(/whsec_[\w+/]{43}=/)
})

it('checks the signature of a request (curl)', async () => {
  const program = await programIn('webhooks', 'receive', 'sh')
  const { secret, test, remove } = await aWebhook()
  const { promise: received, resolve: receive } = Promise.withResolvers<Received>()
  const server = createServer(async (request, response) => {
    receive({ headers: request.headers, body: await text(request) })
    response.end()
  }).listen(Number(receiverPort), '127.0.0.1')
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
  'receives webhooks (%s)',
  async (language) => {
    const file = await store(await programIn('webhooks', 'receive', language), language)
    const { secret, test, remove } = await aWebhook()
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: receiverPort }
    const program = spawn(commands[language], [file], { env })
    let output = ''
    program.stdout.on('data', (chunk) => {
      output += chunk
    })
    await expect.poll(() => output, { timeout: 15_000 }).toMatch(/^listening$/m)
    await test()
    // Orders of other tests have events, too.
    const printed = /^webhook\.test \{"message": ?"This is a test\."\}$/m
    await expect.poll(() => output, { timeout: 15_000 }).toMatch(printed)
    const body = '{"type":"order.failed","timestamp":"","data":{}}'
    const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,' }
    for (const headers of [{}, forged]) {
      const init = { method: 'POST', body, headers }
      expect((await fetch(`http://127.0.0.1:${receiverPort}/`, init)).status).toBe(400)
    }
    expect(output).not.toMatch(/^order\.failed \{\}$/m)
    await remove()
    program.kill()
    await once(program, 'exit')
  },
)

it.each(['sh'] as const)('sends the example of the reference (%s)', async (language) => {
  const html = await (await fetch(`${instance.url}/docs`)).text()
  const [, samples = ''] = /id="placeOrders-sh"(.*?)<\/fieldset>/s.exec(html) ?? []
  const programs = [...samples.matchAll(/<code>(.*?)<\/code>/gs)].map(([, code = '']) =>
    code.replaceAll('&quot;', '"').replaceAll('&gt;', '>'),
  )
  // The ids of the example exist in the demo catalogue.
  const output = await run(programs[0] ?? '', language)
  expect(output).toMatch(/"?status"?: ?["']paid["']/)
})
