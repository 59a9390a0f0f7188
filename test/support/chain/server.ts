/**
 * The node side of the chain tests, started once for all test files. A test, which runs in
 * workerd, asks it over HTTP for chains of its own and tells their proxies how to misbehave.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { localAccount } from '../../../scripts/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../../scripts/chain/anvil.ts'
import { deployCollectibles } from '../../../scripts/chain/collectibles.ts'
import type { ChainOptions, ChainRecord } from './chain.ts'
import type { Fault, Weather } from './faults.ts'
import { RpcProxy } from './proxy.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chainServerUrl: string
  }
}

/** Every chain has an id of its own, so that one file may use several. */
const FIRST_CHAIN_ID = 31337

const chains = new Map<number, { anvil: Anvil; proxy: RpcProxy }>()
let made = 0

// However this process ends, the nodes end with it.
process.once('exit', () => {
  for (const { anvil } of chains.values()) anvil.process.kill('SIGKILL')
})

export default async function setup(project: TestProject) {
  const server = createServer((request, response) => {
    route(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  project.provide('chainServerUrl', `http://127.0.0.1:${port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await Promise.all([...chains.values()].map(({ anvil }) => anvil.stop()))
  }
}

/** `POST /chains`, then `…/<id>/rpc`, `…/<id>/faults`, `…/<id>/counts` and `DELETE …/<id>`. */
async function route(request: IncomingMessage, response: ServerResponse) {
  const [, , id, action] = (request.url ?? '').split('/')
  const answer = (value: unknown) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }
  if (!id) return answer(await start((await json(request)) as ChainOptions))
  const chain = chains.get(Number(id))
  if (!chain) return void response.writeHead(404).end()
  if (action === 'rpc') return chain.proxy.answer(request, response)
  if (action === 'counts') return answer(chain.proxy.takeCounts())
  if (action === 'faults') {
    const { faults, weather } = (await json(request)) as { faults: Fault[]; weather?: Weather }
    chain.proxy.setFaults(faults, weather)
    return answer(null)
  }
  chains.delete(Number(id))
  await chain.anvil.stop()
  answer(null)
}

/** A new node with both contracts, tokens in the seller's wallet and the signer approved. */
async function start({ erc721 = 0, erc1155 = 0, args = [] }: ChainOptions): Promise<ChainRecord> {
  const chainId = FIRST_CHAIN_ID + made++
  const anvil = await startAnvil({ port: 0, args: ['--chain-id', `${chainId}`, ...args] })
  // Known to the teardown before anything else can fail.
  chains.set(chainId, { anvil, proxy: new RpcProxy(anvil.url) })
  const [signer, seller] = [localAccount(0).address, localAccount(1)]
  const contracts = await deployCollectibles(anvil.url, {
    seller,
    operator: signer,
    uniques: erc721,
    editions: [{ id: 1n, amount: BigInt(erc1155) }],
  })
  return { chainId, rpcUrl: anvil.url, contracts, signer, seller: seller.address }
}
