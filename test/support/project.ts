/** This project in a folder of its own, with its own state, for commands to be run in. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const LINKED = ['migrations', 'node_modules', 'package.json', 'scripts', 'src']

export type Project = {
  folder: string
  /** Runs `node scripts/<name>.ts` to its end. */
  run: (name: string, args?: string[], env?: Record<string, string>) => Promise<Result>
  /** Starts it, and resolves once it has printed the text. */
  start: (name: string, until: string, env?: Record<string, string>) => Promise<Started>
  remove: () => Promise<void>
}

type Result = { out: string; errors: string; status: number | null }
type Started = { process: ChildProcess; out: string }

export async function aProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'project-'))
  for (const name of LINKED) await symlink(resolve(name), join(folder, name))
  await copyFile('wrangler.toml', join(folder, 'wrangler.toml'))

  const spawned = (name: string, args: string[], env: Record<string, string>) =>
    spawn(process.execPath, [`scripts/${name}.ts`, ...args], {
      cwd: folder,
      // The secrets that the tests of the Worker are given are not this project's.
      env: { ...process.env, JWT_KEYS: '', TRANSFER_SIGNER_KEY: '', ...env },
    })
  return {
    folder,
    run: async (name, args = [], env = {}) => {
      const child = spawned(name, args, env)
      const [out, errors] = [printed(child.stdout), printed(child.stderr)]
      const [status] = await once(child, 'close')
      return { out: out(), errors: errors(), status }
    },
    start: (name, until, env = {}) => {
      const child = spawned(name, [], env)
      const [out, errors] = [printed(child.stdout), printed(child.stderr)]
      return new Promise((done, fail) => {
        child.stdout.on('data', () => out().includes(until) && done({ process: child, out: out() }))
        child.once('close', () => fail(new Error(`${name} ended: ${out()}${errors()}`)))
      })
    },
    remove: () => rm(folder, { recursive: true }),
  }
}

function printed(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

/** A port that nothing listens on. */
export async function aFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (!address || typeof address === 'string') throw new Error('the server has no port')
  return String(address.port)
}
