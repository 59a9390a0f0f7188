/** A temporary folder that looks like this project, with a state of its own, to run commands in. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { environment } from './environment.ts'

const LINKED = ['client', 'migrations', 'node_modules', 'package.json', 'scripts', 'src']

export type Project = {
  folder: string
  /** Runs what `npm run <name>` does, or a file, and resolves when it has ended. */
  run: (name: string, args?: string[], env?: Record<string, string>) => Promise<Result>
  /** Starts it, and resolves when it has printed the text `until`. */
  start: (name: string, until: string, env?: Record<string, string>) => Promise<Started>
  /** Ends what a failed test has left running, and deletes the folder. */
  remove: () => Promise<void>
}

type Result = { out: string; errors: string; status: number | null }
type Started = { process: ChildProcess; out: string }

/** A folder that looks like this project, or like the copy of it in `root`. */
export async function aProjectFolder(root = '.') {
  const folder = await mkdtemp(join(tmpdir(), 'project-'))
  for (const name of LINKED) await symlink(resolve(root, name), join(folder, name))
  await copyFile(join(root, 'wrangler.toml'), join(folder, 'wrangler.toml'))
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

/** Raises the rate limits of a project, because all tests send their requests from one address. */
export async function raiseLimits(folder: string) {
  const file = join(folder, 'wrangler.toml')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll(/limit = \d+, period/g, 'limit = 1000000, period'))
}

export async function aProject(root?: string): Promise<Project> {
  const { folder, remove } = await aProjectFolder(root)
  const children = new Set<ChildProcess>()
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const spawnScript = (name: string, args: string[], env: Record<string, string>) => {
    const file = scripts[name]?.replace('node ', '') ?? name
    const child = spawn(process.execPath, [file, ...args], {
      cwd: folder,
      env: environment(env),
    })
    children.add(child)
    child.once('close', () => children.delete(child))
    return { child, out: collect(child.stdout), errors: collect(child.stderr) }
  }
  return {
    folder,
    run: async (name, args = [], env = {}) => {
      const { child, out, errors } = spawnScript(name, args, env)
      const [status] = await once(child, 'close')
      return { out: out(), errors: errors(), status }
    },
    start: (name, until, env = {}) => {
      const { child, out, errors } = spawnScript(name, [], env)
      return new Promise((resolve, reject) => {
        child.stdout.on('data', () => {
          if (out().includes(until)) resolve({ process: child, out: out() })
        })
        child.once('close', () => reject(new Error(`${name} ended: ${out()}${errors()}`)))
      })
    },
    remove: async () => {
      const ended = Promise.all([...children].map((child) => once(child, 'close')))
      for (const child of children) child.kill('SIGTERM')
      await ended
      await remove()
    },
  }
}

/** Returns the token of a shop in what `npm run dev` prints. */
export const tokenIn = (out: string): string => /TOKEN=(\S+)/.exec(out)?.[1] ?? ''

/** Returns a function that returns the text of the stream so far. */
function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

/**
 * Returns a port that no process listens on. It is below the ports that systems give to outgoing
 * connections and to servers on port 0: one of those could be taken before it is used.
 */
export async function aFreePort(): Promise<string> {
  const port = randomInt(10_000, 32_000)
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return aFreePort()
  server.close()
  await once(server, 'close')
  return String(port)
}

/** Returns the path of the database of `npm run dev` in a project. */
export function databaseFile(folder: string): string {
  const root = join(folder, '.wrangler/state/v3/d1')
  const name = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((file) =>
    /[0-9a-f]{64}\.sqlite$/.test(file),
  )
  if (!name) throw new Error('there is no database')
  return join(root, name)
}
