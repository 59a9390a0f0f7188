/** What one node says of a network: its newest block, and in it the contract and the relayers. */
import { type Address, getAddress } from 'viem'
import { numberToHex, parseGwei } from 'viem/utils'
import type * as z from 'zod'
import type { NodeState } from '../db/schema/operations.ts'
import type { Network } from '../env.ts'
import {
  addressIn,
  decodeLimit,
  decodeRelayers,
  describePieceLimit,
  encodeDeliver,
  encodeGetter,
  encodeLimit,
} from '../ethereum/contract.ts'
import { lower } from '../ethereum/fees.ts'
import {
  accountBalance,
  block,
  blockAt,
  contractCode,
  hex,
  inconclusive,
  integer,
  type RpcRequest,
  read,
  simulateCall,
  tip,
  transactionCount,
  view,
  wei,
} from '../ethereum/requests.ts'
import { askOne, headIn, headRequests, type Node } from './nodes.ts'
import {
  type Cursors,
  describeChange,
  hasToken,
  planEvents,
  readOwnerEvents,
  readTokens,
  tokenRequests,
} from './owner.ts'
import type { Rpc } from './rpc.ts'

/** Relayers that are watched besides the signers: the owner of the contract can add any number. */
const MAX_LISTED = 50
const LISTED = 'The number of relayers'

/** Throws without a reply to each of the requests. */
async function ask(rpc: Rpc, requests: readonly RpcRequest[]) {
  const replies = await rpc(requests)
  for (const reply of requests.map(replies)) if ('fault' in reply) throw new Error(reply.fault)
  return replies
}

export type View = Awaited<ReturnType<typeof readView>>

type Question = {
  network: Network
  signers: readonly Address[]
  /** What the node told last; null if nothing is known. */
  before: NodeState | null
  /** How far its events were read. */
  cursors: Cursors | null
  /** Token contracts to read. */
  tokens: readonly Address[]
}

/** Asks a node. Never throws: returns why it cannot be used. */
export const askNode = (...input: Parameters<typeof readView>): Promise<View | string> =>
  readView(...input).catch(({ message }) => String(message).slice(0, 200))

