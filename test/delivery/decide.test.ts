/** What is decided of an open transaction and of its items, for each thing that a node can say. */
import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbi,
  parseGwei,
  toHex,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import type { Delivery, DeliveryTransaction, Observation } from '../../src/delivery/model.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { type Decision, decide } from '../../src/delivery/rules/decide.ts'
import { CANCELLED, type ContractItem, hashContent } from '../../src/ethereum/contract.ts'
import type { Receipt } from '../../src/ethereum/requests.ts'
import { getSigner } from '../../src/ethereum/signer.ts'

const signer = getSigner(toPrivateKey(localAccount(0)))
const DELIVERY: Address = '0x00000000000000000000000000000000000000D1'
const TOKEN: Address = '0x0000000000000000000000000000000000000070'
const SELLER: Address = '0x000000000000000000000000000000000000005E'
const HASH = toHex(0xaa, { size: 32 })
const OTHER_HASH = toHex(0xbb, { size: 32 })
const BLOCK_HASH = toHex(0xcc, { size: 32 })

const NOW = new Date('2026-01-01T12:00:00.000Z')
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1000).toISOString()
const gwei = (text: string) => parseGwei(text)

/** The newest block is 100, the final one 98. The nonce of the transaction is 5. */
const HEAD = 100
const FINAL = 98
const HEAD_TIME = 50_000
const FINAL_TIME = 49_976
const NONCE = 5

const keyOf = (id: number) => toHex(id, { size: 32 })
const itemOf = (id: number): ContractItem => ({
  key: keyOf(id),
  token: TOKEN,
  from: SELLER,
  to: toHex(0xb000 + id, { size: 20 }),
  tokenId: 7n,
  amount: 2n,
})
const carriedOf = (id: number): Delivery => ({
  id,
  key: keyOf(id),
  contract: DELIVERY,
  state: 'in_flight',
  contractAddr: TOKEN,
  tokenId: '7',
  quantity: 2,
  fulfilment: 'transfer',
  heldBySeller: 0,
  isStoppedByBurns: 0,
  wasCarried: 1,
  seller: SELLER,
  sellerChainId: 0,
  recipient: itemOf(id).to,
  recipientChainId: 0,
  isProvedByFactory: 0,
  version: 3,
  requestedAction: 'deliver',
  cancelRequestedAt: null,
  waitingSince: null,
  tries: 0,
  withoutEffect: 0,
  reasonCode: null,
  reasonDetail: null,
})

const fees = { maxFeePerGas: gwei('3'), maxPriorityFeePerGas: gwei('1') }
/** Signed at block 99 a minute ago, and in no block that is known. */
const transaction: DeliveryTransaction = {
  id: 1,
  contract: DELIVERY,
  signer: signer.address,
  nonce: NONCE,
  items: [1],
  hash: HASH,
  replaced: [],
  raw: '0x02',
  gas: 500_000n,
  ...fees,
  deadline: 60_000,
  signedAtBlock: 99,
  signedAt: secondsAgo(60),
  block: null,
  blockHash: null,
  nonceUsedAt: null,
}

type Told = {
  /** Transactions of the signer in blocks. */
  count?: number
  /** By hash. Null: the node has none. */
  receipts?: [Hex, Receipt | null][]
  /** By id of the item: the block, and the content hash unless it is that of the item. */
  records?: [number, number, Hex?][]
  baseFee?: bigint
  /** Null: no node tells the tip. */
  tip?: bigint | null
  /** Ids of items whose records a second node does not confirm. */
  disputed?: number[]
  /** Hashes of receipts that only one node has. */
  unconfirmed?: Hex[]
  /** Events that only one node has. */
  doubtfulLogs?: Log[]
  /** The time of the final block according to a second node. */
  finalTime?: number
}

