/** Runs anvil, a local EVM node. */
import { createInterface } from 'node:readline'
import { createTestClient, http, publicActions } from 'viem'
import { type Child, start } from '../../shell/child.ts'
import { foundryBinary } from './foundry.ts'

export type Anvil = Awaited<ReturnType<typeof startAnvil>>

type Options = {
  /** 0 selects a free port. */
  port: number
  /** File with the chain's state. Loaded at the start, saved every 5 seconds and at the end. */
  statePath?: string
  /** Further arguments of anvil, such as `--block-time 1` or `--no-mining`. */
  args?: readonly string[]
}

/** States of old blocks that anvil keeps on disk, besides those in memory. Without a limit they fill it. */
const MAX_STATES = 100

/**
 * Starts a node and resolves when it accepts connections. `stop()` waits until the state is saved.
 * Throws an error with anvil's message if it cannot start.
 */
export async function startAnvil({ port, statePath, args = [] }: Options) {
  const state = statePath ? ['--state', statePath, '--state-interval', '5'] : []
  const states = ['--max-persisted-states', String(MAX_STATES)]
  const options = ['--port', String(port), ...states, ...state, ...args]
  const child = start(foundryBinary('anvil'), options, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.process.stderr?.on('data', (chunk) => {
    text += chunk
  })
  /** Returns what the node has written to stderr. */
  const errors = () => text.trim()
  return { ...child, errors, url: await readUrl(child, errors) }
}

function readUrl({ process: { stdout }, ended }: Child, errors: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    ended.then(() => reject(new Error(`anvil did not start: ${errors()}`)), reject)
    if (!stdout) return
    // Reads on after the URL: a full pipe would block the node.
    createInterface(stdout).on('line', (line) => {
      const [, address] = /^Listening on (\S+)/.exec(line) ?? []
      if (address) resolve(`http://${address}`)
    })
  })
}

/** Milliseconds. */
const MINING_INTERVAL = 2000

/**
 * Keeps transactions moving on a node that mines each at once: anvil sometimes leaves one behind, so
 * a block is mined every 2 seconds if any waits. Returns a function that stops it.
 */
export function mineWaiting(url: string): () => void {
  const client = createTestClient({ mode: 'anvil', transport: http(url) })
  const mine = async () => {
    const { pending } = await client.getTxpoolStatus()
    if (pending > 0) await client.mine({ blocks: 1 })
  }
  // A node that is not anvil mines by itself.
  const timer = setInterval(() => mine().catch(() => {}), MINING_INTERVAL)
  return () => clearInterval(timer)
}

/** Mines a block with this time, unless the newest one is later. The chain's clock goes on from it. */
export async function setChainTime(url: string, time: Date): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(url) }).extend(publicActions)
  const timestamp = BigInt(Math.floor(time.getTime() / 1000))
  if ((await client.getBlock()).timestamp >= timestamp) return
  await client.setNextBlockTimestamp({ timestamp })
  await client.mine({ blocks: 1 })
}

/** Replaces the newest blocks by empty ones. Their transactions are gone, also from the pool. */
export async function reorganize(url: string, blocks: number): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(url) })
  await client.request<{ Method: 'anvil_reorg'; Parameters: [number, []]; ReturnType: null }>({
    method: 'anvil_reorg',
    params: [blocks, []],
  })
}