async function readView(node: Node, { network, signers, before, cursors, tokens: due }: Question) {
  const rpc: Rpc = (requests) => askOne(node, requests)
  const { delivery: contract, finality } = network
  const finals = finality === 'finalized' ? [blockAt(finality)] : []
  const relayerList = view(contract, encodeGetter('relayerList'))
  // Answers that may be too long have requests of their own.
  const [first, list] = await Promise.all([
    ask(rpc, [...headRequests, tip, ...finals]),
    rpc([relayerList]).then((replies) => replies(relayerList)),
  ])
  if ('fault' in list && !before) throw new Error(list.fault)
  const head = headIn(network, first)
  if (typeof head === 'string') throw new Error(head)
  const { number, timestamp, baseFeePerGas } = head
  const data = read(hex, list)
  const listed = data && decodeRelayers(data)
  const watched = listed?.slice(0, MAX_LISTED) ?? Object.keys(before?.relayers ?? {})
  // The signers come first.
  const addresses = [...new Set([...signers, ...watched.map((address) => getAddress(address))])]

  // As of one block, so that nonces and limits belong together.
  const inBlock = ({ method, params }: RpcRequest) => ({
    method,
    params: [...params.slice(0, -1), numberToHex(number)],
  })
  const getter = (name: Parameters<typeof encodeGetter>[0]) =>
    inBlock(view(contract, encodeGetter(name)))
  const limitOf = (relayer: Address) =>
    inBlock(view(contract, encodeLimit('relayerLimit', relayer)))
  const nonceOf = (relayer: Address) => inBlock(transactionCount(relayer))
  const codeOf = (relayer: Address) => contractCode(relayer, number)
  const finalBlock = finals[0] ? read(block, first(finals[0])) : null
  const final =
    finality === 'finalized' ? (finalBlock?.number ?? null) : Math.max(0, number - finality + 1)
  const plan = planEvents(contract, cursors, { newest: number, final })
  const empty = encodeDeliver([], 0, network.gasPerItem, timestamp)
  const simulations = signers.map((from) => simulateCall({ from, to: contract, data: empty }))
  const [replies, others] = await Promise.all([
    ask(rpc, [
      ...(['paused', 'retired', 'owner', 'pendingOwner'] as const).map(getter),
      ...addresses.flatMap((relayer) => [limitOf(relayer), nonceOf(relayer), codeOf(relayer)]),
      ...signers.map(accountBalance),
    ]),
    rpc([...simulations, ...plan.requests, ...tokenRequests(contract, due)]),
  ])
  const events = readOwnerEvents(plan, others)
  const changed = [...events.accounts.values()].flatMap((accounts) => [...accounts])
  // Those that have changed are read at once, so that it is told what has.
  const named = [...new Set(changed)].filter(
    (token) => hasToken(before?.tokens, token) && !due.includes(token),
  )
  const ofNamed = named.length > 0 ? await rpc(tokenRequests(contract, named)) : others
  const tokens = {
    ...readTokens(contract, due, others),
    ...readTokens(contract, named, ofNamed),
  }
  const must = <S extends z.ZodType>(shape: S, request: RpcRequest): z.infer<S> => {
    const value = read(shape, replies(request))
    if (value === null) throw new Error(`the Delivery contract ${contract} does not answer`)
    return value
  }
  const isTold = (token: Address) => hasToken(before?.tokens, token) && hasToken(tokens, token)
  const isPaused = must(integer, getter('paused')) === 1
  const relayers = addresses.map((address) => {
    const limit = decodeLimit(must(hex, limitOf(address)))
    if (!limit) throw new Error('the node does not tell the limit of a relayer')
    const hasCode = (read(hex, replies(codeOf(address))) ?? '0x') !== '0x'
    return { address, limit, hasCode, nonce: must(integer, nonceOf(address)) }
  })
  const priority = read(wei, first(tip))
  const problems = [
    baseFeePerGas === undefined && 'the chain has no base fee (EIP-1559)',
    priority === null && 'the node does not tell a priority fee',
    final === null && 'the node does not tell `finalized`',
    ...simulations.map(others).map(inconclusive),
    'fault' in list && 'the node does not tell the list of relayers',
    !events.isComplete && 'the node does not tell the events of the Delivery contract',
  ]
  /** What the owner can change, by its name in sentences. */
  const facts: NodeState['facts'] = {
    'The owner': addressIn(must(hex, getter('owner'))),
    'The next owner': addressIn(must(hex, getter('pendingOwner'))),
    [LISTED]: 'fault' in list ? `${before?.facts[LISTED]}` : `${listed?.length ?? 'unreadable'}`,
  }
  for (const { address, limit } of relayers)
    facts[`The limit of the relayer ${address}`] = describePieceLimit(limit)
  const cap = parseGwei(String(network.maxPriorityFeePerGasGwei))
  const gasPrice = (baseFeePerGas ?? 0n) + lower(priority ?? 0n, cap)
  const costOfDelivery = gasPrice * BigInt(network.gasPerItem) || 1n
  return {
    problem: problems.find((problem) => typeof problem === 'string') ?? null,
    head,
    /** The block with the tag `finalized`; null if the network counts blocks instead. */
    finalBlock,
    relayers,
    facts,
    tokens,
    /** What the owner changed, of what is neither in `facts` nor in `tokens`. */
    events: [...events.accounts].flatMap(([hash, accounts]) => {
      const untold = [...accounts].filter(
        (account) => !addresses.includes(account) && !isTold(account),
      )
      return untold.length > 0 ? describeChange(hash, untold) : []
    }),
    seenTo: events.seenTo,
    eventsTo: events.eventsTo,
    /** What pages and alarms show. */
    shown: {
      headNumber: number,
      headAt: new Date(timestamp * 1000).toISOString(),
      gasPrice: String(gasPrice),
      isPaused,
      isRetired: must(integer, getter('retired')) === 1,
      signers: relayers.slice(0, signers.length).map(({ address, limit }) => {
        const balance = must(wei, accountBalance(address))
        const { capacity, perDay, available } = limit
        return {
          address,
          balance: String(balance),
          deliveries: Number(balance / costOfDelivery),
          limit: capacity > 0 ? { capacity, perDay, available } : null,
        }
      }),
    },
  }
}