function decisionOn(
  overrides: Partial<DeliveryTransaction>,
  {
    count = NONCE,
    receipts = [],
    records = [
      [1, 0],
      [2, 0],
    ],
    baseFee = gwei('1'),
    tip = gwei('1'),
    disputed = [],
    unconfirmed = [],
    doubtfulLogs = [],
    finalTime = FINAL_TIME,
  }: Told,
  carried: Delivery[] = [carriedOf(1), carriedOf(2)],
): Decision {
  const node = { index: 0, url: '', limits: { callsPerBatch: 1, callsPerSecond: 1 } }
  const observation: Observation = {
    node,
    nodes: [node],
    head: { number: HEAD, hash: BLOCK_HASH, timestamp: HEAD_TIME },
    final: { number: FINAL, timestamp: FINAL_TIME },
    settledHash: null,
    market: tip === null ? null : { baseFee, lowestBaseFee: baseFee, tip, overdueTip: tip },
    signers: new Map([
      [signer.address, { count, told: Array(2).fill({ count, balance: gwei('1000000000') }) }],
    ]),
    doubted: new Set(),
    disagreements: [],
    isAlone: false,
    unconfirmed: new Set(unconfirmed),
    doubtfulLogs: new Set(doubtfulLogs),
    finalTime,
    contracts: new Map(),
    receipts: new Map(receipts),
    records: new Map(
      records.map(([id, block, contentHash]) => [
        keyOf(id),
        { block, contentHash: contentHash ?? hashContent(itemOf(id)), contract: DELIVERY },
      ]),
    ),
    disputed: new Set(disputed.map(keyOf)),
    unconfirmedSince: null,
    lineage: [DELIVERY],
  }
  const evidence = {
    observation,
    loaded: { carried: new Map(carried.map((item) => [item.id, item])) },
    network: { gasPerItem: 300_000, maxFeePerGasGwei: 10 },
    now: NOW,
  }
  const decided = { ...transaction, ...overrides }
  return { transaction: decided, ...decide(decided, evidence) }
}

type Log = Receipt['logs'][number]
const abi = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
])
const topicsOf = (topics: ReturnType<typeof encodeEventTopics>): Hex[] =>
  topics.flatMap((topic) => topic ?? [])

const transferOf = (id: number): Log => {
  const { token, from, to, tokenId, amount } = itemOf(id)
  const args = { operator: DELIVERY, from, to }
  return {
    address: token,
    topics: topicsOf(encodeEventTopics({ abi, eventName: 'TransferSingle', args })),
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [tokenId, amount]),
  }
}
const useOf = (id: number, { to, from, tokenId, amount } = itemOf(id)): Log => ({
  address: DELIVERY,
  topics: topicsOf(
    encodeEventTopics({
      abi: deliveryAbi,
      eventName: 'Delivered',
      args: { key: keyOf(id), relayer: signer.address, token: TOKEN },
    }),
  ),
  data: encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
    [from, to, tokenId, amount],
  ),
})
const cancelOf = (id: number): Log => ({
  address: DELIVERY,
  topics: topicsOf(
    encodeEventTopics({ abi: deliveryAbi, eventName: 'Cancelled', args: { key: keyOf(id) } }),
  ),
  data: '0x',
})
const failureOf = (
  id: number,
  { address = DELIVERY, gasUsed = 21_000n, reason = '0x' as Hex } = {},
): Log => ({
  address,
  topics: topicsOf(
    encodeEventTopics({ abi: deliveryAbi, eventName: 'DeliveryFailed', args: { key: keyOf(id) } }),
  ),
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [gasUsed, reason]),
})

const receiptAt = (blockNumber: number, ...logs: Log[]): Receipt => ({
  transactionHash: HASH,
  blockNumber,
  blockHash: BLOCK_HASH,
  status: 1,
  from: signer.address,
  gasUsed: 100_000,
  effectiveGasPrice: gwei('2'),
  logs,
})
const delivered = [useOf(1), transferOf(1)]

/** What is done, in which case, what is stored of the transaction, and what is told. */
type Case = [Decision['do'], string, Partial<DeliveryTransaction>, Told?]

const none: [Hex, null][] = [[HASH, null]]

