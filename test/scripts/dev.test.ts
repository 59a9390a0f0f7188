import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, type Hash, http, parseEventLogs } from 'viem'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { deliveryOwner } from '../../scripts/catalogue/demo.ts'
import { localAccount } from '../../scripts/chain/accounts.ts'
import { startAnvil } from '../../scripts/chain/anvil.ts'
import { erc1155Abi } from '../../scripts/chain/collectibles.ts'
import { aFreePort, aProject, type Project, tokenIn } from '../support/project.ts'

const READY = 'Press Ctrl-C to stop'

let project: Project
let ports: { PORT: string; RPC_PORT: string }

beforeAll(async () => {
  project = await aProject()
  ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
})

afterAll(() => project.remove())

/** Returns the id and the command of each process that descends from this one. */
function descendantsOf(parent: number | undefined): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const below = (id: string): string[] =>
    rows
      .filter(([, ppid]) => ppid === id)
      .flatMap(([pid = '', , ...args]) => [`${pid} ${args.join(' ')}`, ...below(pid)])
  return below(String(parent))
}

const isRunning = (process: string) => {
  const [pid = ''] = process.split(' ')
  try {
    return execFileSync('ps', ['-p', pid, '-o', 'stat='], { encoding: 'utf8' })[0] !== 'Z'
  } catch {
    return false
  }
}

type Item = { status: string; txId: Hash }

/** Returns the item of an order. */
async function readItem(token: string, orderId = 1): Promise<Item | undefined> {
  const response = await fetch(`http://localhost:${ports.PORT}/api/externalOrders/${orderId}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { orders } = (await response.json()) as { orders: { orderItems: Item[] }[] }
  return orders[0]?.orderItems[0]
}

const waitForTransfer = (token: string, orderId = 1): Promise<Item> =>
  vi.waitUntil(
    async () => {
      const item = await readItem(token, orderId)
      return item?.status === 'transferred' && item
    },
    { timeout: 60_000, interval: 200 },
  )

/** Runs the printed examples in a shell, as a person would, up to the given one. */
function runExample(out: string, number: number) {
  const lines = out.match(/^(export TOKEN=|curl ).*$/gm) ?? []
  const [token = '', ...examples] = lines
  return JSON.parse(
    execFileSync('sh', ['-c', `${token}\n${examples[number]}`], { encoding: 'utf8' }),
  )
}

/** Sends requests until one is answered. */
const firstAnswer = (path: string) =>
  vi.waitUntil(
    () =>
      fetch(`http://localhost:${ports.PORT}${path}`).then(
        (r) => r.json(),
        () => false,
      ),
    { timeout: 60_000, interval: 50 },
  )

