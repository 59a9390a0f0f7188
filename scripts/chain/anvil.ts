/** A local EVM node: anvil, run as its own binary so that a signal to it meets no wrapper. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

/** The chain id that anvil gives itself. */
export const LOCAL_CHAIN_ID = 31337

export type Anvil = {
  url: string
  process: ChildProcess
  /** Ends the node, and waits until it has written its state. */
  stop: () => Promise<void>
}

type Options = {
  /** 0 takes a free one. */
  port: number
  /** The file that the chain is read from and, each second and at the end, written to. */
  statePath?: string
  /** Further arguments of anvil's, such as `--block-time 1` or `--no-mining`. */
  args?: readonly string[]
}

/** Resolves once the node listens. Throws what anvil says when it cannot. */
export async function startAnvil({ port, statePath, args = [] }: Options): Promise<Anvil> {
  const state = statePath ? ['--state', statePath, '--state-interval', '1'] : []
  const child = spawn(binary(), ['--port', String(port), ...state, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const url = await listening(child)
  return {
    url,
    process: child,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function listening(child: ChildProcess): Promise<string> {
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`anvil did not start: ${complaint.trim()}`)))
    if (!child.stdout) return
    // The lines are read to the end: a pipe that nobody reads would stop the node.
    createInterface(child.stdout).on('line', (line) => {
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