describe('a transaction that is in no block', () => {
  const cases: Case[] = [
    ['await_block', 'a moment after it was sent', { signedAtBlock: 100, signedAt: secondsAgo(1) }],
    ['send', 'after the next block', { signedAtBlock: 99, signedAt: secondsAgo(1) }],
    ['send', 'after some seconds without a block', { signedAtBlock: 100, signedAt: secondsAgo(5) }],
    [
      'send',
      'while it may be mined in a block with the time of its deadline',
      { deadline: FINAL_TIME },
    ],
    [
      'send',
      'what may still be mined if only a block that is not final is after its deadline',
      { deadline: HEAD_TIME - 1 },
    ],
    [
      'wait',
      'while no second node says that a final block is after its deadline',
      { deadline: FINAL_TIME - 1 },
      { receipts: none, finalTime: FINAL_TIME - 1 },
    ],
    [
      'wait',
      'after its deadline while a node does not tell its receipt',
      { deadline: FINAL_TIME - 1 },
    ],
    ['wait', 'once its items are gone', { items: [] }],
    [
      'wait',
      'after its deadline while the node does not tell the records',
      { deadline: FINAL_TIME - 1 },
      { records: [], receipts: none },
    ],
  ]
  it.each(cases)('%s %s', (does, _, overrides, told = {}) => {
    expect(decisionOn(overrides, told).do).toBe(does)
  })

  it('has expired when a final block is after its deadline', () => {
    expect(decisionOn({ deadline: FINAL_TIME - 1 }, { receipts: none })).toMatchObject({
      ...{ do: 'close', closing: 'expired', receipt: null },
    })
  })
})

describe('a transaction whose nonce is used', () => {
  const used = { count: NONCE + 1 }
  const cases: Case[] = [
    // So that others are sent.
    ['store_nonce_use', 'while the nodes do not tell the same receipt', {}, used],
    [
      'store_nonce_use',
      'while the nodes tell only one of its receipts',
      { replaced: [OTHER_HASH] },
      { ...used, receipts: none },
    ],
    ['wait', 'until its block is final', { block: 99, blockHash: BLOCK_HASH }, used],
    ['store_nonce_use', 'when the node has no receipt', {}, { ...used, receipts: none }],
    [
      'wait',
      'until the use of its nonce is final',
      { nonceUsedAt: 99 },
      { ...used, receipts: none },
    ],
    [
      'wait',
      'then while the node does not tell the records',
      { nonceUsedAt: 98 },
      { ...used, receipts: none, records: [] },
    ],
  ]
  it.each(cases)('%s %s', (does, _, overrides, told = {}) => {
    expect(decisionOn(overrides, told).do).toBe(does)
  })
})

describe('a transaction with a receipt', () => {
  const mined = (receipt: Receipt): Told => ({ count: NONCE + 1, receipts: [[HASH, receipt]] })
  const young = receiptAt(99, ...delivered)
  const unrecorded = { ...mined(receiptAt(98)), records: [] }
  const cases: Case[] = [
    ['store_block', 'if it has another block', { block: 98, blockHash: BLOCK_HASH }, mined(young)],
    [
      'store_block',
      'if it has another block of the same height',
      { block: 99, blockHash: OTHER_HASH },
      mined(young),
    ],
    ['await_block', 'when it is in a block after the newest', {}, mined(receiptAt(101))],
    [
      'wait',
      'in a final block while the node does not tell the records',
      { nonceUsedAt: 98 },
      unrecorded,
    ],
    // It takes no place of those in flight meanwhile.
    ['store_nonce_use', 'in a final block without records', {}, unrecorded],
  ]
  it.each(cases)('%s %s', (does, _, overrides, told = {}) => {
    expect(decisionOn(overrides, told).do).toBe(does)
  })

  it('is recognised by its bytes with lower fees', () => {
    const receipts: Told['receipts'] = [
      [OTHER_HASH, null],
      [HASH, young],
    ]
    const decision = decisionOn({ hash: OTHER_HASH, replaced: [HASH] }, { count: 6, receipts })
    expect(decision).toMatchObject({ do: 'store_block', receipt: young })
  })
})