it('starts a marketplace whose printed examples lead to a transfer on the chain', async () => {
  const stats = firstAnswer('/api/public/stats')
  const { process, out, waitFor } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, created')
  expect(out).toContain('contract   0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  // The port was closed while there was nothing to answer with.
  expect(await stats).toEqual({ stats: { nfts: { total: 3, unique: 1, rare: 1, unlimited: 1 } } })
  expect(runExample(out, 0)).toMatchObject({ orders: [{ id: 1, status: 'paid' }], error: null })
  expect(runExample(out, 1)).toMatchObject({ orders: [{ id: 1 }], error: null })

  const item = await waitForTransfer(tokenIn(out))
  const chain = createPublicClient({ transport: http(`http://127.0.0.1:${ports.RPC_PORT}`) })
  const receipt = await chain.getTransactionReceipt({ hash: item.txId })
  const [transfer] = parseEventLogs({ abi: erc1155Abi, logs: receipt.logs })
  expect(transfer?.args).toMatchObject({ to: localAccount(3).address, id: 2n, value: 1n })

  // These commands open the database of the running server.
  const { out: token } = await project.run('token', ['--user', '3'])
  expect(await readItem(token.trim())).toMatchObject({ status: 'transferred' })
  const exported = await project.run('export', ['--user', '3', 'person.json'])
  expect(exported.out).toContain('Wrote the data of user 3, with 1 orders, to person.json.')

  const log = (await waitFor(/GET .* user 3 /)).slice(out.length)
  expect(log).toMatch(
    /^\d\d:\d\d:\d\d {2}POST \/api\/externalOrders {2}200 {2}\d+ ms {2}master \(user 1\) · req \w{8}$/m,
  )
  expect(log).toMatch(/GET \/api\/externalOrders\/1 {2}200 {2}\d+ ms {2}user 3 · req \w{8}$/m)
  expect(log).toMatch(/^\d\d:\d\d:\d\d {2}items_transferred {2}chainId 31337 · items 1$/m)
  expect(log).not.toContain('{"event"')

  const second = await project.run('dev', [], {
    PORT: await aFreePort(),
    RPC_PORT: await aFreePort(),
  })
  expect(second).toEqual({
    out: '',
    errors: `\`npm run dev\` is already running in this folder (process ${process.pid}, http://localhost:${ports.PORT}).\n`,
    status: 1,
  })

  const processes = descendantsOf(process.pid)
  for (const part of ['anvil', 'workerd'])
    expect(processes.some((description) => description.includes(part))).toBe(true)
  process.kill('SIGTERM')
  expect(await once(process, 'close')).toEqual([0, null])
  expect(processes.filter(isRunning)).toEqual([])
})

it('keeps its state and its master token after a restart, and mails links to the log', async () => {
  const { process, out, waitFor } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, unchanged')
  expect(await readItem(tokenIn(out))).toMatchObject({ status: 'transferred' })

  const body = new URLSearchParams({ email: 'bo@example.com' })
  await fetch(`http://localhost:${ports.PORT}/sign-in/email`, { method: 'POST', body })
  const log = await waitFor(/sign-in link/)
  const [, link = ''] = /sign-in link for bo@example\.com: (http:\S+)$/m.exec(log) ?? []
  const page = await fetch(link)
  expect({ status: page.status, text: await page.text() }).toEqual({
    status: 200,
    text: expect.stringContaining('bo@example.com'),
  })

  // Nothing can be done by a process that is killed. Its parts end all the same.
  const processes = descendantsOf(process.pid)
  process.kill('SIGKILL')
  await vi.waitUntil(() => !processes.some(isRunning), { timeout: 20_000, interval: 100 })
})

it('moves to another node, also if the contract gets another address there', async () => {
  const anvil = await startAnvil({ port: 0 })
  const rpcUrl = anvil.url
  const sender = createWalletClient({ account: deliveryOwner, transport: http(rpcUrl) })
  await sender.sendTransaction({ to: deliveryOwner.address, chain: null })

  const { process, out } = await project.start('dev', READY, { ...ports, RPC_URL: rpcUrl })
  expect(out).toContain('demo, moved to a new chain because the old one is gone')
  expect(out).not.toContain('0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  expect(runExample(out, 0)).toMatchObject({ orders: [{ id: 2 }] })
  await waitForTransfer(tokenIn(out), 2)
  process.kill('SIGINT')
  await once(process, 'close')
  await anvil.stop()
})

it('ends everything with the reason if the Worker does not start', async () => {
  const main = join(project.folder, 'broken.ts')
  await writeFile(main, 'const x = ;')
  const toml = join(project.folder, 'wrangler.toml')
  const text = await readFile(toml, 'utf8')
  await writeFile(toml, text.replace('src/worker.ts', 'broken.ts'))
  const { errors, status } = await project.run('dev', [], ports)
  await writeFile(toml, text)
  expect(status).toBe(1)
  expect(errors).toMatch(/^The Worker exited \(1\)\. Stopping everything\.\n.*Build failed/)
  expect(errors).toContain('broken.ts:1:10')
  expect(errors).not.toContain('env.DB')
})

it('prints an error if a port is in use', async () => {
  const server = createServer().listen(Number(ports.PORT), '127.0.0.1')
  await once(server, 'listening')
  const { errors, status } = await project.run('dev', [], ports)
  server.close()
  expect(status).toBe(1)
  expect(errors).toMatch(new RegExp(`^Port ${ports.PORT} is in use\\. .* PORT=\\d+ npm run dev\n$`))
})

it('prints an error if no node responds at RPC_URL', async () => {
  const RPC_URL = `http://127.0.0.1:${await aFreePort()}`
  const { errors, status } = await project.run('dev', [], { ...ports, RPC_URL })
  expect({ errors, status }).toEqual({
    errors: `No EVM node responds at RPC_URL (${RPC_URL}).\n`,
    status: 1,
  })
})
