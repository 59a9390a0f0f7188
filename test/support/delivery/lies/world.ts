/** The marketplace in which a node lies: a chain with two nodes, and a second network beside it. */
import { type Address, getAddress, parseEther, zeroAddress } from 'viem'
import { afterAll, beforeAll } from 'vitest'
import type { ContractItem } from '../../../../src/ethereum/contract.ts'
import { tokenCalls } from '../../chain/calls.ts'
import { aChain, type Chain } from '../../chain/chain.ts'
import { BROKEN } from '../../chain/faults.ts'
import { watchRequests } from '../../chain/fetch.ts'
import { rpc } from '../../chain/rpc.ts'
import { emptyDatabase } from '../../database.ts'
import { resetClock } from '../clock.ts'
import { type PaidItem, paidItems, type Sale } from '../items.ts'
import { aMarketplace } from '../marketplace.ts'
import type { Answer, Call, TargetName } from './calls.ts'
import { aRecordOfCalls } from './carried.ts'
import type { LieCase } from './cases.ts'
import { aLiar } from './liar.ts'

/** The private keys of `chain.signer` and `chain.otherSigner`. */
export const SIGNER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const OTHER_SIGNER = '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e'

/** The recipient of what a thief takes, and a seller who has nothing. */
const NOBODY = getAddress('0x7411ef7411ef7411ef7411ef7411ef7411ef7411')

/** ERC-721 tokens of each of two sellers. The second one has those after the first one's. */
const TOKENS = 10

/** Of each block: 20 gwei. */
const BASE_FEE = '0x4a817c800'

/** The id of the next case's chain: what the Worker caches of a chain is of one case. */
let nextChainId = 1_000_000

/** The second seller has tokens, too. One has none. The token of `fake` transfers nothing. */
type SaleOf = Sale & { seller?: 'first' | 'second' | 'none' | 'fake' }

/** What must come of an item. */
export type Fate = 'delivered' | 'moved nothing' | 'waits'
/** `soldAt`: milliseconds since 1970. */
export type Sold = PaidItem & { from: Address; fate: Fate; soldAt: number }

type Shared = {
  chain: Chain
  beside: Chain
  otherSeller: Address
  /** A token that accepts every call and transfers nothing. */
  fake: Address
  /** The wallet of a buyer, which is a contract. */
  wallet: Address
}

export type Stage = ReturnType<typeof aLiarsStage>
export type World = Awaited<ReturnType<Stage['begin']>>

