/**
 * What the owner of a Delivery contract changes, as one node tells it: its events, each read when it is new and
 * again when its block is final, and what the contract allows for tokens.
 */
import { type Address, getAddress, type Hex, isAddress } from 'viem'
import type { NodeState } from '../db/schema/operations.ts'
import {
  addressIn,
  decodeHandOver,
  decodeLimit,
  describePieceLimit,
  encodeHandOver,
  encodeLimit,
  ownerChanges,
} from '../ethereum/contract.ts'
import { hex, logs, type Replies, type RpcRequest, read, view } from '../ethereum/requests.ts'

/** Blocks whose events one request reads, and requests of a check: what was missed is read in several. */
const MAX_BLOCKS = 500
const MAX_RANGES = 4
/** Accounts that a sentence names. */
const MAX_NAMED = 3

type Range = { to: number; request: RpcRequest }

/** Up to which blocks a node was asked for events: the newest ones, and those that were final. */
export type Cursors = Pick<NodeState, 'seenTo' | 'eventsTo'>

/** Returns the requests of the blocks after `from`, in their order. */
function rangesOf(contract: Address, from: number, to: number): Range[] {
  const ranges: Range[] = []
  for (let last = from; last < to && ranges.length < MAX_RANGES; last += MAX_BLOCKS) {
    const end = Math.min(last + MAX_BLOCKS, to)
    ranges.push({ to: end, request: ownerChanges(contract, last + 1, end) })
  }
  return ranges
}

/**
 * Plans the reading of events. `known`: how far the node was read; null if it never was, then only what comes
 * from now on is read. `newest`, `final`: its blocks; the last is null if it does not tell.
 */
export function planEvents(
  contract: Address,
  known: Cursors | null,
  { newest, final }: { newest: number; final: number | null },
) {
  // A node that tells a lower block is read again from there, but not the whole chain.
  const back = (cursor: number) =>
    Math.max(Math.min(cursor, newest), cursor - MAX_RANGES * MAX_BLOCKS)
  const seenFrom = back(known?.seenTo ?? newest)
  const finalFrom = back(known?.eventsTo ?? newest)
  const fresh = rangesOf(contract, seenFrom, newest)
  const again = rangesOf(contract, finalFrom, final ?? finalFrom)
  const requests = [...fresh, ...again].map(({ request }) => request)
  return { seenFrom, finalFrom, fresh, again, requests }
}

/**
 * Returns the events, how far they were read, and whether a request was not answered. That one is repeated the
 * next time.
 */
export function readOwnerEvents(plan: ReturnType<typeof planEvents>, replies: Replies) {
  const { seenFrom, finalFrom, fresh, again, requests } = plan
  const isAnswered = ({ request }: Range) => read(logs, replies(request)) !== null
  const cursor = (from: number, ranges: readonly Range[]) => {
    const failed = ranges.findIndex((range) => !isAnswered(range))
    return ranges.slice(0, failed < 0 ? ranges.length : failed).at(-1)?.to ?? from
  }
  const accounts = new Map<Hex, Set<Address>>()
  const events = requests.flatMap((request) => read(logs, replies(request)) ?? [])
  for (const { topics, transactionHash: hash } of events)
    if (topics[1]) accounts.set(hash, (accounts.get(hash) ?? new Set()).add(addressIn(topics[1])))
  return {
    accounts,
    seenTo: cursor(seenFrom, fresh),
    eventsTo: cursor(finalFrom, again),
    isComplete: [...fresh, ...again].every(isAnswered),
  }
}

/** Says what a transaction of the owner has changed. */
export function describeChange(hash: Hex, accounts: readonly Address[]): string {
  const rest = accounts.length - MAX_NAMED
  const named = accounts.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
  return `The limit or the owner of ${named} was changed in the transaction ${hash}.`
}

/** The token contracts of addresses as a catalogue has them. */
export const tokensOf = (addresses: readonly string[]): Address[] => [
  ...new Set(
    addresses
      .filter((address) => isAddress(address, { strict: false }))
      .map((address) => getAddress(address)),
  ),
]

const namesOf = (token: string) => ({
  limit: `The limit of the token ${token}`,
  owner: `The next owner of the token ${token}`,
})

/** Whether facts have what the contract allows for a token. */
export const hasToken = (facts: NodeState['tokens'] | undefined, token: string): boolean =>
  facts !== undefined && namesOf(token).limit in facts

const limitOf = (contract: Address, token: Address) =>
  view(contract, encodeLimit('tokenLimit', token))
const handOverOf = (contract: Address, token: Address) => view(contract, encodeHandOver(token))

export const tokenRequests = (contract: Address, tokens: readonly Address[]): RpcRequest[] =>
  tokens.flatMap((token) => [limitOf(contract, token), handOverOf(contract, token)])

/** Returns what the contract allows for tokens, by its name in sentences. What is not told is left out. */
export function readTokens(
  contract: Address,
  tokens: readonly Address[],
  replies: Replies,
): NodeState['tokens'] {
  const facts: NodeState['tokens'] = {}
  for (const token of tokens) {
    const limitData = read(hex, replies(limitOf(contract, token)))
    const ownerData = read(hex, replies(handOverOf(contract, token)))
    const limit = limitData && decodeLimit(limitData)
    const handOver = ownerData && decodeHandOver(ownerData)
    if (!limit || !handOver) continue
    const { newOwner, effectiveAt } = handOver
    const names = namesOf(token)
    facts[names.limit] = limit.isSet ? describePieceLimit(limit) : 'not set'
    facts[names.owner] =
      effectiveAt === 0
        ? 'none'
        : `${newOwner} from ${new Date(effectiveAt * 1000).toISOString()} on`
  }
  return facts
}
