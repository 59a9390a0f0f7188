/** What tests do with a running `npm run dev`. */
import { execFileSync } from 'node:child_process'
import type { Hash } from 'viem'
import { afterAll, vi } from 'vitest'
import { environment } from './environment.ts'
import { PATIENCE } from './patience.ts'
import { aFreePort, aProject } from './project.ts'

/** The end of what it prints when it has started. */
export const READY = 'Press Ctrl-C to stop'

/** Makes a project, which is removed after the tests of the file, and chooses its ports. */
export async function aDevProject() {
  const project = await aProject()
  afterAll(() => project.remove())
  return { project, ports: { PORT: await aFreePort(), RPC_PORT: await aFreePort() } }
}

/** Places a paid order, and returns the response. */
export const placeOrder = (token: string, port: string, order: object) =>
  fetch(`http://localhost:${port}/api/externalOrders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([order]),
  })

type Item = { status: string; txId: Hash }

/** The id of the first order after those of the demo. */
export const FIRST_ORDER = 7

/** Returns the item of an order. */
export async function readItem(
  token: string,
  port: string,
  orderId = FIRST_ORDER,
): Promise<Item | undefined> {
  const response = await fetch(`http://localhost:${port}/api/externalOrders/${orderId}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { orders } = (await response.json()) as { orders: { orderItems: Item[] }[] }
  return orders[0]?.orderItems[0]
}

export const waitForTransfer = (
  token: string,
  port: string,
  orderId = FIRST_ORDER,
): Promise<Item> =>
  vi.waitUntil(
    async () => {
      const item = await readItem(token, port, orderId)
      return item?.status === 'transferred' && item
    },
    // A run that was cut off with an earlier instance keeps the lease of the chain for a minute.
    { timeout: 3 * PATIENCE, interval: 200 },
  )

/** Runs the printed commands in a shell, as a person would. Returns the order that they place. */
export function runExample(out: string) {
  const commands = out.match(/^(export TOKEN=|curl ).*$/gm) ?? []
  const options = { encoding: 'utf8', env: environment() } as const
  return JSON.parse(execFileSync('sh', ['-c', commands.join('\n')], options))
}

/** Returns the id and the command of each process that descends from this one. */
export function descendantsOf(parent: number | undefined): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const below = (id: string): string[] =>
    rows
      .filter(([, ppid]) => ppid === id)
      .flatMap(([pid = '', , ...args]) => [`${pid} ${args.join(' ')}`, ...below(pid)])
  return below(String(parent))
}

export const isRunning = (process: string) => {
  const [pid = ''] = process.split(' ')
  try {
    return execFileSync('ps', ['-p', pid, '-o', 'stat='], { encoding: 'utf8' })[0] !== 'Z'
  } catch {
    return false
  }
}
