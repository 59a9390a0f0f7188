/** `check-my-shop`: drives a shop through what production does, and says what to change. */
import { setMaxListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCommand, requireUrl, UsageError } from '../../client/src/cli/command.ts'
import { instanceOptions, openInstance } from '../../client/src/cli/instance.ts'
import { untilInterrupted } from '../../client/src/cli/interrupt.ts'
import { newSecret, parseSecret } from '../../client/src/cli/message.ts'
import { runAs } from '../../client/src/cli/run.ts'
import { Feed } from './feed.ts'
import { Marketplace } from './marketplace.ts'
import { freePort, listenOn } from './port.ts'
import { FaultProxy } from './proxy.ts'
import { type Options as ReportOptions, report } from './report.ts'
import { Run } from './run.ts'
import { chooseScenarios, scenarioNames } from './scenarios.ts'
import { Shop } from './shop.ts'

const INTERRUPTED = 130
const PROXY_PORT = '8790'

/** Milliseconds that a shop has for each step. It may give up a call after 30 seconds, and then goes on. */
const PATIENCE = 35_000

/** Runs the command with its options and, behind `--`, the program of the shop. Returns the exit status. */
export function checkMyShop(args: readonly string[]): Promise<number> {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const command = commandFor(args.slice(end + 1))
  return runAs(command.name, command, args.slice(0, end))
}

/** `program` is that of the shop, with its arguments. */
const commandFor = (program: readonly string[]) =>
  defineCommand({
    name: 'check-my-shop',
    summary: 'Drives a shop through what production does: check-my-shop -- node shop.mts',
    options: {
      scenario: {
        ...{ type: 'string', value: 'NAME', multiple: true },
        help: `Only this scenario; may be given more than once. ${scenarioNames}`,
      },
      listing: {
        ...{ type: 'string', value: 'ID', default: 'listing-2' },
        help: 'What the shop sells: your own id of the listing.',
      },
      shop: {
        ...{ type: 'string', value: 'URL' },
        help: 'A shop that runs already, instead of a program. It is not killed.',
      },
      secret: {
        ...{ type: 'string', value: 'SECRET' },
        help: 'With --shop: what signs its webhooks, as in whsec_….',
      },
      port: {
        ...{ type: 'string', value: 'PORT', default: PROXY_PORT },
        help: 'With --shop: the port for the calls of the shop, in place of the instance.',
      },
      rpc: {
        ...{ type: 'string', value: 'URL', default: 'http://localhost:8545' },
        help: 'A node of the chain, which tells what the wallets of the buyers have.',
      },
      ...instanceOptions,
    },
    run: async (options) => {
      const client = openInstance(options)
      requireUrl('--rpc', options.rpc)
      if (options.shop !== undefined) requireUrl('--shop', options.shop)
      const scenarios = chooseScenarios(options.scenario)
      const isRunning = options.shop !== undefined
      if (isRunning === program.length > 0)
        throw new UsageError('Name the program of the shop behind --, or give --shop.')
      if (isRunning && !options.secret)
        throw new UsageError('--secret is missing: the WEBHOOK_SECRET of the shop.')
      if (!isRunning && options.secret)
        throw new UsageError('--secret is for --shop: a program gets a new one.')
      const secret = parseSecret(options.secret) ?? newSecret()
      const port = isRunning ? parsePort(options.port) : 0
      const marketplace = new Marketplace(client, { url: options.url, rpcUrl: options.rpc })
      const goods = await marketplace.goods(options.listing)
      const folder = await mkdtemp(join(tmpdir(), 'check-my-shop-'))
      const proxy = new FaultProxy(options.url)
      const proxyPort = await listenOn(proxy.server, port)
      const shop = options.shop
        ? new Shop(options.shop)
        : await shopOf(program, folder, {
            MARKETPLACE_URL: `http://127.0.0.1:${proxyPort}`,
            MARKETPLACE_TOKEN: options.token ?? process.env.TOKEN ?? '',
            WEBHOOK_SECRET: secret,
          })
      let isClean = false
      const check = async (signal: AbortSignal) => {
        // Scenarios run at the same time, and each waits.
        setMaxListeners(0, signal)
        const feed = new Feed({ client, shop, secret, signal })
        const parts = { shop, proxy, feed, marketplace, goods, patience: PATIENCE, signal }
        const print: ReportOptions = { url: options.url, log: join(folder, LOG) }
        const findings = await report(new Run(parts), scenarios, print)
        isClean = findings === 0
        return isClean ? 0 : 1
      }
      try {
        return await untilInterrupted(check, { status: INTERRUPTED })
      } finally {
        await shop.kill()
        if (isClean) await rm(folder, { recursive: true })
        proxy.server.close()
        proxy.server.closeAllConnections()
      }
    },
  })

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65535) throw new UsageError('--port must be a number from 1 to 65535.')
  return port
}

/** What the shop prints. */
const LOG = 'shop.log'

async function shopOf(
  command: readonly string[],
  folder: string,
  env: Record<string, string>,
): Promise<Shop> {
  const port = await freePort()
  const all = { ...env, PORT: String(port), DATA_DIR: folder }
  return new Shop(`http://localhost:${port}`, { command, env: all, log: join(folder, LOG) })
}
