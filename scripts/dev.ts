/**
 * `npm run dev`: the whole marketplace on this machine, with no account anywhere. A local chain
 * and the Worker run below this process, and end with it.
 */
import { mkdir, rm } from 'node:fs/promises'
import { startAnvil } from './chain/anvil.ts'
import { LOCAL_CHAIN_ID } from './chain/collectibles.ts'
import { migrate, openLocal } from './database/local.ts'
import { checkNode, matchCatalogue } from './local/chain.ts'
import { CHAIN_STATE, rememberUrl, SECRETS, STATE } from './local/paths.ts'
import { checkFree } from './local/ports.ts'
import { completeSecrets } from './local/secrets.ts'
import { startCron, startWorker } from './local/worker.ts'
import { command, optionsOf, wholeNumber } from './shell/command.ts'
import { growTree, type Tree } from './shell/tree.ts'
import { issuerOf, standingToken } from './tokens/issue.ts'

await command(async () => {
  const usage = 'usage: [PORT=8787] [RPC_PORT=8545 | RPC_URL=http://…] npm run dev [-- --fresh]'
  const { fresh } = optionsOf({ fresh: { type: 'boolean', default: false } }, usage)
  const { PORT = '8787', RPC_PORT = '8545', RPC_URL } = process.env
  const port = wholeNumber('PORT', PORT, 1, 65535)
  const rpcPort = wholeNumber('RPC_PORT', RPC_PORT, 1, 65535)
  const url = `http://localhost:${port}`

  const tree = growTree()
  await checkFree(port, 'PORT')
  if (RPC_URL) await checkNode(RPC_URL)
  else await checkFree(rpcPort, 'RPC_PORT')

  if (fresh) await rm(STATE, { recursive: true, force: true })
  await mkdir(STATE, { recursive: true })
  const made = await completeSecrets(SECRETS)
  if (made.length > 0) tell('secrets', `${made.join(' and ')} generated into ${SECRETS}`)

  if (RPC_URL) tell('chain', `yours on ${RPC_URL}`)
  const rpcUrl = RPC_URL ?? (await startChain(tree, rpcPort))
  const [worker, token] = await Promise.all([
    startMarketplace(tree, port, url, rpcUrl),
    prepare(url, rpcUrl),
  ])
  startCron(url)
  console.log(welcome(url, rpcUrl, token))
  worker.show()
})

function tell(part: string, news: string) {
  console.log(`${part.padEnd(10)} ${news}`)
}

async function startChain(tree: Tree, port: number): Promise<string> {
  const anvil = await startAnvil({ port, statePath: CHAIN_STATE })
  tree.add('The chain', anvil)
  tell('chain', `anvil on ${anvil.url}`)
  return anvil.url
}

/** Wrangler needs seconds to begin, in which nothing asks the database. */
async function startMarketplace(tree: Tree, port: number, url: string, rpcUrl: string) {
  const network = { chainId: LOCAL_CHAIN_ID, rpcUrl, confirmations: 1, pollSeconds: 1 }
  const { AVATAR_LOOPBACK_HOSTS } = process.env
  const worker = startWorker(port, {
    PUBLIC_URL: url,
    ...(AVATAR_LOOPBACK_HOSTS && { AVATAR_LOOPBACK_HOSTS }),
    NETWORKS: JSON.stringify({ localhost: network }),
  })
  tree.add('The Worker', worker)
  await worker.ready
  tell('worker', 'started')
  return worker
}

/** Database and catalogue; gives a master token. */
async function prepare(url: string, rpcUrl: string): Promise<string> {
  const local = await openLocal()
  try {
    const migrations = await migrate(local)
    tell('database', migrations > 0 ? `${migrations} migrations applied` : 'up to date')
    tell('catalogue', await matchCatalogue(local.db, rpcUrl))
    await rememberUrl(url)
    const issuer = issuerOf({ ...local.env, PUBLIC_URL: url })
    return await standingToken(
      local.db,
      issuer,
      { role: 'master', name: 'npm run dev' },
      new Date(),
    )
  } finally {
    await local.close()
  }
}

function welcome(url: string, rpcUrl: string, token: string): string {
  return `
The marketplace listens on ${url} (sign in at ${url}/sign-in)
The chain answers on ${rpcUrl} (chain id ${LOCAL_CHAIN_ID})

Master token:
${token}

Place an order (user 3 gets one piece of NFT 2):
curl -s ${url}/api/externalOrders -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '[{"nftId":2,"listingId":2,"quantity":1,"buyerUserId":3}]'

Its item turns \`transferred\` within seconds. The same call with GET and the order's id shows it:
curl -s ${url}/api/externalOrders/1 -H 'authorization: Bearer ${token}'

Ctrl-C ends everything; what was done is kept until \`npm run dev -- --fresh\`.
`
}
