/** The shops of the guide, and `check-my-shop` with them. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { READY } from './dev.ts'
import { environment } from './environment.ts'
import { aFreePort, aProject, type Project, tokenIn } from './project.ts'

export const commands = { ts: process.execPath, py: 'python3' }

export type Language = keyof typeof commands

export const shopLanguages: readonly Language[] =
  spawnSync('python3', ['--version'], { env: environment() }).status === 0 ? ['ts', 'py'] : ['ts']

/** A text of the shop, and what a mistake puts in its place. */
export type Mistake = readonly [right: string, wrong: string]

/** Writes a shop of the guide to a folder, with mistakes. Returns the program and its arguments. */
export async function aShop(
  folder: string,
  language: Language,
  mistakes: readonly Mistake[] = [],
): Promise<string[]> {
  const sample = await readFile(`docs/guides/programs/shop.${language}`, 'utf8')
  const client = JSON.stringify(resolve('client/src/index.ts'))
  let program = sample.replace("'@marketplace-api/marketplace'", client)
  for (const [right, wrong] of mistakes) {
    if (!program.includes(right)) throw new Error(`the shop of the guide has no ${right}`)
    program = program.replace(right, () => wrong)
  }
  const file = join(folder, `${crypto.randomUUID()}.${language === 'ts' ? 'mts' : language}`)
  await writeFile(file, program)
  return [commands[language], file]
}

export type LocalInstance = Instance & { project: Project }

/** Starts an instance with a project of its own, whose `remove` ends it. */
export async function aLocalInstance(): Promise<LocalInstance> {
  const project = await aProject()
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  const dev = await project.start('dev', READY, ports)
  return {
    project,
    url: `http://localhost:${ports.PORT}`,
    rpcUrl: `http://localhost:${ports.RPC_PORT}`,
    token: tokenIn(dev.out),
  }
}

type Instance = { url: string; token: string; rpcUrl: string }

/** Runs `check-my-shop`, as a person does. Returns what it prints, and its exit status. */
export async function checkShop(
  { url, token, rpcUrl }: Instance,
  shop: readonly string[],
  scenarios: readonly string[] = [],
) {
  const options = [
    '--url',
    url,
    '--rpc',
    rpcUrl,
    ...scenarios.flatMap((name) => ['--scenario', name]),
  ]
  const args = ['check-my-shop/src/cli.ts', ...options, '--', ...shop]
  const env = environment({ TOKEN: token })
  const check = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(check, 'exit')
  const [out, errors] = await Promise.all([text(check.stdout), text(check.stderr)])
  const [status] = await exit
  return { out, errors, status }
}
