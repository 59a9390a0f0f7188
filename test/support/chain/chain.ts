/** Starts a chain for a test: a real node behind a proxy that can simulate faults. */
import { inject, onTestFinished } from 'vitest'
import { deliveryCalls, tokenCalls } from './calls.ts'
import type { Answer } from './fixtures.ts'
import './fetch.ts'
import type { Counts, Fault, RandomFaults } from './faults.ts'
import { type RpcCall, rpc, rpcBatch } from './rpc.ts'

type Address = `0x${string}`

export type ChainOptions = {
  /** Number of ERC-721 tokens that the seller gets. Their ids start at 0. */
  erc721?: number
  /** Number of pieces of ERC-1155 token 1 that the seller gets. */
  erc1155?: number
  /** Whether the Delivery contract may mint. Its limits are more than anybody orders. */
  mints?: boolean
  /** Additional arguments for anvil. */
  args?: readonly string[]
}

/** `signer` is the account of TRANSFER_SIGNER_KEYS. It and `otherSigner` are relayers. */
export type ChainRecord = {
  chainId: number
  /** The node itself, without the proxy: no faults apply. */
  rpcUrl: string
  contracts: { erc721: Address; erc1155: Address }
  /**
   * Tokens that the Delivery contract has the role to mint: one of OpenZeppelin's wizard with roles,
   * and the preset of `contracts`.
   */
  mintable: { erc721: Address; erc1155: Address }
  /** The Delivery contract, which the seller has approved. */
  delivery: Address
  signer: Address
  otherSigner: Address
  /** The owner of the Delivery contract. */
  owner: Address
  seller: Address
}

/** Tokens that anybody may mint: test/contracts/fixtures/Peculiar.sol. */
type PeculiarFixture =
  | `${'Quantity' | 'Soulbound' | 'Locked' | 'CodeHash' | 'Role' | 'Origin' | 'Expensive' | 'Silent' | 'Collector' | 'LongName' | 'Described'}Token`
  | 'DescribedEdition'

/** The same of packages: test/support/chain/packages. */
export type PackageToken =
  | `${'Erc721a' | 'Erc721c' | 'Solady' | 'SoladySoulbound'}Token`
  | `Thirdweb${'' | 'Edition' | 'Restricted'}Token`

export type PeculiarToken = PeculiarFixture | PackageToken

/** Wallets of packages. */
export type PackageWallet = 'SafeWallet' | 'SafeWithoutHandler'

/** Factories of wallets: test/contracts/fixtures/Wallets.sol, and those of packages. */
export type Factory = 'WalletFactory' | 'AccountFactory' | 'SafeFactory'

/** A contract of test/contracts, and what it does when a token arrives or is transferred. */
export type HostileContract = {
  name:
    | 'Recipient'
    | 'MaliciousToken'
    | 'AcceptsEverything'
    | 'MintableUnique'
    | PeculiarToken
    | PackageWallet
    | Factory
  /** Default: `accepts`. */
  answer?: Answer
  /** Whether a MaliciousToken says that it transferred something. It never does. */
  lies?: boolean
  /** The standard that a MaliciousToken says it has. */
  standard?: 'erc721' | 'erc1155'
}

export type Chain = Awaited<ReturnType<typeof aChain>>

async function request<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await fetch(inject('chainServerUrl') + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}

/**
 * Starts a chain. It mines a block for each transaction, and stops after the test. Pass another
 * `whenDone` (such as `afterAll`) to stop it later.
 */
