/** Lies in which several answers of a node agree. */
import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedEIP1559,
} from 'viem'
import { deliveryAbi as abi } from '../../../../contracts/delivery-abi.ts'
import { type ContractItem, hashContent } from '../../../../src/ethereum/contract.ts'
import { asOfBlock } from '../../chain/stale.ts'
import { type Answer, type Call, nameOf } from './calls.ts'
import { Refusal } from './values.ts'

/** What a story needs to know. */
export type Scene = {
  /** Asks the node, without lies. */
  ask: (method: string, ...params: unknown[]) => Promise<unknown>
  /** The newest block when the lie began. */
  height: number
  delivery: Address
  signer: Address
  /** Contracts and accounts of the chain. */
  addresses: readonly string[]
  draw: number
  /** What the contract would do for each item, by delivery key. */
  calls: ReadonlyMap<string, ContractItem>
}

export type Story = {
  /** The call that the node gets instead; null: none. */
  forward?: (call: Call) => Call | null
  /** Changes the answer of the node. */
  change?: (call: Call, result: unknown) => unknown
}

type Block = { number: Hex; hash: Hex; timestamp: Hex }
const numberOf = (value: unknown) => Number(value)
const hex = (value: number | bigint) => numberToHex(value)
const word = (value: number | bigint) => numberToHex(value, { size: 32 })

const isBroadcast = ({ method }: Call) => method === 'eth_sendRawTransaction'
const rawOf = ({ params }: Call) => `${params?.[0]}` as TransactionSerializedEIP1559
const textOf = ({ params }: Call) => `${params?.[0]}`

const events = [
  ...abi,
  ...parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
    'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  ]),
]

type Event = { address: Address; topics: unknown; data: Hex }

const anEvent = (
  address: Address,
  eventName: string,
  args: Record<string, unknown>,
  types: readonly string[] = [],
  content: readonly unknown[] = [],
): Event => ({
  address,
  topics: encodeEventTopics({ abi: events as Abi, eventName, args }),
  data: encodeAbiParameters(
    types.map((type) => ({ type })),
    content,
  ),
})

/** The events of a delivery, as the contracts would log them. */
function eventsOf(item: ContractItem, { delivery, signer }: Scene): Event[] {
  const { key, token, from, to, tokenId, amount } = item
  if (BigInt(token) === 0n) return [anEvent(delivery, 'Cancelled', { key })]
  const pieces = { operator: delivery, from, to }
  const number = 'uint256'
  return [
    amount === 0n
      ? anEvent(token, 'Transfer', { from, to, tokenId })
      : anEvent(token, 'TransferSingle', pieces, [number, number], [tokenId, amount]),
    anEvent(
      delivery,
      'Delivered',
      { key, relayer: signer, token },
      ['address', 'address', number, number],
      [from, to, tokenId, amount],
    ),
  ]
}

/** Event of a transfer that failed, having used a lot of gas. */
const failureOf = ({ key }: ContractItem, { delivery }: Scene, gasUsed: bigint): Event =>
  anEvent(delivery, 'DeliveryFailed', { key }, ['uint256', 'bytes'], [gasUsed, '0x'])

type Swallowed = { hash: Hex; from: Address; nonce: number; keys: string[] }

/** How a made-up receipt looks. */
type MadeUp = {
  status: '0x0' | '0x1'
  logs: (calls: ContractItem[], scene: Scene) => Event[]
  /** Whether the records of the keys say so, too. */
  hasRecords?: boolean
  /** Whether the transaction is swallowed, or mined as it should be. */
  isSwallowed?: boolean
  /** Transactions of which there is such a receipt. Default: all. */
  most?: number
}

