/** Starts the local chain and the Worker. Both end with this process. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { Address, Hash } from 'viem'
import { orders } from '../../src/db/schema/orders.ts'
import { ASSETS } from '../build/docs/write.ts'
import { prepare } from '../build/installation.ts'
import { parseRpcUrls } from '../operate/contract/networks.ts'
import { issueToken, parseIssuer } from '../operate/tokens/issue.ts'
import { parseInteger } from '../shell/command.ts'
import { createSupervisor, type Supervisor } from '../shell/supervisor.ts'
import { produceBlocks } from './blocks.ts'
import { describeCaller } from './caller.ts'
import { mineWaiting, setChainTime, startAnvil } from './chain/anvil.ts'
import { checkNode, ensureDelivery, syncCatalogue } from './chain.ts'
import { openChainPort } from './chain-port.ts'
import { type Clock, openClock } from './clock.ts'
import { createControl } from './control.ts'
import { createControls } from './controls.ts'
import { migrate, openLocalDatabase } from './database.ts'
import { placeDemoOrders } from './demo-orders.ts'
import { freeLeases } from './explorer.ts'
import { openGateway } from './gateway.ts'
import { requestLine } from './lines.ts'
import { lockFolder } from './lock.ts'
import { startMarketplace } from './marketplace.ts'
import { findOutcomeTokens } from './outcomes.ts'
import { CHAIN_STATE, DELIVERY, SECRETS, STATE, savePublicUrl, saveRpcUrls } from './paths.ts'
import { checkPort } from './port.ts'
import { addMissingSecrets } from './secrets.ts'
import { createTarget } from './target.ts'
import { undoDelivery } from './undo.ts'
import { welcome } from './welcome.ts'
import { startCron } from './worker.ts'

export async function runLocally({ isFresh }: { isFresh: boolean }): Promise<void> {
  const { PORT = '8787', RPC_PORT = '8545', RPC_URL = '' } = process.env
  const port = parseInteger('PORT', PORT, 1, 65535)
  const rpcPort = parseInteger('RPC_PORT', RPC_PORT, 1, 65535)
  const url = `http://localhost:${port}`
  const external = parseRpcUrls(RPC_URL)
  const isExternal = external.length > 0

  const supervisor = createSupervisor()
  await lockFolder(url)
  await checkPort(port, 'PORT')
  for (const node of external) await checkNode(node)
  if (!isExternal) await checkPort(rpcPort, 'RPC_PORT')

  if (isFresh) await rm(STATE, { recursive: true, force: true })
  await mkdir(STATE, { recursive: true })
  const secrets = await addMissingSecrets(SECRETS)
  if (secrets.length > 0) printStatus('secrets', `added ${secrets.join(' and ')} to ${SECRETS}`)

  if (!existsSync(`${ASSETS}/docs.fragment`)) {
    printStatus('docs', 'writing them, as `npm install` does')
    await prepare()
  }

  // The control API moves the time and the blocks of the first one.
  const rpcUrl = external[0] ?? (await startChain(supervisor))
  const rpcUrls = isExternal ? external : [rpcUrl]
  const shownUrl = isExternal ? external.join(', ') : `http://127.0.0.1:${rpcPort}`
  printStatus('chain', `${isExternal ? 'external node' : 'anvil'} on ${shownUrl}`)
  await saveRpcUrls(shownUrl)
  const stopMining = mineWaiting(rpcUrl)
  const clock = await openClock()
  if (clock.offset() > 0) await setChainTime(rpcUrl, clock.now())
  const delivery = await ensureDelivery(rpcUrl, DELIVERY)
  printStatus('contract', delivery)
  // First, because two processes that open a new database at the same time get SQLITE_BUSY.
  const { issuer, outcomes, token, isNew } = await prepareDatabase(url, rpcUrl, delivery, clock)
  const marketplace = await startMarketplace(supervisor, { url, rpcUrls, delivery })
  printStatus('worker', 'started')
  await freeLeases(marketplace.url, clock.now())
  if (outcomes && isNew) {
    const placed = await placeDemoOrders({ url: marketplace.url, token })
    printStatus('orders', `demo, ${placed} placed`)
  }
  const target = createTarget(marketplace.url)
  const controls = await createControls({ clock, rpcUrl, target, restart: marketplace.restart })
  await openGateway(port, {
    target,
    control: createControl(controls),
    report: async (exchange) => {
      const isRejected = exchange.response?.status === 401
      const caller = await describeCaller(issuer, exchange.requestHeaders, clock.now())
      console.log(requestLine(exchange, isRejected ? undefined : caller, new Date()))
    },
  })
  if (!isExternal) {
    stopMining()
    const undo = (hash: Hash) => undoDelivery({ url, rpcUrl }, hash)
    const mine = await produceBlocks(rpcUrl, outcomes, undo)
    await openChainPort(rpcPort, { rpcUrl, mine })
  }
  console.log(welcome({ url, rpcUrl: shownUrl, token }))
  marketplace.showLog()
  startCron(target)
}

function printStatus(part: string, status: string) {
  console.log(`${part.padEnd(10)} ${status}`)
}

/** Starts anvil on a free port, and returns its URL. */
async function startChain(supervisor: Supervisor): Promise<string> {
  const anvil = await startAnvil({ port: 0, statePath: CHAIN_STATE })
  supervisor.add('The chain', anvil, anvil.errors)
  return anvil.url
}

/** Applies migrations, loads the catalogue and issues the token of a shop. */
async function prepareDatabase(url: string, rpcUrl: string, delivery: Address, clock: Clock) {
  await using local = await openLocalDatabase()
  const migrations = await migrate(local)
  printStatus('database', migrations > 0 ? `${migrations} migrations applied` : 'up to date')
  const { CONTENT } = local.env
  printStatus('catalogue', await syncCatalogue(local.db, CONTENT, rpcUrl, delivery))
  await savePublicUrl(url)
  const issuer = parseIssuer({ ...local.env, PUBLIC_URL: url })
  const request = { role: 'master', scope: 'orders', name: 'shop' } as const
  const token = await issueToken(local.db, issuer, request, clock.now())
  const outcomes = await findOutcomeTokens(local.db)
  return { issuer, outcomes, token, isNew: (await local.db.$count(orders)) === 0 }
}