export async function aChain(
  options: ChainOptions = {},
  whenDone: (end: () => Promise<void>) => void = onTestFinished,
) {
  const record = await request<ChainRecord>('/chains', 'POST', options)
  const path = `/chains/${record.chainId}`
  whenDone(() => request<void>(path, 'DELETE'))
  const deploy = (contract: HostileContract) =>
    request<Address>(`${path}/contracts`, 'POST', contract)
  return {
    ...record,
    /** Deploys a wallet with code. The chain must automine. */
    aRecipient: (answer: Answer) => deploy({ name: 'Recipient', answer }),
    /** Deploys a wallet that others wrote. The chain must automine. */
    aPackageWallet: (name: PackageWallet) => deploy({ name }),
    /** Deploys a factory of wallets. The chain must automine. */
    aFactory: (name: Factory) => deploy({ name }),
    /** Deploys a token that transfers nothing. The chain must automine. */
    aMaliciousToken: (options: Omit<HostileContract, 'name'>) =>
      deploy({ standard: 'erc1155', ...options, name: 'MaliciousToken' }),
    /** Deploys a contract that accepts every call and does nothing. The chain must automine. */
    anAcceptingContract: () => deploy({ name: 'AcceptsEverything' }),
    /** Deploys an ERC-721 token that nobody may mint. The chain must automine. */
    aTokenWithoutMinter: () => deploy({ name: 'MintableUnique' }),
    /** Deploys a token of which the seller has the token 0, for sale. The chain must automine. */
    async aPeculiarToken(name: PeculiarToken, { isApproved = true } = {}): Promise<Address> {
      const token = await deploy({ name })
      const asSeller = tokenCalls(record.rpcUrl, record.seller, token)
      await asSeller('mint', record.seller)
      await asSeller('setApprovalForAll', record.delivery, isApproved)
      return token
    },
    /** Calls the Delivery contract as its owner, such as `asOwner('setRelayer', signer, 0)`. */
    asOwner: deliveryCalls(record.rpcUrl, record.owner, record.delivery),
    /** Call the tokens as the seller, who is also their minter. */
    erc721AsSeller: tokenCalls(record.rpcUrl, record.seller, record.contracts.erc721),
    erc1155AsSeller: tokenCalls(record.rpcUrl, record.seller, record.contracts.erc1155),
    /** Calls `mintable.erc721` as the seller, who decides who mints. */
    mintableAsSeller: tokenCalls(record.rpcUrl, record.seller, record.mintable.erc721),
    /** The network's name in NETWORKS and in `contractNetwork`. */
    name: `chain-${record.chainId}`,
    proxyUrl: `${inject('chainServerUrl')}${path}/rpc`,
    rpc: (method: string, ...params: unknown[]) => rpc(record.rpcUrl, method, ...params),
    /** Returns the receipt of a transaction that was sent. Automatic mining may be late. */
    async receiptOf(hash: unknown): Promise<Record<string, unknown>> {
      for (;;) {
        const receipt = await rpc(record.rpcUrl, 'eth_getTransactionReceipt', hash)
        if (receipt) return Object(receipt)
        await rpc(record.rpcUrl, 'anvil_mine', 1)
      }
    },
    rpcBatch: (calls: readonly RpcCall[]) => rpcBatch(record.rpcUrl, calls),
    /** Mines this many blocks. */
    mine: (blocks = 1) => rpc(record.rpcUrl, 'anvil_mine', blocks),
    setAutomine: (on: boolean) => rpc(record.rpcUrl, 'evm_setAutomine', on),
    /** Replaces all faults, the random ones included. Without arguments, removes them. */
    setFaults: (...faults: Fault[]) => request<void>(`${path}/faults`, 'POST', { faults }),
    /** Simulates random faults until `setFaults` is called. */
    setRandomFaults: (random: RandomFaults) =>
      request<void>(`${path}/faults`, 'POST', { faults: [], random }),
    /** Returns the numbers of requests and calls since the last `takeCounts`. */
    takeCounts: () => request<Counts>(`${path}/counts`),
  }
}

/** A chain that makes blocks only when the test mines them. */
export async function aSlowChain(options: ChainOptions = { erc1155: 20 }): Promise<Chain> {
  const chain = await aChain(options)
  await chain.setAutomine(false)
  await chain.mine()
  return chain
}