describe('an item', () => {
  /** The changes of the items when the transaction has this receipt. */
  function changesOf(
    receipt: Receipt | null,
    records: Told['records'] & {},
    carried?: Delivery[],
    overrides: Partial<DeliveryTransaction> = {},
  ) {
    const told: Told = receipt
      ? { count: NONCE + 1, receipts: [[HASH, receipt]], records }
      : { receipts: [[HASH, null]], records }
    const deadline = receipt ? transaction.deadline : FINAL_TIME - 1
    const decision = decisionOn({ deadline, ...overrides }, told, carried)
    if (decision.do !== 'close') throw new Error(`the transaction is not closed: ${decision.do}`)
    return decision.changes
  }
  const queuedNow = { transition: 'queue', dueAt: NOW.toISOString(), reasonDetail: null, tries: 0 }

  it('is transferred when its key and its transfer are in the final block', () => {
    const failing = {
      ...carriedOf(1),
      waitingSince: secondsAgo(60),
      ...explain('contract_paused'),
      requestedAction: 'cancel',
    } as const
    expect(changesOf(receiptAt(98, ...delivered), [[1, 98]], [failing])).toEqual([
      {
        id: 1,
        version: 3,
        transition: 'deliver',
        requestedAction: 'deliver',
        waitingSince: null,
        tries: 0,
        withoutEffect: 0,
        reasonCode: null,
        reasonDetail: null,
        dueAt: null,
        transaction: undefined,
        amount: 2,
        isTaken: false,
      },
    ])
  })

  it('fails when the token recorded no transfer', () => {
    const other = { ...transferOf(1), address: SELLER }
    expect(changesOf(receiptAt(98, useOf(1), other), [[1, 98]])).toMatchObject([
      { transition: 'fail', dueAt: null, reasonCode: 'token_moved_nothing' },
    ])
  })

  it('does not fail once its pieces have returned: they would return twice', () => {
    const returned = { ...carriedOf(1), reasonCode: 'cancelled' } as const
    expect(changesOf(receiptAt(98, useOf(1)), [[1, 98]], [returned])).toMatchObject([
      { transition: 'cancel', reasonCode: 'cancelled', isReturned: false },
    ])
  })

  it('needs a transfer of its own', () => {
    const receipt = receiptAt(98, useOf(1), transferOf(1), useOf(2, itemOf(1)))
    expect(
      changesOf(
        receipt,
        [
          [1, 98],
          [2, 98, hashContent(itemOf(1))],
        ],
        undefined,
        { items: [1, 2] },
      ),
    ).toMatchObject([
      { transition: 'deliver' },
      { transition: 'fail', reasonCode: 'token_moved_nothing' },
    ])
  })

  it('ends by a receipt that only one node has only if a record proves it, and never fails by it', () => {
    const closingOf = (receipt: Receipt, records: Told['records'] & {}) =>
      decisionOn(
        { nonceUsedAt: 98 },
        { count: NONCE + 1, receipts: [[HASH, receipt]], records, unconfirmed: [HASH] },
      )
    expect(closingOf(receiptAt(98, ...delivered), [[1, 98]])).toMatchObject({
      do: 'close',
      changes: [{ id: 1, transition: 'deliver' }],
    })
    // The record names another block, the receipt has no event, the token has moved nothing.
    expect(closingOf(receiptAt(97, ...delivered), [[1, 98]])).toMatchObject({ do: 'wait' })
    expect(closingOf(receiptAt(98), [[1, 98]])).toMatchObject({ do: 'wait' })
    expect(closingOf(receiptAt(98, useOf(1)), [[1, 98]])).toMatchObject({ do: 'wait' })
    // The item beside it has not failed.
    const both = [carriedOf(1), carriedOf(2)]
    const failing = receiptAt(98, ...delivered, failureOf(2))
    const told: Told = {
      count: NONCE + 1,
      receipts: [[HASH, failing]],
      records: [
        [1, 98],
        [2, 0],
      ],
    }
    expect(decisionOn({ items: [1, 2] }, { ...told, unconfirmed: [HASH] }, both)).toMatchObject({
      changes: [{ transition: 'deliver' }, { ...queuedNow, reasonCode: null }],
    })
    expect(decisionOn({ items: [1, 2] }, told, both)).toMatchObject({
      changes: [
        { transition: 'deliver' },
        { transition: 'queue', tries: 1, reasonCode: 'transfer_failed' },
      ],
    })
  })

  it('waits while only one node has the event of its transfer', () => {
    const receipt = receiptAt(98, ...delivered)
    const told: Told = { count: NONCE + 1, receipts: [[HASH, receipt]], records: [[1, 98]] }
    expect(decisionOn({}, { ...told, doubtfulLogs: receipt.logs.slice(1) })).toMatchObject({
      do: 'close',
      changes: [{ transition: 'queue', reasonCode: 'transaction_not_found' }],
    })
    expect(decisionOn({}, { ...told, doubtfulLogs: receipt.logs.slice(0, 1) })).toMatchObject({
      changes: [{ transition: 'deliver' }],
    })
  })

  it('is queued when no record has its key', () => {
    expect(changesOf(receiptAt(98), [[1, 0]])).toMatchObject([queuedNow])
    expect(changesOf(null, [[1, 0]])).toMatchObject([queuedNow])
  })

  it('is queued, to be compared with the chain, when another transaction used its key', () => {
    // In an earlier final block, in one that is not final, and in the same block.
    expect(changesOf(receiptAt(98, failureOf(1)), [[1, 97]])).toMatchObject([queuedNow])
    expect(changesOf(receiptAt(98), [[1, 99]])).toMatchObject([queuedNow])
    expect(changesOf(receiptAt(98), [[1, 98]])).toMatchObject([queuedNow])
    expect(changesOf(receiptAt(98), [[1, 98, CANCELLED]])).toMatchObject([queuedNow])
    expect(changesOf(null, [[1, 98]])).toMatchObject([queuedNow])
  })

  it('has not failed when a token logs what looks like a failure', () => {
    expect(changesOf(receiptAt(98, failureOf(1, { address: TOKEN })), [[1, 0]])).toMatchObject([
      queuedNow,
    ])
    expect(changesOf(receiptAt(98, failureOf(2)), [[1, 0]])).toMatchObject([queuedNow])
  })

  it('is not transferred when a token logs what looks like a delivery', () => {
    const forged = { ...useOf(1), address: TOKEN }
    expect(changesOf(receiptAt(98, forged), [[1, 98]])).toMatchObject([queuedNow])
  })

  it('is cancelled when its key was used up, and its pieces return once', () => {
    const receipt = receiptAt(98, cancelOf(1))
    const toCancel = { ...carriedOf(1), requestedAction: 'cancel' } as const
    const ended = {
      transition: 'cancel',
      requestedAction: 'cancel',
      ...explain('cancelled'),
      dueAt: null,
    }
    expect(changesOf(receipt, [[1, 98, CANCELLED]], [toCancel])).toMatchObject([
      { ...ended, isReturned: true },
    ])
    expect(
      changesOf(receipt, [[1, 98, CANCELLED]], [{ ...toCancel, ...explain('cancelled') }]),
    ).toMatchObject([{ ...ended, isReturned: false }])
  })
})

