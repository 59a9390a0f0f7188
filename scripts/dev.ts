/**
 * `npm run dev`: runs a local chain and the Worker on this machine. It needs no account anywhere.
 * Both end with this process.
 */
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Address } from 'viem'
import { startAnvil } from './chain/anvil.ts'
import { LOCAL_CHAIN_ID } from './chain/collectibles.ts'
import { migrate, openLocalDatabase } from './database/local.ts'
import { checkNode, ensureDelivery, syncCatalogue } from './local/chain.ts'
import { CHAIN_STATE, DELIVERY, SECRETS, STATE, savePublicUrl } from './local/paths.ts'
import { addMissingSecrets } from './local/secrets.ts'
import { startCron, startWorker } from './local/worker.ts'
import { CommandError, parseInteger, parseOptions, runCommand } from './shell/command.ts'
import { createSupervisor, type Supervisor } from './shell/supervisor.ts'
import { issueToken, parseIssuer } from './tokens/issue.ts'

await runCommand(async () => {
  const usage = 'usage: [PORT=8787] [RPC_PORT=8545 | RPC_URL=http://…] npm run dev [-- --fresh]'
  const { fresh } = parseOptions({ fresh: { type: 'boolean', default: false } }, usage)
  const { PORT = '8787', RPC_PORT = '8545', RPC_URL } = process.env
  const port = parseInteger('PORT', PORT, 1, 65535)
  const rpcPort = parseInteger('RPC_PORT', RPC_PORT, 1, 65535)
  const url = `http://localhost:${port}`

  const supervisor = createSupervisor()
  await checkPort(port, 'PORT')
  if (RPC_URL) await checkNode(RPC_URL)
  else await checkPort(rpcPort, 'RPC_PORT')

  if (fresh) await rm(STATE, { recursive: true, force: true })
  await mkdir(STATE, { recursive: true })
  const secrets = await addMissingSecrets(SECRETS)
  if (secrets.length > 0) printStatus('secrets', `added ${secrets.join(' and ')} to ${SECRETS}`)

  if (RPC_URL) printStatus('chain', `external node on ${RPC_URL}`)
  const rpcUrl = RPC_URL ?? (await startChain(supervisor, rpcPort))
  const delivery = await ensureDelivery(rpcUrl, DELIVERY)
  printStatus('contract', delivery)
  // Wrangler does not open the database in the seconds that it takes to start.
  const [worker, token] = await Promise.all([
    startMarketplace(supervisor, port, url, rpcUrl, delivery),
    prepareDatabase(url, rpcUrl, delivery),
  ])
  startCron(url)
  console.log(welcome(url, rpcUrl, token))
  worker.showLog()
})

function printStatus(part: string, status: string) {
  console.log(`${part.padEnd(10)} ${status}`)
}

/** Throws a `CommandError` that names the variable if another process listens on the port. */
async function checkPort(port: number, variable: string): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    throw new CommandError(
      `Port ${port} is in use. Stop the process that listens there, or choose another port: ${variable}=${port + 1} npm run dev`,
    )
  }
  server.close()
  await once(server, 'close')
}

async function startChain(supervisor: Supervisor, port: number): Promise<string> {
  const anvil = await startAnvil({ port, statePath: CHAIN_STATE })
  supervisor.add('The chain', anvil)
  printStatus('chain', `anvil on ${anvil.url}`)
  return anvil.url
}

async function startMarketplace(
  supervisor: Supervisor,
  port: number,
  url: string,
  rpcUrl: string,
  delivery: Address,
) {
  const network = { chainId: LOCAL_CHAIN_ID, rpcUrls: [rpcUrl], delivery, finality: 1 }
  const { AVATAR_LOOPBACK_HOSTS } = process.env
  const worker = startWorker(port, {
    PUBLIC_URL: url,
    ...(AVATAR_LOOPBACK_HOSTS && { AVATAR_LOOPBACK_HOSTS }),
    NETWORKS: JSON.stringify({ localhost: network }),
  })
  supervisor.add('The Worker', worker)
  await worker.ready
  printStatus('worker', 'started')
  return worker
}

/** Applies migrations, loads the catalogue and returns a master token. */
async function prepareDatabase(url: string, rpcUrl: string, delivery: Address): Promise<string> {
  const local = await openLocalDatabase()
  try {
    const migrations = await migrate(local)
    printStatus('database', migrations > 0 ? `${migrations} migrations applied` : 'up to date')
    printStatus('catalogue', await syncCatalogue(local.db, rpcUrl, delivery))
    await savePublicUrl(url)
    const issuer = parseIssuer({ ...local.env, PUBLIC_URL: url })
    const request = { role: 'master', name: 'npm run dev' } as const
    return await issueToken(local.db, issuer, request, new Date())
  } finally {
    await local.close()
  }
}

function welcome(url: string, rpcUrl: string, token: string): string {
  return `
Marketplace: ${url} (sign in at ${url}/sign-in)
Chain:       ${rpcUrl} (chain id ${LOCAL_CHAIN_ID})

Master token:
${token}

Place an order for one piece of NFT 2, bought by user 3:
curl -s ${url}/api/externalOrders -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '[{"nftId":2,"listingId":2,"quantity":1,"buyerUserId":3}]'

Its item becomes \`transferred\` within seconds. To read order 1:
curl -s ${url}/api/externalOrders/1 -H 'authorization: Bearer ${token}'

Press Ctrl-C to stop. The data is kept; \`npm run dev -- --fresh\` deletes it.
`
}
