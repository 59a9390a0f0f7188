/**
 * An HTTP server that starts chains and sets the faults of their proxies. It runs in Node, because
 * tests run in workerd, which cannot start processes. One server serves all test files.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import {
  type Address,
  createTestClient,
  getAddress,
  type Hash,
  http,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem'
import { foundry } from 'viem/chains'
import type { TestProject } from 'vitest/node'
import { localAccount } from '../../../scripts/local/chain/accounts.ts'
import { type Anvil, mineWaiting, startAnvil } from '../../../scripts/local/chain/anvil.ts'
import {
  type Collectibles,
  deployCollectibles,
  MINTER_ROLE,
} from '../../../scripts/local/chain/collectibles.ts'
import { deployDelivery } from '../../../scripts/local/chain/delivery.ts'
import { deliveryCalls, tokenCalls } from './calls.ts'
import type { ChainOptions, ChainRecord, HostileContract } from './chain.ts'
import type { Fault, RandomFaults } from './faults.ts'
import { ANSWERS, compileFixtures, compilePackages, hookAbi } from './fixtures.ts'
import { RpcProxy } from './proxy.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chainServerUrl: string
  }
}

/**
 * Chain ids are unique, so that one test file can use several chains. 31337 is the network of
 * wrangler.toml, for orders that no chain delivers.
 */
const FIRST_CHAIN_ID = 31338

type Account = ReturnType<typeof localAccount>
/** The signer, the seller, the owner of the Delivery contract and the other signer. */
const accounts = [0, 1, 5, 6].map(localAccount) as [Account, Account, Account, Account]

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
    rmSync(directory, { recursive: true })
  }
}

/**
 * `POST /chains`, then `…/<id>/rpc`, `…/<id>/faults`, `…/<id>/counts`, `…/<id>/contracts` and
 * `DELETE …/<id>`.
 */
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
  if (action === 'contracts') {
    const { url } = chain.anvil
    const contract = (await json(request)) as HostileContract
    const stopMining = mineWaiting(url)
    return answer(await deployHostile(url, contract).finally(stopMining))
  }
  chains.delete(Number(id))
  await chain.anvil.stop()
  answer(null)
}

/** Milliseconds. Usually a chain starts within three seconds. */
const START_TIMEOUT = 45_000

/** Starts a chain. Anvil rarely stops answering while it mines; then another one is started. */
async function start(options: ChainOptions): Promise<ChainRecord> {
  const chainId = FIRST_CHAIN_ID + chainCount++
  const started = startOnce(chainId, options)
  // If it fails after the time is over, nobody waits for it.
  started.catch(() => {})
  const isLate = setTimeout(START_TIMEOUT, null, { ref: false })
  const record = await Promise.race([started, isLate])
  if (record) return record
  console.warn(`chain ${chainId} did not start in ${START_TIMEOUT / 1000} s; starting another one`)
  await chains.get(chainId)?.anvil.stop()
  chains.delete(chainId)
  return start(options)
}

/** Starts a node with the contracts and gives the seller tokens. */
async function startOnce(
  chainId: number,
  { erc721 = 0, erc1155 = 0, mints = false, args = [] }: ChainOptions,
): Promise<ChainRecord> {
  const { file, contracts, mintable, delivery } = await deployed()
  const anvil = await startAnvil({
    port: 0,
    args: ['--chain-id', `${chainId}`, '--load-state', file, ...args],
  })
  // Added before the tokens are minted, which may fail, so that the teardown stops the node.
  chains.set(chainId, { anvil, proxy: new RpcProxy(anvil.url) })
  const [signer, seller, owner, other] = accounts
  const uniques = tokenCalls(anvil.url, seller.address, contracts.erc721)
  for (let i = 0; i < erc721; i++) await uniques('mint', seller.address)
  const editions = tokenCalls(anvil.url, seller.address, contracts.erc1155)
  if (erc1155 > 0) await editions('mint', seller.address, 1n, BigInt(erc1155), '0x')
  const asOwner = deliveryCalls(anvil.url, owner.address, delivery)
  for (const token of mints ? Object.values(mintable) : [])
    await asOwner('setTokenLimit', token, AMPLE, AMPLE)
  return {
    chainId,
    rpcUrl: anvil.url,
    contracts,
    mintable,
    delivery,
    signer: signer.address,
    otherSigner: other.address,
    owner: owner.address,
    seller: seller.address,
  }
}