describe('a transaction that is not in a block', () => {
  it('is not closed as foreign when other bytes of its nonce were mined', () => {
    const receipt = { ...receiptAt(98), transactionHash: OTHER_HASH }
    const told: Told = {
      count: NONCE + 1,
      receipts: [
        [HASH, null],
        [OTHER_HASH, receipt],
      ],
    }
    expect(decisionOn({ replaced: [OTHER_HASH], nonceUsedAt: 98 }, told)).toMatchObject({
      do: 'close',
      closing: 'final',
      changes: [{ transition: 'queue' }],
    })
  })

  it('stays open while a second node does not confirm a record', () => {
    const told: Told = {
      count: NONCE + 1,
      receipts: [[HASH, receiptAt(98, ...delivered)]],
      records: [[1, 98]],
    }
    expect(decisionOn({}, told)).toMatchObject({ do: 'close' })
    expect(decisionOn({ nonceUsedAt: 98 }, { ...told, disputed: [1] })).toEqual({
      transaction: expect.anything(),
      do: 'wait',
    })
  })
})

describe('an item that failed in a transaction', () => {
  const closed = (failure: Log) =>
    decisionOn(
      {},
      { count: NONCE + 1, receipts: [[HASH, receiptAt(98, failure)]], records: [[1, 0]] },
    )

  it('has burned gas from half of its limit on', () => {
    expect(closed(failureOf(1, { gasUsed: 149_999n }))).toMatchObject({ burned: [] })
    expect(closed(failureOf(1, { gasUsed: 150_000n }))).toMatchObject({ burned: [{ id: 1 }] })
  })

  it('is why the contract has reached no other, which counts as no transaction without effect', () => {
    const others = (gasUsed: bigint) => {
      const receipts: Told['receipts'] = [[HASH, receiptAt(98, failureOf(1, { gasUsed }))]]
      const records: Told['records'] = [
        [1, 0],
        [2, 0],
      ]
      const both = [carriedOf(1), carriedOf(2)]
      return decisionOn({ items: [1, 2] }, { count: NONCE + 1, receipts, records }, both)
    }
    const changes = (withoutEffect: number) => ({
      changes: [
        { id: 1, tries: 1 },
        { id: 2, tries: 0, withoutEffect },
      ],
    })
    expect(others(150_000n)).toMatchObject(changes(0))
    expect(others(149_999n)).toMatchObject(changes(1))
  })
})
