/**
 * Starts `npm run dev` once, in a project of its own, for the tests of pages, clients and commands.
 * `instance.ts` beside this file has what these tests do with it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { environment } from '../environment.ts'
import { aFreePort, aProjectFolder, raiseLimits, tokenIn } from '../project.ts'

export type Instance = {
  url: string
  /** The local node. */
  rpcUrl: string
  /** The project of the instance, in which commands find its database. */
  folder: string
  /** A master token, and the token of a shop that `npm run dev` prints. */
  token: string
  shopToken: string
  /** The file with what `npm run dev` prints. */
  log: string
  receivers: Awaited<ReturnType<typeof reservePorts>>
}

declare module 'vitest' {
  interface ProvidedContext {
    instance: Instance
  }
}

export default async function setup(project: TestProject) {
  const { folder, remove } = await aProjectFolder()
  await raiseLimits(folder)
  const [PORT, RPC_PORT] = [await aFreePort(), await aFreePort()]
  const receivers = await reservePorts()
  const log = join(folder, 'dev.log')
  const output = await open(log, 'w')
  const dev = spawn(process.execPath, ['scripts/local/dev.ts'], {
    cwd: folder,
    // With this variable, which npm sets, it ends with this process, even after SIGKILL.
    env: environment({ PORT, RPC_PORT, npm_lifecycle_event: 'dev' }),
    stdio: ['ignore', output.fd, output.fd],
  })
  const shopToken = tokenIn(await readWhenReady(dev, log))
  const issue = [join(folder, 'scripts/operate/token.ts'), '--master']
  const issued = await promisify(execFile)(process.execPath, issue, {
    cwd: folder,
    env: environment({}),
  })
  const token = issued.stdout.trim()
  project.provide('instance', {
    url: `http://localhost:${PORT}`,
    rpcUrl: `http://127.0.0.1:${RPC_PORT}`,
    ...{ folder, token, shopToken, log, receivers },
  })
  return async () => {
    dev.kill('SIGINT')
    await once(dev, 'exit')
    await output.close()
    if (project.vitest.state.getCountOfFailedTests() > 0) await printErrors(log)
    await remove()
  }
}

/** Ports of 127.0.0.1 for servers of tests that the instance sends requests to. */
async function reservePorts() {
  const port = async () => Number(await aFreePort())
  return {
    pictures: await port(),
    settings: await port(),
    docs: await port(),
  }
}

/** Prints the errors that the instance has logged, which may be why a test has failed. */
async function printErrors(log: string) {
  const lines = (await readFile(log, 'utf8')).split('\n')
  console.error(lines.filter((line) => / {2}ERROR {2}|^ +error: /.test(line)).join('\n'))
}

async function readWhenReady(dev: ChildProcess, log: string): Promise<string> {
  for await (const _ of setInterval(100)) {
    const text = await readFile(log, 'utf8')
    if (text.includes('Press Ctrl-C to stop')) return text
    if (dev.exitCode !== null) break
  }
  throw new Error(`The instance did not start: ${await readFile(log, 'utf8')}`)
}