/** Swallows transactions, and gives receipts for them with number and hash of a real block. */
const receiptsOf =
  ({ status, logs, hasRecords = false, isSwallowed = true, most = Infinity }: MadeUp) =>
  (scene: Scene): Story => {
    const swallowed: Swallowed[] = []
    const uses = new Map<string, Block>()
    let place: Block | null = null
    const findPlace = async () => {
      place ??= Object(await scene.ask('eth_getBlockByNumber', 'latest', false)) as Block
      return place
    }
    /** Whether it is one of those that it lies about. */
    const isOne = (call: Call) =>
      isBroadcast(call) &&
      (swallowed.length < most || swallowed.some(({ hash }) => hash === keccak256(rawOf(call))))
    return {
      forward: (call) => (isSwallowed && isOne(call) ? null : call),
      change: async (call, result) => {
        if (isOne(call)) {
          const raw = rawOf(call)
          const transaction = parseTransaction(raw)
          const from = await recoverTransactionAddress({ serializedTransaction: raw })
          const hash = keccak256(raw)
          const keys = [...scene.calls.keys()].filter((key) => raw.includes(key.slice(2)))
          swallowed.push({ hash, from, nonce: transaction.nonce ?? 0, keys })
          const block = await findPlace()
          for (const key of keys) uses.set(key, block)
          return isSwallowed ? hash : result
        }
        if (call.method === 'eth_getTransactionCount') {
          const own = swallowed.filter(
            ({ from }) => from.toLowerCase() === textOf(call).toLowerCase(),
          )
          return hex(Math.max(numberOf(result), ...own.map(({ nonce }) => nonce + 1)))
        }
        if (call.method === 'eth_getTransactionReceipt') {
          const found = swallowed.find(({ hash }) => hash === textOf(call))
          if (!found) return result
          const { number, hash } = await findPlace()
          const items = found.keys.flatMap((key) => scene.calls.get(key) ?? [])
          return {
            transactionHash: found.hash,
            blockNumber: number,
            blockHash: hash,
            status,
            from: found.from,
            gasUsed: '0x5208',
            effectiveGasPrice: '0x1',
            logs: logs(items, scene),
          }
        }
        if (hasRecords && nameOf(call) === 'eth_call records')
          return changeRecords(call, result, (key, record) => {
            const item = scene.calls.get(key)
            const block = uses.get(key)
            if (!item || !block) return record
            return {
              blockNumber: BigInt(block.number),
              contentHash: BigInt(item.token) === 0n ? `0x${'0'.repeat(48)}` : hashContent(item),
            }
          })
        return result
      },
    }
  }

type KeyRecord = { blockNumber: bigint; contentHash: Hex }

/** Changes the records in an answer. */
function changeRecords(
  { params }: Call,
  result: unknown,
  change: (key: string, record: KeyRecord) => KeyRecord,
): unknown {
  const data = `${Object(params?.[0]).data}`
  // The keys follow the selector, the offset and the length of the list.
  const keys = (data.slice(10 + 128).match(/.{64}/g) ?? []).map((key) => `0x${key}`)
  const answer = `${result}`.slice(2).match(/.{64}/g) ?? []
  const number = BigInt(`0x${answer[0] ?? '0'}`)
  const time = BigInt(`0x${answer[1] ?? '0'}`)
  const found = keys.map((key, i) =>
    change(key, {
      blockNumber: BigInt(`0x${answer[4 + 2 * i] ?? '0'}`),
      contentHash: `0x${(answer[5 + 2 * i] ?? '0'.repeat(64)).slice(0, 48)}`,
    }),
  )
  return encodeFunctionResult({ abi, functionName: 'records', result: [number, time, found] })
}

/** Answers every call as of the block in which the lie began. */
const frozen =
  (isAlso: (call: Call) => boolean) =>
  ({ height }: Scene): Story => ({
    forward: (call) =>
      isAlso(call)
        ? { ...call, ...asOfBlock({ ...call, params: [...(call.params ?? [])] }, height).forward }
        : call,
    change: (call, result) => {
      if (!isAlso(call)) return result
      const answer: Answer = { jsonrpc: '2.0', id: call.id, result }
      const { finish } = asOfBlock({ ...call, params: [...(call.params ?? [])] }, height)
      return finish(answer).result
    },
  })

const isBlockCall = ({ method }: Call) =>
  method === 'eth_getBlockByNumber' || method === 'eth_blockNumber'

