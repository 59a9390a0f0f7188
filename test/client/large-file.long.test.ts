/**
 * A file of 90 MB on its way from the operator to the buyer: the import, the order, the delivery and the
 * download are each cut in the middle. A fork of the chain takes the file away until it is delivered again.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createPublicClient, type Hash, http } from 'viem'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient, type MarketplaceClient } from '../../client/src/index.ts'
import { type Anvil, startAnvil } from '../../scripts/local/chain/anvil.ts'
import { linesOf } from '../catalogue/records.ts'
import { RpcProxy } from '../support/chain/proxy.ts'
import { aFolder, pointStagingAt } from '../support/command.ts'
import { aDevProject, READY } from '../support/dev.ts'
import { environment } from '../support/environment.ts'
import { PATIENCE } from '../support/patience.ts'
import { serve } from '../support/server.ts'

const BYTES = 90_000_000
/** The same in each run, and no part is like another. */
const song = createHash('shake256', { outputLength: BYTES }).update('song').digest()
const sha256 = createHash('sha256').update(song).digest('hex')

const { project, ports } = await aDevProject()
const url = `http://localhost:${ports.PORT}`
const importScript = resolve('scripts/operate/import.ts')

/** Bytes of files on their way to the instance. */
let sent = 0
/** Whether the next answer to an order is lost. */
let losesAnswer = false
/** The connection to the instance. */
const line = await serve((incoming, outgoing) => {
  const { method = '', url: path = '', headers } = incoming
  const upstream = request(url + path, { method, headers }, (answer) => {
    if (losesAnswer && path.startsWith('/api/externalOrders/by-number/')) {
      losesAnswer = false
      outgoing.destroy()
      return
    }
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(outgoing)
  })
  upstream.on('error', () => outgoing.destroy())
  outgoing.once('close', () => upstream.destroy())
  if (/\/files\/./.test(path)) incoming.on('data', ({ length }) => (sent += length))
  incoming.pipe(upstream)
})

let anvil: Anvil
let node: RpcProxy
let operator: MarketplaceClient
let shop: MarketplaceClient
let buyer: MarketplaceClient
let masterToken: string
let orderId: number

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  node = new RpcProxy(anvil.url)
  const RPC_URL = await serve((request, response) => {
    // The chain ends before the instance.
    node.answer(request, response).catch(() => response.destroy())
  })
  await project.start('dev', READY, { ...ports, RPC_URL })
  const tokenOf = async (...args: string[]) => (await project.run('token', args)).out.trim()
  masterToken = await tokenOf('--master')
  operator = createClient({ url, token: masterToken })
  shop = createClient({ url: line, token: await tokenOf('--shop') })
  buyer = createClient({ url, token: await tokenOf('--user', '3') })

  await project.run('export', ['demo.jsonl'])
  const demo = await readFile(join(project.folder, 'demo.jsonl'), 'utf8')
  const record = demo
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text))
    .find(({ type, id }) => type === 'nft' && id === 'nft-2')
  const { remove } = await aFolder()
  await pointStagingAt(line)
  await writeFile('song.flac', song)
  const content = { release: 'delivered', files: [{ name: 'song.flac' }] }
  await writeFile('song.jsonl', linesOf([{ ...record, content }]))
  return remove
})

afterAll(() => anvil.stop())

/** Starts `npm run import` with the folder of the file. */
const importSong = () =>
  promisify(execFile)(
    process.execPath,
    [importScript, 'song.jsonl', '--files', '.', '--remote', '--env', 'staging'],
    { env: environment({ MARKETPLACE_TOKEN: masterToken }) },
  )

const saleOf = async () => {
  const { listings } = await operator.getListings({ ids: ['2'] })
  return listings[0]?.notSellableReason
}

const filesOf = async () => (await operator.listContentFiles({ nft: 'externalId:nft-2' })).files

