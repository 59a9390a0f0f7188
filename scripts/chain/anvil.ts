/** A local EVM node: anvil, run as its own binary so that a signal to it meets no wrapper. */
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { type Child, start } from '../shell/child.ts'

export type Anvil = Child & { url: string }

type Options = {
  /** 0 takes a free one. */
  port: number
  /** The file that the chain is read from and, every few seconds and at the end, written to. */
  statePath?: string
  /** Further arguments of anvil's, such as `--block-time 1` or `--no-mining`. */
  args?: readonly string[]
}

/**
 * Resolves once the node listens. `stop()` waits until it has written its state. Throws what
 * anvil says when it cannot start.
 */
export async function startAnvil({ port, statePath, args = [] }: Options): Promise<Anvil> {
  const state = statePath ? ['--state', statePath, '--state-interval', '5'] : []
  const child = start(binary(), ['--port', String(port), ...state, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { ...child, url: await listening(child) }
}

function listening({ process: { stdout, stderr }, ended }: Child): Promise<string> {
  let complaint = ''
  stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  return new Promise((resolve, reject) => {
    ended.then(() => reject(new Error(`anvil did not start: ${complaint.trim()}`)), reject)
    if (!stdout) return
    // The lines are read to the end: a pipe that nobody reads would stop the node.
    createInterface(stdout).on('line', (line) => {
      const [, address] = /^Listening on (\S+)/.exec(line) ?? []
      if (address) resolve(`http://${address}`)
    })
  })
}

/** The native binary, which npm installs beside `@foundry-rs/anvil` for the machine's platform. */
function binary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `anvil-${process.platform}-${architecture}`
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const fromHere = createRequire(import.meta.url)
  const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
  return fromAnvil.resolve(`@foundry-rs/${name}/bin/${file}`)
}