/** Pieces: more than anybody orders. */
const AMPLE = 2n ** 40n

type Deployed = {
  file: string
  contracts: Collectibles
  mintable: Collectibles
  delivery: Address
}

/** A chain with the contracts, in a file. Every chain starts with it, because deploying takes time. */
let state: Promise<Deployed> | undefined
const deployed = () => (state ??= deploy())

const directory = mkdtempSync(join(tmpdir(), 'chains-'))

/** Deploys the contracts, approves the delivery and stores the chain. */
async function deploy(): Promise<Deployed> {
  const file = join(directory, 'deployed.json')
  // Tests read earlier blocks, too.
  const args = ['--dump-state', file, '--preserve-historical-states']
  const anvil = await startAnvil({ port: 0, args })
  const [signer, seller, owner, other] = accounts
  const stopMining = mineWaiting(anvil.url)
  try {
    const relayers = [signer.address, other.address]
    const delivery = await deployDelivery(anvil.url, owner, relayers)
    const tokens = { seller, operator: delivery, uniques: 0, editions: [] }
    const contracts = await deployCollectibles(anvil.url, tokens)
    const erc721 = await deployFixture(anvil.url, 'MintableUnique', seller.address)
    await tokenCalls(anvil.url, seller.address, erc721)('grantRole', MINTER_ROLE, delivery)
    return { file, delivery, contracts, mintable: { ...contracts, erc721 } }
  } finally {
    stopMining()
    await anvil.stop()
  }
}

/** The account that deploys them has no other part in the tests. */
const deployer = localAccount(9)

const interfaceIds = { erc721: '0x80ac58cd', erc1155: '0xd9b67a26' } as const

const clientOf = (rpcUrl: string) =>
  createTestClient({ chain: foundry, mode: 'anvil', transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions)

const mined = async (rpcUrl: string, sent: Promise<Hash>): Promise<TransactionReceipt> =>
  clientOf(rpcUrl).waitForTransactionReceipt({ hash: await sent, pollingInterval: 20 })

/** Deploys a contract of test/contracts/fixtures or packages. The chain must automine. */
async function deployFixture(rpcUrl: string, name: string, account: Address): Promise<Address> {
  const fixture = (await compileFixtures())[name] ?? (await compilePackages())[name]
  if (!fixture) throw new Error(`no fixture ${name}`)
  const sent = clientOf(rpcUrl).deployContract({ ...fixture, account, chain: null })
  const { contractAddress } = await mined(rpcUrl, sent)
  if (!contractAddress) throw new Error(`${name} was not deployed`)
  return getAddress(contractAddress)
}

/** Deploys a contract of test/contracts/fixtures and tells it what to do. The chain must automine. */
async function deployHostile(
  rpcUrl: string,
  { name, answer, lies, standard }: HostileContract,
): Promise<Address> {
  const client = clientOf(rpcUrl)
  const address = await deployFixture(rpcUrl, name, deployer.address)
  const contract = { address, abi: hookAbi, account: deployer.address, chain: null }
  if (answer) {
    const args = [ANSWERS.indexOf(answer)] as const
    await mined(rpcUrl, client.writeContract({ ...contract, functionName: 'setAnswer', args }))
  }
  if (lies)
    await mined(
      rpcUrl,
      client.writeContract({ ...contract, functionName: 'setLies', args: [true] }),
    )
  if (standard) {
    const args = [interfaceIds[standard]] as const
    await mined(rpcUrl, client.writeContract({ ...contract, functionName: 'setStandard', args }))
  }
  return address
}
