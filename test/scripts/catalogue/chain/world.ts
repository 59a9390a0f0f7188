/** A chain with a collection, a provider in front of it, and a server of metadata. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import erc721 from '@openzeppelin/contracts/build/contracts/ERC721PresetMinterPauserAutoId.json' with {
  type: 'json',
}
import erc1155 from '@openzeppelin/contracts/build/contracts/ERC1155PresetMinterPauser.json' with {
  type: 'json',
}
import {
  type Abi,
  type Address,
  createTestClient,
  getAddress,
  type Hash,
  http,
  isHex,
  publicActions,
  walletActions,
} from 'viem'
import { foundry } from 'viem/chains'
import { localAccount } from '../../../../scripts/local/chain/accounts.ts'
import { startAnvil } from '../../../../scripts/local/chain/anvil.ts'
import { compileOnce } from '../../../support/chain/compiled.ts'
import { serve } from '../../../support/server.ts'

const FIXTURE = 'test/scripts/catalogue/chain/fixtures/Collection.sol'

/** The account that deploys contracts. */
export const creator = localAccount(1)

export type Chain = Awaited<ReturnType<typeof aChain>>
export type Contract = Awaited<ReturnType<Chain['aCollection']>>

/** Starts a chain with a block for each transaction. */
export async function aChain() {
  const anvil = await startAnvil({ port: 0, args: ['--no-mining', '--gas-limit', '60000000'] })
  const client = createTestClient({
    account: creator,
    chain: foundry,
    mode: 'anvil',
    cacheTime: 0,
    transport: http(anvil.url, { retryCount: 0 }),
  })
    .extend(publicActions)
    .extend(walletActions)
  const { Collection } = await compileOnce(
    { [FIXTURE]: readFileSync(FIXTURE, 'utf8') },
    { evmVersion: 'paris', viaIR: false, optimizer: { enabled: true, runs: 200 } },
  )
  if (!Collection) throw new Error('the fixture has no contract')

  /** Mines a block with the transaction. Automatic mining may be late. */
  async function mined(hash: Hash) {
    for (;;) {
      await client.mine({ blocks: 1 })
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined)
      if (receipt?.status === 'reverted') throw new Error(`${hash} reverted`)
      if (receipt) return receipt
    }
  }

  async function deploy(abi: Abi, bytecode: string, args: unknown[]) {
    if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
    const { contractAddress } = await mined(await client.deployContract({ abi, bytecode, args }))
    if (!contractAddress) throw new Error('the contract has no address')
    const address = getAddress(contractAddress)
    return {
      address,
      async send(functionName: string, ...args: unknown[]): Promise<void> {
        const call: { address: Address; abi: Abi; functionName: string; args: unknown[] } = {
          address,
          abi,
          functionName,
          args,
        }
        await mined(await client.writeContract({ ...call, gas: 50_000_000n }))
      },
    }
  }

  return {
    ...anvil,
    client,
    /** An ERC-721 contract that only emits events. The URI of a token is base, id and suffix. */
    aCollection: (base = 'data:application/json,{"name":"Token ', suffix = '"}') =>
      deploy(Collection.abi, Collection.bytecode, [base, suffix]),
    /** OpenZeppelin's presets. */
    anEnumerable: (base: string) =>
      deploy(erc721.abi as Abi, erc721.bytecode, ['Collectible', 'NFT', base]),
    anErc1155: (uri: string) => deploy(erc1155.abi as Abi, erc1155.bytecode, [uri]),
    mine: (blocks: number) => client.mine({ blocks }),
    /** The variable that makes it the network `test`. */
    networks: (rpcUrl = anvil.url, settings = {}) => {
      const network = { chainId: foundry.id, rpcUrls: [rpcUrl], finality: 1, ...settings }
      return JSON.stringify({ test: network })
    },
  }
}

export type RpcCall = {
  id: number
  method: string
  params?: [Record<string, string>, ...unknown[]]
}
/** What a provider answers instead of the node. */
export type Refusal = { error: { code: number; message: string } } | { status: number }
/** What a provider refuses. `blocks`: of a call of eth_getLogs. */
export type Rule = (call: RpcCall, blocks: number) => Refusal | undefined

/** Starts a server in front of a node. It ends after the test. */
export async function aProvider(nodeUrl: string, rule: Rule = () => undefined) {
  /** The ranges of eth_getLogs that were answered. */
  const ranges: { from: number; to: number }[] = []
  const url = await serve(async (request, response) => {
    const call = (await json(request)) as RpcCall
    const answer = await fetch(nodeUrl, { method: 'POST', body: JSON.stringify(call), headers })
    const body = await answer.json()
    const isLogs = call.method === 'eth_getLogs'
    const [{ fromBlock, toBlock } = {}] = call.params ?? []
    const range = { from: Number(fromBlock), to: Number(toBlock) }
    const refusal = rule(call, isLogs ? range.to - range.from + 1 : 0)
    if (refusal && 'status' in refusal) return response.writeHead(refusal.status).end()
    if (isLogs && !refusal) ranges.push(range)
    response.writeHead(200, headers)
    response.end(JSON.stringify(refusal ? { jsonrpc: '2.0', id: call.id, ...refusal } : body))
  })
  return { url, ranges }
}

const headers = { 'content-type': 'application/json' }

type Handler = (path: string, response: ServerResponse, request: IncomingMessage) => unknown

/** Starts a server of metadata. By default, token n is at `/n`. */
export async function aServer(
  handler: Handler = (path, response) =>
    response.end(JSON.stringify({ name: `Token ${path.slice(1)}`, image: `ipfs://x${path}` })),
) {
  const requests: string[] = []
  const url = await serve((request, response) => {
    requests.push(request.url ?? '')
    return handler(request.url ?? '', response, request)
  })
  return { url, host: new URL(url).host, requests }
}

// biome-ignore lint/suspicious/noExplicitAny: tests compare records with whole objects.
export const recordsIn = (file: string): any[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
