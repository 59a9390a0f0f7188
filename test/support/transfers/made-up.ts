/** Transfers and facts that no node was asked for: what a pure decision is made from. */
import type { Facts, Receipt } from '../../../src/transfers/decide.ts'
import type { StoredTransaction, Transfer } from '../../../src/transfers/state.ts'

export const SIGNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const T0 = new Date('2026-01-01T00:00:00.000Z')
export const later = (seconds: number) => new Date(T0.getTime() + seconds * 1000)
export const GWEI = 1_000_000_000n

export const aNetwork = {
  chainId: 1,
  rpcUrl: 'http://node.test',
  confirmations: 3,
  maxInFlight: 10,
  bumpAfterSeconds: 60,
  maxFeePerGasGwei: 100,
  pollSeconds: 5,
  maxBatchCalls: 1000,
}

/** Signed at nonce 7, ten gwei, at T0. */
export const aTransaction = (values: Partial<StoredTransaction> = {}): StoredTransaction => ({
  hash: '0xaa',
  transferId: 1,
  generation: 1,
  chainId: 1,
  signer: SIGNER,
  nonce: 7,
  attempt: 0,
  kind: 'transfer',
  raw: '0x02',
  gas: '60000',
  maxFeePerGas: `${10n * GWEI}`,
  maxPriorityFeePerGas: `${GWEI}`,
  createdAt: T0.toISOString(),
  ...values,
})

/** Queued, unless it has transactions: then it was sent. */
export const aTransfer = (values: Partial<Transfer> = {}): Transfer => ({
  id: 1,
  orderId: 1,
  status: values.transactions ? 'sent' : 'queued',
  generation: 1,
  version: 0,
  reason: null,
  cancelRequestedAt: null,
  updatedAt: T0.toISOString(),
  contractNetwork: 'main',
  contractAddr: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  tokenId: '1',
  quantity: 1,
  seller: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  recipient: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  txId: null,
  transactions: [],
  ...values,
})

/** Block 100, a base fee of one gwei, nonce 7 not used yet, and nothing known beyond that. */
export const someFacts = (values: Partial<Facts> = {}): Facts => ({
  head: 100,
  market: { baseFee: GWEI, tip: GWEI },
  balance: 10n ** 18n,
  counts: new Map([[SIGNER, 7]]),
  receipts: new Map(),
  blocks: new Map(),
  simulations: new Map(),
  reverts: new Map(),
  usedBy: new Map(),
  ...values,
})

/** Of a transaction in that block; the block's hash is its number, unless told. */
export const aReceipt = (blockNumber: number, values: Partial<Receipt> = {}): Receipt => ({
  blockNumber,
  blockHash: `${blockNumber}`,
  succeeded: true,
  ...values,
})

/** Blocks that are canonical. */
export const canonical = (...numbers: number[]) =>
  new Map(numbers.map((number) => [number, `${number}`]))
