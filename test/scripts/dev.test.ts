import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createPublicClient, createWalletClient, type Hash, http, parseEventLogs } from 'viem'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { deliveryOwner } from '../../scripts/catalogue/demo.ts'
import { localAccount } from '../../scripts/chain/accounts.ts'
import { startAnvil } from '../../scripts/chain/anvil.ts'
import { erc1155Abi } from '../../scripts/chain/collectibles.ts'
import { aFreePort, aProject, type Project } from '../support/project.ts'

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

const curlIn = (out: string) => /^curl .*$/m.exec(out)?.[0] ?? ''
const tokenIn = (out: string) => /Master token:\n(\S+)/.exec(out)?.[1] ?? ''

it('starts a marketplace whose printed example leads to a transfer on the chain', async () => {
  const { process, out } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, created')
  expect(out).toContain('contract   0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  const placed = JSON.parse(execFileSync('sh', ['-c', curlIn(out)], { encoding: 'utf8' }))
  expect(placed).toMatchObject({ orders: [{ id: 1, status: 'paid' }], error: null })

  // The command opens the database of the running server.
  const { out: token } = await project.run('token', ['--user', '3'])
  const item = await waitForTransfer(token.trim())
  const chain = createPublicClient({ transport: http(`http://127.0.0.1:${ports.RPC_PORT}`) })
  const receipt = await chain.getTransactionReceipt({ hash: item.txId })
  const [transfer] = parseEventLogs({ abi: erc1155Abi, logs: receipt.logs })
  expect(transfer?.args).toMatchObject({ to: localAccount(3).address, id: 2n, value: 1n })

  const processes = descendantsOf(process.pid)
  for (const part of ['anvil', 'workerd'])
    expect(processes.some((description) => description.includes(part))).toBe(true)
  process.kill('SIGTERM')
  await once(process, 'close')
  expect(processes.filter(isRunning)).toEqual([])
})

it('keeps its state and its master token after a restart', async () => {
  const { process, out } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, unchanged')
  expect(await readItem(tokenIn(out))).toMatchObject({ status: 'transferred' })
  process.kill('SIGINT')
  await once(process, 'close')
})

it('moves to another node, also if the contract gets another address there', async () => {
  const anvil = await startAnvil({ port: 0 })
  const rpcUrl = anvil.url
  const sender = createWalletClient({ account: deliveryOwner, transport: http(rpcUrl) })
  await sender.sendTransaction({ to: deliveryOwner.address, chain: null })

  const { process, out } = await project.start('dev', READY, { ...ports, RPC_URL: rpcUrl })
  expect(out).toContain('demo, moved to a new chain because the old one is gone')
  expect(out).not.toContain('0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  execFileSync('sh', ['-c', curlIn(out)])
  await waitForTransfer(tokenIn(out), 2)
  process.kill('SIGINT')
  await once(process, 'close')
  await anvil.stop()
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
