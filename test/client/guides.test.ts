/** Runs the programs of the guides as a reader does. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { firstCases } from '../support/cases.ts'
import { environment } from '../support/environment.ts'
import { aTemporaryFolder } from '../support/folder.ts'
import { aPerson, instance } from '../support/instance/instance.ts'
import {
  aDeliveredOrder,
  aNewOrder,
  aWallet,
  buyerBillingData,
} from '../support/instance/orders.ts'

const commands = { sh: 'sh', ts: process.execPath, py: 'python3', php: 'php', go: 'go' }
type Language = keyof typeof commands

const isInstalled = (language: Language) =>
  spawnSync(commands[language], ['version']).error === undefined

/** `npm test` runs one of those that have the program. */
const languages = (of: readonly Language[] = ['sh', 'ts', 'py']) =>
  firstCases(1, of.filter(isInstalled))

type Received = { headers: IncomingHttpHeaders; body: string }

/** As the programs call it. */
const shop = { url: instance.url, token: instance.shopToken }

const folder = await aTemporaryFolder()
/** Where webhooks are sent. */
const receiverPort = String(instance.receivers.docs)

/** Stores a program as a reader does who has installed its packages. Returns the file. */
async function store(program: string, language: Language): Promise<string> {
  const file = join(folder, `program.${language === 'ts' ? 'mts' : language}`)
  const client = JSON.stringify(resolve('client/src/index.ts'))
  const library = JSON.stringify(import.meta.resolve('standardwebhooks'))
  await writeFile(
    file,
    program
      .replace("'@marketplace-api/marketplace'", client)
      .replace("'standardwebhooks'", library)
      .replaceAll('http://localhost:8787', instance.url),
  )
  return file
}

/** Returns a program of a guide: a file, or one for the shell that is told in blocks of the guide. */
async function programIn(guide: string, name: string, language: Language): Promise<string> {
  const file = `docs/guides/programs/${name}.${language}`
  if (existsSync(file)) return readFile(file, 'utf8')
  const markdown = await readFile(`docs/guides/${guide}.md`, 'utf8')
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language} ${name}\n(.*?)^\`\`\`$`, 'gms'))
  const program = [...blocks].map(([, block]) => block).join('')
  if (!program) throw new Error(`${guide}.md has no program ${name} in ${language}`)
  return program
}

/** Returns how a program is started. */
async function commandOf(program: string, language: Language): Promise<[string, string[]]> {
  const file = await store(program, language)
  if (language !== 'go') return [commands[language], [file]]
  const binary = join(folder, 'program')
  await promisify(execFile)('go', ['build', '-o', binary, file], { env: environment() })
  return [binary, []]
}

/** Runs a program as a reader does who has set the token. Returns what it prints. */
async function run(program: string, language: Language, variables = {}): Promise<string> {
  const [command, args] = await commandOf(program, language)
  const env = environment({ TOKEN: instance.shopToken, ...variables })
  const { stdout } = await promisify(execFile)(command, args, { env, cwd: folder })
  return stdout
}

/** Creates a webhook at `receiverPort`. */
async function aWebhook() {
  const client = createClient(shop)
  const body = { url: `http://127.0.0.1:${receiverPort}/`, events: ['order.failed' as const] }
  const { webhook, secret } = await client.createWebhook({ body })
  const parameter = { webhook_id: webhook.id }
  return {
    secret,
    test: () => client.testWebhook(parameter),
    isVerified: async () => (await client.getWebhook(parameter)).webhook.verifiedAt !== null,
    remove: () => client.deleteWebhook(parameter),
  }
}

