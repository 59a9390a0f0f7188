/**
 * An HTTP server that starts chains and sets the faults of their proxies. It runs in Node, because
 * tests run in workerd, which cannot start processes. One server serves all test files.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { localAccount } from '../../../scripts/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../../scripts/chain/anvil.ts'
import { deployCollectibles } from '../../../scripts/chain/collectibles.ts'
import type { ChainOptions, ChainRecord } from './chain.ts'
import type { Fault, RandomFaults } from './faults.ts'
import { RpcProxy } from './proxy.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chainServerUrl: string
  }
}

/** Chain ids are unique, so that one test file can use several chains. */
const FIRST_CHAIN_ID = 31337

const chains = new Map<number, { anvil: Anvil; proxy: RpcProxy }>()
let chainCount = 0

// The nodes must not outlive this process.
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
    const { faults, random } = (await json(request)) as { faults: Fault[]; random?: RandomFaults }
    chain.proxy.setFaults(faults, random)
    return answer(null)
  }
  chains.delete(Number(id))
  await chain.anvil.stop()
  answer(null)
}

/** Starts a node, deploys both contracts, gives the seller tokens and approves the signer. */
async function start({ erc721 = 0, erc1155 = 0, args = [] }: ChainOptions): Promise<ChainRecord> {
  const chainId = FIRST_CHAIN_ID + chainCount++
  const anvil = await startAnvil({ port: 0, args: ['--chain-id', `${chainId}`, ...args] })
  // Added before the deployment, which may fail, so that the teardown stops the node.
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
