/** What stories are made of: lies in which several answers of a node agree. */
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
  forward?: (call: Call) => Call | null | Promise<Call | null>
  /** Changes the answer of the node. */
  change?: (call: Call, result: unknown) => unknown
}

export type Block = { number: Hex; hash: Hex; timestamp: Hex }
export const numberOf = (value: unknown) => Number(value)
export const hex = (value: number | bigint) => numberToHex(value)
const word = (value: number | bigint) => numberToHex(value, { size: 32 })

export const isBroadcast = ({ method }: Call) => method === 'eth_sendRawTransaction'
export const rawOf = ({ params }: Call) => `${params?.[0]}` as TransactionSerializedEIP1559
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
export function eventsOf(item: ContractItem, { delivery, signer }: Scene): Event[] {
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
export const failureOf = ({ key }: ContractItem, { delivery }: Scene, gasUsed: bigint): Event =>
  anEvent(delivery, 'DeliveryFailed', { key }, ['uint256', 'bytes'], [gasUsed, '0x'])

type Swallowed = { hash: Hex; from: Address; nonce: number; keys: string[] }

/** How a made-up receipt looks. */
type MadeUp = {
  logs: (calls: ContractItem[], scene: Scene) => Event[]
  /** Whether the records of the keys say so, too. */
  hasRecords?: boolean
  /** Transactions of which there is such a receipt. Default: all. */
  most?: number
}

/** Swallows transactions, and gives receipts for them with number and hash of a real block. */
export const receiptsOf =
  ({ logs, hasRecords = false, most = Infinity }: MadeUp) =>
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
      forward: (call) => (isOne(call) ? null : call),
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
          return hash
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
            status: '0x1',
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
export function changeRecords(
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
export const frozen =
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

export const isBlockCall = ({ method }: Call) =>
  method === 'eth_getBlockByNumber' || method === 'eth_blockNumber'

/** Answers calls as of the block that is so many below the newest one. */
export const lagging =
  (blocks: number, isOne: (call: Call) => boolean = () => true) =>
  ({ ask }: Scene): Story => {
    const locate = async (call: Call) => {
      const height = Math.max(0, numberOf(await ask('eth_blockNumber')) - blocks)
      return asOfBlock({ ...call, params: [...(call.params ?? [])] }, height)
    }
    return {
      forward: async (call) => (isOne(call) ? (await locate(call)).forward : call),
      change: async (call, result) =>
        isOne(call)
          ? (await locate(call)).finish({ jsonrpc: '2.0', id: call.id, result }).result
          : result,
    }
  }

/** Every block from 50 below a height on has another hash. */
export const fork = ({ height }: Scene): Story => {
  const changed = (hash: unknown, number: unknown) =>
    numberOf(number) > height - 50 ? keccak256(`${hash}` as Hex) : hash
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
export const ahead =
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
        // `finalized` is no number, and stays true.
        if (!(wanted > numberOf(real.number) && wanted <= top)) return result
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

/** Changes every count of transactions. */
export const counts = (change: (count: number) => number) => (): Story => ({
  change: ({ method }, result) =>
    method === 'eth_getTransactionCount' ? hex(change(numberOf(result))) : result,
})

export const calls =
  (names: readonly string[], change: (result: unknown, scene: Scene, call: Call) => unknown) =>
  (scene: Scene): Story => ({
    change: (call, result) =>
      names.includes(nameOf(call) ?? '') ? change(result, scene, call) : result,
  })

/** Changes words of an answer, by their positions. */
export function changeWords(
  result: unknown,
  changes: Readonly<Record<number, (old: bigint) => bigint>>,
): string {
  const list = `${result}`.slice(2).match(/.{64}/g) ?? []
  return `0x${list.map((old, i) => (changes[i] ? word(changes[i](BigInt(`0x${old}`))).slice(2) : old)).join('')}`
}

export const YES = word(1)
export const NO = word(0)

/** The newest block, and a block that no chain has. */
export const BEYOND = 2 ** 31

/** A story that tells two stories at once. */
export const both =
  (first: (scene: Scene) => Story, second: (scene: Scene) => Story) =>
  (scene: Scene): Story => {
    const [one, two] = [first(scene), second(scene)]
    return {
      forward: async (call) => {
        const forwarded = one.forward ? await one.forward(call) : call
        return forwarded && two.forward ? two.forward(forwarded) : forwarded
      },
      change: async (call, result) => {
        const changed = one.change ? await one.change(call, result) : result
        return two.change ? two.change(call, changed) : changed
      },
    }
  }

export const fail = new Refusal({ code: -32603, message: 'internal error' })
export const revert = new Refusal({ code: 3, message: 'execution reverted', data: '0x' })

/** Changes receipts, transactions and events of mined transactions in the same way. */
export const mined =
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
export function ofAnother(
  fields: Record<string, unknown>,
  { delivery, addresses, draw }: Scene,
): unknown {
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
export const withTransfers = (logs: readonly unknown[], scene: Scene): unknown[] => [
  ...logs.flatMap((log) => {
    const item = scene.calls.get(`${Object(log).topics?.[1]}`)
    return item ? eventsOf(item, scene).slice(0, 1) : []
  }),
  ...logs,
]

export const emptyData = (fields: Record<string, unknown>): unknown =>
  Array.isArray(fields.logs)
    ? { ...fields, logs: fields.logs.map((log) => ({ ...Object(log), data: '0x' })) }
    : 'topics' in fields
      ? { ...fields, data: '0x' }
      : fields