it.each(languages(['sh', 'ts', 'py', 'php', 'go']))(
  'sells, follows and repeats an order, twice in a row (%s)',
  async (language) => {
    const sale = await programIn('first-order', 'sale', language)
    const [first, second] = [await run(sale, language), await run(sale, language)]
    for (const output of [first, second]) {
      expect(output).toMatch(/"status":"paid"|^order \d+: paid$/m)
      expect(output).toMatch(/order\.created/)
      expect(output).toMatch(/"cancelRequestedAt":"2|^order \d+: cancellation requested at 2/m)
    }
    const orders = (output: string) =>
      output.match(/"orders":\[\{"id":\d+|^order \d+|reserved until .*|"reservations":.*/gm)
    expect(orders(second)).toEqual(orders(first))
    const delivered = /"transferred"|^delivered by transaction 0x[0-9a-f]{64}$/m
    const other = language === 'php' || language === 'go' ? 'sh' : language
    expect(await run(await programIn('delivery', 'follow', other), other)).toMatch(delivered)
    const retry = await programIn('retries', 'retry', language)
    const retried = await run(retry, language)
    expect(retried).toMatch(/"status":"paid"|^order \d+: paid$/m)
    // The delivery goes on meanwhile.
    expect(orders(await run(retry, language))).toEqual(orders(retried))
  },
)

it.each(languages())(
  'cancels an order before it is refunded, and no delivered one (%s)',
  async (language) => {
    const program = await programIn('refunds', 'refund', language)
    const client = createClient(shop)
    const wallet = aWallet()
    const [delivered, waiting] = await Promise.all(
      [await aPerson(wallet), await aPerson()].map(async (buyerUserId) => {
        const { orders } = await client.placeOrders({ body: [await aNewOrder({ buyerUserId })] })
        return orders[0]?.id ?? 0
      }),
    )
    const [undeliverable] = (
      await client.putOrder({
        providerId: `refund-${language}`,
        body: {
          ...{ nft: 'outcome-network-not-configured', listing: 'outcome-network-not-configured' },
          ...{ quantity: 1, buyer: { wallet }, buyerBillingData },
        },
      })
    ).orders
    await client.waitForDelivery(delivered ?? 0, { interval: 100 })
    const runFor = (id: number | undefined) => run(program, language, { ORDER_ID: `${id}` })
    for (let i = 0; i < 2; i++) {
      expect(await runFor(waiting)).toBe(`refund order ${waiting}\n`)
      expect(await runFor(delivered)).toBe(`do not refund order ${delivered}\n`)
      const id = undeliverable?.id
      expect(await runFor(id)).toBe(`ask the operator about order ${id}\n`)
    }
    await expect(runFor(999_999_999)).rejects.toThrow(/\b400\b|order_not_found/)
  },
)

it('looks up on the chain what was delivered', async () => {
  const client = createClient(instance)
  const [order] = (await client.getOrders({ order_ids: [await aDeliveredOrder()] })).orders
  const node = { NODE_URL: instance.rpcUrl }
  const ask = async (program: string, variables: object) =>
    JSON.parse(
      await run(await programIn('delivery', program, 'sh'), 'sh', { ...node, ...variables }),
    ).result
  const receipt = await ask('receipt', { TX_ID: order?.orderItems[0]?.txId })
  const [, topic] =
    /`topics\[0\]` is `(\w+)`/.exec(await readFile('docs/guides/delivery.md', 'utf8')) ?? []
  const delivered = receipt.logs.find(({ topics }: { topics: string[] }) => topics[0] === topic)
  const record = await ask('record', {
    CONTRACT: receipt.to,
    DELIVERY_KEY: delivered.topics[1],
  })
  expect(BigInt(record.slice(0, 66))).toBe(BigInt(receipt.blockNumber))
})

it.each(languages())('creates a webhook once, however often it runs (%s)', async (language) => {
  const client = createClient(shop)
  const ofGuide = async () =>
    (await client.listWebhooks({ limit: 100 })).webhooks.filter(
      ({ url }) => url === 'https://shop.example.com/webhooks',
    )
  const program = await programIn('webhooks', 'webhook', language)
  expect(await run(program, language)).toMatch(/whsec_[\w+/]{43}=/)
  expect(await run(program, language)).toMatch(/^there is a webhook|: there is one with this URL$/m)
  const [webhook, ...others] = await ofGuide()
  expect(others).toEqual([])
  await client.deleteWebhook({ webhook_id: webhook?.id ?? '' })
})

it('checks the signature of a request, and answers a challenge (curl)', async () => {
  const file = await store(await programIn('webhooks', 'receive', 'sh'), 'sh')
  const { secret, test, isVerified, remove } = await aWebhook()
  const receive = async (headers: IncomingHttpHeaders, body: string) => {
    // Orders of other tests have events, too, which arrive at the same time.
    const cwd = await mkdtemp(join(folder, 'request-'))
    await writeFile(join(cwd, 'body.json'), body)
    const env = environment({
      WEBHOOK_SECRET: secret,
      WEBHOOK_ID: String(headers['webhook-id']),
      WEBHOOK_TIMESTAMP: String(headers['webhook-timestamp']),
      WEBHOOK_SIGNATURE: String(headers['webhook-signature']),
    })
    return promisify(execFile)('sh', [file], { env, cwd })
  }
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { headers } = request
    const body = await text(request)
    received.push({ headers, body })
    try {
      response.end((await receive(headers, body)).stdout)
    } catch {
      // A message to the webhook of an earlier test, which has another secret.
      response.writeHead(400).end()
    }
  }).listen(Number(receiverPort), '127.0.0.1')
  await test()
  await expect.poll(isVerified).toBe(true)
  const [{ headers, body } = { headers: {}, body: '' }] = received
  await expect(receive(headers, `${body} `)).rejects.toThrow('not authentic')
  const old = { ...headers, 'webhook-timestamp': '1000' }
  await expect(receive(old, body)).rejects.toThrow('not authentic')
  server.close()
  await remove()
})

it.each(languages(['ts', 'py', 'php', 'go']))('receives webhooks (%s)', async (language) => {
  const source = await programIn('webhooks', 'receive', language)
  const [command, args] = await commandOf(source, language)
  const { secret, test, isVerified, remove } = await aWebhook()
  const env = environment({ WEBHOOK_SECRET: secret, PORT: receiverPort })
  // The web server of PHP, which says on stderr that it listens.
  const server = language === 'php' ? ['-S', `127.0.0.1:${receiverPort}`] : []
  const program = spawn(command, [...server, ...args], { env })
  let output = ''
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  await expect.poll(() => output).toMatch(/^listening$|Development Server .* started$/m)
  await test()
  // Orders of other tests have events, too.
  const printed = /^webhook\.test \{"message": ?"This is a test\..*"challenge": ?"[\da-f]{32}"\}$/m
  await expect.poll(() => output).toMatch(printed)
  await expect.poll(isVerified).toBe(true)
  const body = '{"type":"order.failed","timestamp":"","data":{}}'
  const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,' }
  const now = String(Math.floor(Date.now() / 1000))
  const odd = { ...forged, 'webhook-timestamp': now, 'webhook-signature': 'v1,é' }
  // A request that is cut off ends no program.
  const socket = connect(Number(receiverPort), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{', () =>
    socket.destroy(),
  )
  await once(socket, 'close')
  for (const headers of [{}, forged, odd]) {
    const init = { method: 'POST', body, headers }
    expect((await fetch(`http://127.0.0.1:${receiverPort}/`, init)).status).toBe(400)
  }
  expect(output).not.toMatch(/^order\.failed \{\}$/m)
  await remove()
  program.kill()
  await once(program, 'exit')
})

it.each(languages())('reads each event once (%s)', async (language) => {
  const program = await programIn('webhooks', 'events', language)
  const client = createClient(shop)
  const position = join(folder, 'position')
  await rm(position, { force: true })
  const anOrder = async () => {
    const body = [await aNewOrder({ buyerUserId: 5 })]
    return (await client.placeOrders({ body })).orders[0]?.id
  }
  const printed = (orderId: number | undefined) =>
    new RegExp(`order\\.created.*"orderId": ?${orderId}\\b`)
  const first = await anOrder()
  expect(await run(program, language)).toMatch(printed(first))
  const read = await readFile(position, 'utf8')
  const second = await anOrder()
  for (let i = 0; i < 2; i++) {
    const output = await run(program, language)
    expect(output).toMatch(printed(second))
    expect(output).not.toMatch(printed(first))
    // As if the program had ended before it stored the position.
    await writeFile(position, read)
  }
  await writeFile(position, 'evt_1')
  await expect(run(program, language)).rejects.toThrow(/\b410\b|events_removed/)
})

it('sends the example of the reference (sh)', async () => {
  const html = await (await fetch(`${instance.url}/docs/api-orders`)).text()
  const [, samples = ''] = /id="placeOrders-sh"(.*?)<\/fieldset>/s.exec(html) ?? []
  const programs = [...samples.matchAll(/<code>(.*?)<\/code>/gs)].map(([, code = '']) =>
    code.replaceAll('&quot;', '"').replaceAll('&gt;', '>'),
  )
  // The ids of the example exist in the demo catalogue.
  expect(await run(programs[0] ?? '', 'sh')).toContain('"status":"paid"')
})