it('is imported by a command that was killed in the middle of it', async () => {
  expect(await saleOf()).toBe(null)
  const killed = importSong()
  const ended = expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' })
  await vi.waitUntil(() => sent > BYTES / 3, { timeout: PATIENCE, interval: 1 })
  killed.child.kill('SIGKILL')
  await ended
  expect(sent).toBeLessThan(BYTES)
  const file = { name: 'song.flac', type: 'audio/flac', bytes: BYTES, sha256 }
  expect(await filesOf()).toEqual([{ ...file, state: 'missing' }])
  expect(await saleOf()).toBe('content_missing')

  const { stdout } = await importSong()
  expect(stdout).toMatch(/^Sent 1 file\.$/m)
  expect(await filesOf()).toEqual([{ ...file, state: 'stored' }])
  expect(await saleOf()).toBe(null)
})

const contentOf = () => buyer.getContentOfOrder({ order_id: orderId })
const fileUrl = async () => (await contentOf()).files[0]?.url ?? ''

/** Lets the node take transactions, or refuse them: then nothing is delivered. */
function deliver(isOn: boolean) {
  const error = { code: -32_603, message: 'the pool is full' }
  const refused = { on: ['eth_sendRawTransaction'], effect: { error, reach: 'none' as const } }
  node.setFaults(isOn ? [] : [refused])
}

it('is ordered once by a call whose answer was lost, and released by the delivery', async () => {
  deliver(false)
  losesAnswer = true
  const { orders } = await shop.putOrder({
    providerId: 'song-1',
    body: { listingId: 2, nftId: 2, quantity: 1, buyerUserId: 3 },
  })
  expect(losesAnswer).toBe(false)
  orderId = orders[0]?.id ?? 0
  const { orders: found } = await operator.listOrders({ providerId: 'song-1' })
  expect(found.map(({ id }) => id)).toEqual([orderId])
  await expect(contentOf()).rejects.toMatchObject({ code: 'not_delivered' })

  deliver(true)
  await shop.waitForDelivery(orderId, { interval: 100 })
  expect(await contentOf()).toMatchObject({
    phrase: null,
    files: [{ name: 'song.flac', bytes: BYTES, sha256 }],
  })
})

/** Reads a body until it has some bytes, and breaks the connection then. */
async function readUntil({ body }: Response, enough: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let read = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    read += chunk.length
    if (read >= enough) break
  }
  return Buffer.concat(chunks)
}

it('is downloaded in two parts, because the first download breaks off', async () => {
  const response = await fetch(await fileUrl())
  expect(response.headers.get('content-length')).toBe(String(BYTES))
  const first = await readUntil(response, BYTES / 2)
  expect(first.length).toBeLessThan(BYTES)

  // As a browser does that goes on: with a new URL, because the first one may have expired.
  const rest = await fetch(await fileUrl(), {
    headers: { range: `bytes=${first.length}-`, 'if-range': response.headers.get('etag') ?? '' },
  })
  expect(rest.status).toBe(206)
  expect(rest.headers.get('content-range')).toBe(`bytes ${first.length}-${BYTES - 1}/${BYTES}`)
  const whole = createHash('sha256')
    .update(first)
    .update(await rest.bytes())
  expect(whole.digest('hex')).toBe(sha256)
})

/** Takes back the block of the delivery, and those after it. */
async function forkAtDelivery() {
  const { orders } = await buyer.getOrders({ order_ids: [orderId] })
  const hash = orders[0]?.orderItems[0]?.txId as Hash
  const chain = createPublicClient({ transport: http(anvil.url), cacheTime: 0 })
  const { blockNumber } = await chain.getTransactionReceipt({ hash })
  const blocks = Number((await chain.getBlockNumber()) - blockNumber) + 1
  const response = await fetch(`${url}/dev/reorganise`, {
    method: 'POST',
    body: JSON.stringify({ blocks }),
  })
  expect(response.status).toBe(200)
}

it('is taken away by a fork of the chain, until it is delivered again', async () => {
  const file = await fileUrl()
  const statusOf = async () => (await fetch(file, { method: 'HEAD' })).status
  expect(await statusOf()).toBe(200)
  deliver(false)
  await forkAtDelivery()
  expect(await statusOf()).toBe(404)
  await expect(contentOf()).rejects.toMatchObject({ code: 'not_delivered' })

  deliver(true)
  await shop.waitForDelivery(orderId, { interval: 100 })
  expect(await statusOf()).toBe(200)
  expect(await contentOf()).toMatchObject({ files: [{ sha256 }] })
})