/** Starts the chains of a file. Each case that begins finds them in the same state. */
export function aLiarsStage() {
  let shared: Shared
  let ended = Promise.resolve()
  const asked = new Set<TargetName>()

  beforeAll(async () => {
    const stock = { erc721: TOKENS, erc1155: 10_000, mints: true }
    // The final block is two blocks below the newest one.
    const chain = await aChain({ ...stock, args: ['--slots-in-an-epoch', '1'] }, afterAll)
    shared = {
      chain,
      beside: await aChain({}, afterAll),
      otherSeller: await addSeller(chain),
      fake: await chain.aMaliciousToken({ answer: 'accepts' }),
      wallet: await chain.aRecipient('accepts'),
    }
    await chain.setAutomine(false)
  })

  async function begin(one: LieCase) {
    // Of a test that took too long.
    await ended
    const { promise, resolve: end } = Promise.withResolvers<void>()
    ended = promise
    const { beside, otherSeller, fake, wallet } = shared
    const { rpcUrl } = shared.chain
    const ask = (method: string, ...params: unknown[]) => rpc(rpcUrl, method, ...params)
    await emptyDatabase()
    resetClock()
    const snapshot = await ask('evm_snapshot')
    const chainId = nextChainId++
    const chain = { ...shared.chain, chainId, name: `chain-${chainId}` }
    await ask('anvil_setChainId', chainId)
    const honestUrl = `${rpcUrl}/?honest=${chainId}`
    const lyingUrl = `${rpcUrl}/?lying=${chainId}`
    const { finality, callsPerBatch, itemsPerTransaction, transactionsInFlight } = one
    let minedAt = Date.now()
    const market = aMarketplace(chain, {
      onWait: async () => {
        if (Date.now() - minedAt >= one.blockTime * 1000) await mine()
      },
      keys: one.signers === 2 ? `${SIGNER},${OTHER_SIGNER}` : SIGNER,
      network: {
        rpcUrls: one.liar === 0 ? [lyingUrl, honestUrl] : [honestUrl, lyingUrl],
        finality,
        callsPerBatch,
        itemsPerTransaction,
        transactionsInFlight,
      },
      beside: [{ ...beside, proxyUrl: beside.rpcUrl }],
    })
    const carried = aRecordOfCalls(ask)
    async function mine() {
      minedAt = Date.now()
      // An empty block lowers it.
      await ask('anvil_setNextBlockBaseFeePerGas', BASE_FEE)
      await market.mine()
      await carried.readBlocks()
    }
    await mine()
    const liar = aLiar((calls) => send(rpcUrl, calls), asked)
    let requests = 0
    let isSilent = false
    const stopLying = watchRequests(lyingUrl, (body) => {
      requests++
      carried.readRequest(body)
      return liar.answer(body)
    })
    const stopCounting = watchRequests(honestUrl, async (body, send) => {
      requests++
      carried.readRequest(body)
      return isSilent ? new Response(null, { headers: { [BROKEN]: 'drop' } }) : send()
    })
    const items: Sold[] = []
    const calls = new Map<string, ContractItem>()
    const tokens = { first: 0, second: TOKENS, none: 2 * TOKENS, fake: 0 }

    /** Sells to new buyers. */
    async function sell(...sales: readonly SaleOf[]): Promise<Sold[]> {
      const sold: Sold[] = []
      for (const { seller = 'first', ...sale } of sales) {
        const isUnique = sale.standard === 'erc721' && sale.fulfilment !== 'mint'
        const holders = { first: chain.seller, second: otherSeller, none: NOBODY, fake: NOBODY }
        const holder = holders[seller]
        const [item] = await paidItems({ ...chain, seller: holder }, [
          {
            ...(isUnique && { tokenId: `${tokens[seller]++}` }),
            ...(seller === 'fake' && { contract: fake }),
            ...sale,
          },
        ])
        if (!item) throw new Error('nothing was sold')
        const waits = seller === 'none' || item.recipient === null
        const fate = waits ? 'waits' : seller === 'fake' ? 'moved nothing' : 'delivered'
        const from = item.fulfilment === 'mint' ? zeroAddress : holder
        sold.push({ ...item, from, fate, soldAt: Date.now() })
      }
      for (const item of sold) calls.set(item.key, callOf(item))
      items.push(...sold)
      market.queue.put(chain)
      return sold
    }

    return {
      one,
      chain,
      beside,
      otherSeller,
      wallet,
      market,
      /** Mines a block, if it is time for one. */
      async mineDue() {
        if (Date.now() - minedAt >= one.blockTime * 1000) await mine()
      },
      mine,
      liar,
      ask,
      /** The transactions that carry a key. */
      carried,
      /** Whether the honest node does not answer. */
      isSilent: () => isSilent,
      setSilent(silent: boolean) {
        isSilent = silent
      },
      items,
      /** Ids of items that an operator has retried. */
      retried: new Set<number>(),
      /** Requests that the nodes got. */
      requests: () => requests,
      sell,
      /** Begins to lie. */
      async lie() {
        for (const signer of one.funds === null ? [] : [chain.signer, chain.otherSigner])
          await ask('anvil_setBalance', signer, `0x${parseEther(`${one.funds}`).toString(16)}`)
        liar.start(one.lies, {
          ask,
          height: Number(await ask('eth_blockNumber')),
          delivery: chain.delivery,
          signer: chain.signer,
          addresses: [
            chain.delivery,
            ...Object.values(chain.contracts),
            chain.mintable.erc721,
            chain.signer,
            chain.otherSigner,
            chain.seller,
            otherSeller,
            NOBODY,
          ],
          calls,
        })
      },
      /** Sets the chain back. */
      async end() {
        stopLying()
        stopCounting()
        await ask('anvil_dropAllTransactions')
        await ask('evm_revert', snapshot)
        end()
      },
    }
  }

  return { begin, asked }
}

/** What the Delivery contract is asked for. */
const callOf = (item: Sold): ContractItem => ({
  key: item.key,
  token: getAddress(item.contract),
  from: item.from,
  to: getAddress(item.recipient ?? NOBODY),
  tokenId: BigInt(item.tokenId),
  amount: item.standard === 'erc721' ? 0n : BigInt(item.quantity),
})

/** Gives a second seller tokens, and lets the Delivery contract transfer them. */
async function addSeller({ rpcUrl, rpc, seller, contracts, delivery }: Chain): Promise<Address> {
  const accounts = await rpc('eth_accounts')
  const other = getAddress(`${Object(accounts)[2]}`)
  const { erc721, erc1155 } = contracts
  const mint = tokenCalls(rpcUrl, seller, erc721)
  for (let i = 0; i < TOKENS; i++) await mint('mint', other)
  await tokenCalls(rpcUrl, seller, erc1155)('mint', other, 1n, 10_000n, '0x')
  for (const token of [erc721, erc1155])
    await tokenCalls(rpcUrl, other, token)('setApprovalForAll', delivery, true)
  return other
}

/** Sends calls to the node as one batch. */
async function send(url: string, calls: readonly Call[]): Promise<Answer[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  })
  return response.json()
}
