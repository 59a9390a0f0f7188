/** What tests do with a running `npm run dev`. */
import { execFileSync } from 'node:child_process'
import type { Hash } from 'viem'
import { vi } from 'vitest'
import { environment } from './environment.ts'
import { PATIENCE } from './patience.ts'

/** The end of what it prints when it has started. */
export const READY = 'Press Ctrl-C to stop'

type Item = { status: string; txId: Hash }

/** Returns the item of an order. */
export async function readItem(
  token: string,
  port: string,
  orderId = 1,
): Promise<Item | undefined> {
  const response = await fetch(`http://localhost:${port}/api/externalOrders/${orderId}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { orders } = (await response.json()) as { orders: { orderItems: Item[] }[] }
  return orders[0]?.orderItems[0]
}

export const waitForTransfer = (token: string, port: string, orderId = 1): Promise<Item> =>
  vi.waitUntil(
    async () => {
      const item = await readItem(token, port, orderId)
      return item?.status === 'transferred' && item
    },
    { timeout: PATIENCE, interval: 200 },
  )

/** Runs the printed examples in a shell, as a person would, up to the given one. */
export function runExample(out: string, number: number) {
  const lines = out.match(/^(export TOKEN=|curl ).*$/gm) ?? []
  const [token = '', ...examples] = lines
  return JSON.parse(
    execFileSync('sh', ['-c', `${token}\n${examples[number]}`], {
      encoding: 'utf8',
      env: environment(),
    }),
  )
}