/** Every block above a height has another hash. */
const fork =
  (distance: number) =>
  ({ height }: Scene): Story => {
    const changed = (hash: unknown, number: unknown) =>
      numberOf(number) > height - distance ? keccak256(`${hash}` as Hex) : hash
    return {
      change: (call, result) => {
        if (!result || typeof result !== 'object') return result
        const fields = Object(result)
        if (call.method === 'eth_getBlockByNumber')
          return { ...fields, hash: changed(fields.hash, fields.number) }
        if (call.method === 'eth_getTransactionReceipt')
          return { ...fields, blockHash: changed(fields.blockHash, fields.blockNumber) }
        return result
      },
    }
  }

/** The newest block is higher, and the blocks up to it are made up. */
const ahead =
  (blocks: number, seconds: number) =>
  (scene: Scene): Story => {
    const newest = async () => Object(await scene.ask('eth_getBlockByNumber', 'latest', false))
    return {
      change: async (call, result) => {
        if (!isBlockCall(call)) return result
        const real: Block & object = await newest()
        const top = numberOf(real.number) + blocks
        if (call.method === 'eth_blockNumber') return hex(top)
        const wanted = textOf(call) === 'latest' ? top : numberOf(textOf(call))
        if (wanted <= numberOf(real.number) || wanted > top) return result
        const above = wanted - numberOf(real.number)
        return {
          ...real,
          number: hex(wanted),
          hash: keccak256(word(wanted)),
          timestamp: hex(numberOf(real.timestamp) + Math.ceil((above * seconds) / blocks)),
        }
      },
    }
  }

/** Adds to every count of transactions. */
const counts =
  (change: (count: number, scene: Scene) => number) =>
  (scene: Scene): Story => ({
    change: ({ method }, result) =>
      method === 'eth_getTransactionCount' ? hex(change(numberOf(result), scene)) : result,
  })

const calls =
  (names: readonly string[], change: (result: unknown, scene: Scene, call: Call) => unknown) =>
  (scene: Scene): Story => ({
    change: (call, result) =>
      names.includes(nameOf(call) ?? '') ? change(result, scene, call) : result,
  })

const YES = word(1)
const NO = word(0)

/** The newest block, and a block that no chain has. */
const BEYOND = 2 ** 31

/** A story that tells two stories at once. */
const both =
  (first: (scene: Scene) => Story, second: (scene: Scene) => Story) =>
  (scene: Scene): Story => {
    const [one, two] = [first(scene), second(scene)]
    return {
      forward: (call) => {
        const forwarded = one.forward ? one.forward(call) : call
        return forwarded && two.forward ? two.forward(forwarded) : forwarded
      },
      change: async (call, result) => {
        const changed = one.change ? await one.change(call, result) : result
        return two.change ? two.change(call, changed) : changed
      },
    }
  }

const fail = new Refusal({ code: -32603, message: 'internal error' })
const revert = new Refusal({ code: 3, message: 'execution reverted', data: '0x' })

