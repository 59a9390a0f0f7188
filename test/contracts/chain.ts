/** A local chain of a test's own. It mines each transaction at once; its accounts are unlocked. */
import {
  type Address,
  createTestClient,
  decodeErrorResult,
  type Hash,
  type Hex,
  http,
  parseAbi,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem'
import { foundry } from 'viem/chains'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { startAnvil } from '../../scripts/local/chain/anvil.ts'

/** Enough for every transaction of the tests, and below the limit of EIP-7825. */
export const MAX_GAS = 16_000_000n

/** Options to send as an account, without asking the node for the gas first. */
export const as = (account: Address) => ({ account, gas: MAX_GAS })

export async function aChain() {
  const anvil = await startAnvil({ port: 0 })
  const client = createTestClient({
    chain: foundry,
    mode: 'anvil',
    cacheTime: 0,
    transport: http(anvil.url, { retryCount: 0 }),
  })
    .extend(publicActions)
    .extend(walletActions)

  /** The receipt of a transaction, whatever its status. */
  async function receiptOf(hash: Hash): Promise<TransactionReceipt> {
    for (let tries = 0; tries < 100; tries++) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined)
      if (receipt) return receipt
      // Automatic mining sometimes leaves a transaction behind.
      if (tries > 10) await client.mine({ blocks: 1 })
    }
    throw new Error(`${hash} is not mined`)
  }

  /** What the call of a mined transaction returned, or was reverted with. */
  async function outputOf(hash: Hash): Promise<Hex> {
    const { output = '0x' } = await client.request<{
      Method: 'debug_traceTransaction'
      Parameters: [Hash, { tracer: 'callTracer'; tracerConfig: { onlyTopCall: true } }]
      ReturnType: { output?: Hex }
    }>({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }],
    })
    return output
  }

  return {
    client,
    stop: anvil.stop,
    receiptOf,
    outputOf,
    /** Waits until a transaction is mined. Throws the name of the error that it was reverted with. */
    async mined(sent: Promise<Hash>): Promise<TransactionReceipt> {
      const hash = await sent
      const receipt = await receiptOf(hash)
      if (receipt.status === 'reverted') throw new Error(errorIn(await outputOf(hash)))
      return receipt
    },
    /** The time of the newest block, in seconds since 1970. */
    time: async (): Promise<bigint> => (await client.getBlock()).timestamp,
  }
}

/** The name of the contract's error, or the text of `require`. */
export function errorIn(data: Hex): string {
  if (data === '0x') return 'reverted without data'
  const { errorName, args } = decodeErrorResult({ abi: errors, data })
  return errorName === 'Error' ? args[0] : errorName
}

const errors = [
  ...deliveryAbi,
  ...parseAbi(['error Error(string)', 'error Panic(uint256)']),
] as const
