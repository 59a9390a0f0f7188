/** Reorganises the block of a delivery away, once the shop was told that it is delivered. */
import { setTimeout } from 'node:timers/promises'
import { createPublicClient, type Hash, http } from 'viem'
import { query } from './explorer.ts'

type Instance = { url: string; rpcUrl: string }

/** Milliseconds to wait for the event. Without it, nothing is reorganised. */
const MAX_WAIT = 60_000

export async function undoDelivery({ url, rpcUrl }: Instance, hash: Hash): Promise<void> {
  const giveUpAt = performance.now() + MAX_WAIT
  while (!(await isDelivered(url, hash))) {
    if (performance.now() > giveUpAt) return
    await setTimeout(100)
  }
  const chain = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const { blockNumber } = await chain.getTransactionReceipt({ hash })
  const blocks = Number((await chain.getBlockNumber()) - blockNumber) + 1
  await fetch(`${url}/dev/reorganise`, { method: 'POST', body: JSON.stringify({ blocks }) })
}

async function isDelivered(url: string, hash: Hash): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM events
    WHERE type = 'order.delivered' AND data ->> 'txId' = ?1`
  return (await query(url, sql, hash)).length > 0
}