/** Changes receipts, transactions and events of mined transactions in the same way. */
const mined =
  (change: (fields: Record<string, unknown>, scene: Scene) => unknown) =>
  (scene: Scene): Story => ({
    change: ({ method }, result) => {
      if (!result || typeof result !== 'object') return result
      if (method === 'eth_getLogs' && Array.isArray(result))
        return result.map((entry) => change(Object(entry), scene))
      if (method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash')
        return change(Object(result), scene)
      return result
    },
  })

/** The events of the Delivery contract are those of another contract. */
function ofAnother(fields: Record<string, unknown>, { delivery, addresses, draw }: Scene): unknown {
  const { address, logs } = fields
  const others = addresses.filter((one) => one.toLowerCase() !== delivery.toLowerCase())
  const other = others[draw % others.length]
  const isOurs = (value: unknown) => `${value}`.toLowerCase() === delivery.toLowerCase()
  if (Array.isArray(logs))
    return {
      ...fields,
      logs: logs.map((log) =>
        isOurs(Object(log).address) ? { ...Object(log), address: other } : log,
      ),
    }
  return isOurs(address) ? { ...fields, address: other } : fields
}

/** Adds the event of each transfer that the Delivery contract speaks of. */
const withTransfers = (logs: readonly unknown[], scene: Scene): unknown[] => [
  ...logs.flatMap((log) => {
    const item = scene.calls.get(`${Object(log).topics?.[1]}`)
    return item ? eventsOf(item, scene).slice(0, 1) : []
  }),
  ...logs,
]

const emptyData = (fields: Record<string, unknown>): unknown =>
  Array.isArray(fields.logs)
    ? { ...fields, logs: fields.logs.map((log) => ({ ...Object(log), data: '0x' })) }
    : 'topics' in fields
      ? { ...fields, data: '0x' }
      : fields

export const stories = {
  'swallows transactions, and has a receipt of each, without events': receiptsOf({
    status: '0x1',
    logs: () => [],
  }),
  'swallows a transaction, and has a receipt of it, without events': receiptsOf({
    status: '0x1',
    logs: () => [],
    most: 1,
  }),
  'swallows a transaction, and has a receipt of it that failed': receiptsOf({
    status: '0x0',
    logs: () => [],
    most: 1,
  }),
  'swallows three transactions, and has a receipt of each, without events': receiptsOf({
    status: '0x1',
    logs: () => [],
    most: 3,
  }),
  'swallows transactions, and has a receipt of each that failed': receiptsOf({
    status: '0x0',
    logs: () => [],
  }),
  'swallows transactions, and has a receipt of each with all events': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.flatMap((item) => eventsOf(item, scene)),
  }),
  'swallows transactions, and has receipts, events and records of them': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.flatMap((item) => eventsOf(item, scene)),
    hasRecords: true,
  }),
  'swallows transactions, and has receipts in which all transfers failed': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.map((item) => failureOf(item, scene, 30_000n)),
  }),
  'swallows transactions, and has receipts in which all gas was used up': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.map((item) => failureOf(item, scene, 2n ** 40n)),
  }),
  'has made-up receipts of transactions that failed, and mines them': receiptsOf({
    status: '0x0',
    logs: () => [],
    isSwallowed: false,
  }),
  'has made-up receipts without events, and mines the transactions': receiptsOf({
    status: '0x1',
    logs: () => [],
    isSwallowed: false,
  }),
  'swallows transactions': () => ({
    forward: (call) => (isBroadcast(call) ? null : call),
    change: (call, result) => (isBroadcast(call) ? keccak256(rawOf(call)) : result),
  }),
  'has fresh blocks and old state': frozen(
    (call) => !isBlockCall(call) && call.method !== 'eth_getTransactionReceipt',
  ),
  'has fresh blocks and old state, and no receipts of newer blocks': frozen(
    (call) => !isBlockCall(call),
  ),
  'has fresh blocks and receipts, and old counts of transactions': frozen(
    ({ method }) => method === 'eth_getTransactionCount',
  ),
  'has old records': frozen((call) => nameOf(call) === 'eth_call records'),
  'stands still': frozen(() => true),
  'is on another fork since the newest block': fork(0),
  'is on another fork since three blocks': fork(3),
  'is on another fork since 50 blocks': fork(50),
  'is a block ahead': ahead(1, 12),
  'is two blocks ahead': ahead(2, 24),
  'is a thousand blocks ahead': ahead(1000, 12_000),
  'is 2^31 blocks ahead': ahead(2 ** 31, 60),
  'is two hours and a thousand blocks ahead': ahead(1000, 7200),
  'is a month ahead': ahead(1000, 30 * 86_400),
  'counts a transaction more': counts((count) => count + 1),
  'counts five transactions more': counts((count) => count + 5),
  'counts 10^9 transactions more': counts((count) => count + 10 ** 9),
  'counts a transaction less': counts((count) => Math.max(0, count - 1)),
  'counts no transactions': counts(() => 0),
  'says that the contract is paused': calls(['eth_call paused'], () => YES),
  'says that the contract is retired': calls(['eth_call retired'], () => YES),
  'says that the signers are no relayers': calls(
    ['eth_call relayerLimit'],
    () => `0x${'0'.repeat(64 * 7)}`,
  ),
  'says that relayers have no room': calls(['eth_call relayerLimit'], (result) => {
    const list = `${result}`.slice(2).match(/.{64}/g) ?? []
    return `0x${list.map((old, i) => (i === 3 ? '0'.repeat(64) : old)).join('')}`
  }),
  'says that nothing may be minted': calls(
    ['eth_call tokenLimit'],
    () => `0x${'0'.repeat(64 * 7)}`,
  ),
  'says that tokens have no standard': calls(['eth_call supportsInterface'], () => NO),
  'says that tokens have both standards': calls(['eth_call supportsInterface'], () => YES),
  'says that tokens have the other standard': calls(['eth_call supportsInterface'], (result) =>
    result === YES ? NO : YES,
  ),
  'says that there is no code': (_) => ({
    change: ({ method }, result) => (method === 'eth_getCode' ? '0x' : result),
  }),
  'says that every account has code': (_) => ({
    change: ({ method }, result) => (method === 'eth_getCode' ? '0x00' : result),
  }),
  'says that every transfer fails': calls(['eth_call deliver'], (result) => {
    // The outcome of each item is followed by the gas, and by the reason as an offset.
    const list = `${result}`.slice(2).match(/.{64}/g) ?? []
    const count = Number(BigInt(`0x${list[1] ?? '0'}`))
    const at = new Set(
      list.slice(2, 2 + count).map((offset) => 2 + Number(BigInt(`0x${offset}`)) / 32),
    )
    return `0x${list.map((old, i) => (at.has(i) ? '3'.padStart(64, '0') : old)).join('')}`
  }),
  'says that every key is used up': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, () => ({ blockNumber: 1n, contentHash: `0x${'0'.repeat(48)}` })),
  ),
  'says that every key is used for its delivery': (scene) => ({
    change: (call, result) =>
      nameOf(call) === 'eth_call records'
        ? changeRecords(call, result, (key, record) => {
            const item = scene.calls.get(key)
            return item ? { blockNumber: 1n, contentHash: hashContent(item) } : record
          })
        : result,
  }),
  'says that no key is used': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, () => ({ blockNumber: 0n, contentHash: `0x${'0'.repeat(48)}` })),
  ),
  'has records in blocks to come': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, (_key, record) => ({ ...record, blockNumber: 2n ** 31n })),
  ),
  'has another contract as the predecessor': calls(
    ['eth_call predecessor'],
    (_, { addresses, draw }) =>
      `0x${(addresses[draw % addresses.length] ?? '').slice(2).padStart(64, '0')}`,
  ),
  'has the contract as its own predecessor': calls(
    ['eth_call predecessor'],
    (_, { delivery }) => `0x${delivery.slice(2).padStart(64, '0')}`,
  ),
  'has events of another contract': mined(ofAnother),
  'has events without data': mined(emptyData),
  'has the events of all transfers': mined((fields, scene) =>
    Array.isArray(fields.logs) ? { ...fields, logs: withTransfers(fields.logs, scene) } : fields,
  ),
  'has mined transactions in block 2^31': mined((fields) => ({
    ...fields,
    blockNumber: hex(BEYOND),
  })),
  'has mined transactions with the nonce 10^9': mined((fields) =>
    'nonce' in fields ? { ...fields, nonce: hex(10 ** 9) } : fields,
  ),
  'has mined transactions of another signer': mined((fields, { addresses, draw }) =>
    'from' in fields ? { ...fields, from: addresses[draw % addresses.length] } : fields,
  ),
  'has nothing': () => ({ change: () => null }),
  'answers every call with an error': () => ({ change: () => fail }),
  'says that every call reverts': () => ({
    change: ({ method }, result) =>
      method === 'eth_call' || method === 'eth_estimateGas' ? revert : result,
  }),
  'returns nothing from every call': () => ({
    change: ({ method }, result) => (method === 'eth_call' ? '0x' : result),
  }),
  'has no receipts and counts a transaction more': both(
    () => ({
      change: ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result),
    }),
    counts((count) => count + 1),
  ),
  'has no old events': () => ({
    change: ({ method }, result) => (method === 'eth_getLogs' ? [] : result),
  }),
  'is a month ahead and swallows transactions': both(ahead(1000, 30 * 86_400), () => ({
    forward: (call) => (isBroadcast(call) ? null : call),
    change: (call, result) => (isBroadcast(call) ? keccak256(rawOf(call)) : result),
  })),
} satisfies Record<string, (scene: Scene) => Story>

export type StoryName = keyof typeof stories
