/** What `npm run dev` prints, and the commands that readers run beside it. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Address, createPublicClient, type Hash, http, parseEventLogs, webSocket } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import { runExample, waitForTransfer } from '../support/dev.ts'
import { environment } from '../support/environment.ts'
import { instance } from '../support/instance/instance.ts'
import { PATIENCE } from '../support/patience.ts'

const buyer = localAccount(3).address
const { port } = new URL(instance.url)
const chain = createPublicClient({ transport: http(instance.rpcUrl) })
const readLog = () => readFileSync(instance.log, 'utf8')

/** Returns the transfers of pieces in a transaction, which may have those of other orders, too. */
async function transfersIn(hash: Hash) {
  const { logs } = await chain.getTransactionReceipt({ hash })
  return parseEventLogs({ abi: erc1155Abi, logs }).map(({ args }) => args)
}

it('prints examples that lead to a transfer on the chain', async () => {
  const out = readLog()
  expect(out).toContain('demo, created')
  expect(out).toContain('contract   0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  const answer = runExample(out)
  expect(answer).toMatchObject({ orders: [{ status: 'paid' }], error: null })
  const { txId } = await waitForTransfer(instance.token, port, answer.orders[0].id)
  expect(await transfersIn(txId)).toContainEqual(
    expect.objectContaining({ to: buyer, id: 2n, value: 1n }),
  )
})

/** Runs the commands of the first order in README.md, and returns the answer of the last one. */
async function runReadme() {
  const [, section = ''] =
    /^## Place your first order\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? []
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const [place = '', read = '', receipt = ''] = blocks
  const rpcPort = new URL(instance.rpcUrl).port
  const placeHere = place.replace('PORT=8787 RPC_PORT=8545', `PORT=${port} RPC_PORT=${rpcPort}`)
  const wait = `until (${read}) | grep -q transferred; do :; done`
  const script = [placeHere, wait, receipt].join('\n')
  const options = { cwd: instance.folder, env: environment() }
  const { stdout } = await promisify(execFile)('sh', ['-c', script], options)
  return JSON.parse(stdout)
}

/** An address as a topic of a log. */
const toTopic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

it('takes the first order of the README', async () => {
  const { result } = await runReadme()
  expect(result.status).toBe('0x1')
  // The transaction may have those of other orders, too.
  const topics = result.logs.flatMap((log: { topics: string[] }) => log.topics)
  expect(topics).toContain(toTopic(buyer))
})

describe('the chain', () => {
  /** Returns a call that sends a transaction from an account that anvil unlocks. */
  const sendFrom = (from: Address, id = 1) => ({
    ...{ jsonrpc: '2.0', id, method: 'eth_sendTransaction' },
    params: [{ from, to: from }],
  })
  const stranger = '0x00000000000000000000000000000000000000ff'
  const [first, second] = [localAccount(8).address, localAccount(9).address]

  async function callChain<Answer>(body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await fetch(instance.rpcUrl, init)).json()) as Answer
  }

  it('answers once a transaction is in a block, so that nobody waits for a block after it', async () => {
    for (let i = 0; i < 5; i++) {
      const { result: hash } = await callChain<{ result: Hash }>(sendFrom(first))
      expect(await chain.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    }
    const batch = [sendFrom(first, 1), sendFrom(second, 2)]
    const sent = await callChain<{ result: Hash }[]>(batch)
    for (const { result: hash } of sent)
      expect(await chain.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  })

  it('accepts WebSockets, and passes on the errors of the node', async () => {
    const socket = createPublicClient({
      transport: webSocket(instance.rpcUrl.replace('http', 'ws')),
    })
    expect(await socket.getChainId()).toBe(31337)
    ;(await socket.transport.getRpcClient()).close()
    expect(await callChain(sendFrom(stranger))).toMatchObject({
      error: { message: 'No Signer available' },
    })
  })
})

it('prints a line for each request and each event', async () => {
  await vi.waitFor(() => {
    const log = readLog()
    expect(log).toMatch(
      /^\d\d:\d\d:\d\d {2}POST \/api\/externalOrders {2}200 {2}\d+ ms {2}master \(user 1\) · req \w{8}$/m,
    )
    expect(log).toMatch(/^\d\d:\d\d:\d\d {2}items_transferred {2}chainId 31337 · items \d+$/m)
    expect(log).not.toContain('{"event"')
  }, PATIENCE)
})

it('is started once in a folder', async () => {
  const options = { cwd: instance.folder, env: environment() }
  const second = promisify(execFile)(process.execPath, ['scripts/local/dev.ts'], options)
  await expect(second).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^\`npm run dev\` is already running in this folder \\(process (\\d+), ${instance.url}\\)\\. \`kill \\1\` ends it\\.\n$`,
      ),
    ),
  })
})
