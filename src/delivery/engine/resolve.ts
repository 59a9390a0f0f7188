/**
 * Items whose key a final block has, although no open transaction carries them: the database was
 * set back, or a transaction was mined after it had been given up. The transaction that used the
 * key tells what was delivered to whom.
 */
import type { Address, Hex } from 'viem'
import { zeroAddress } from 'viem'
import * as z from 'zod'
import {
  CANCELLED,
  type ContractItem,
  decodeDeliver,
  encodeGetter,
  hashContent,
  isUse,
  type KeyRecord,
  usedTopics,
} from '../../ethereum/contract.ts'
import {
  eventLogs,
  hex,
  integer,
  logs,
  type Receipt,
  read,
  receipt,
  transactionReceipt,
  view,
} from '../../ethereum/requests.ts'
import type { Rpc, RpcRequest } from '../../ethereum/rpc.ts'
import { contractAmount, parseTransfer, takeTransfer } from '../../ethereum/token.ts'
import { explain } from '../reasons.ts'
import { cancelled, fail, type Move, transferred } from './moves.ts'
import type { Item } from './state.ts'

/** A transaction that the database does not know. */
export type FoundTransaction = {
  hash: Hex
  signer: Address
  nonce: number
  contract: Address
  block: number
  blockHash: Hex
  items: number[]
}

/** An item with the record of its key, and the contract that was asked. */
export type Recorded = { item: Item; contract: Address; record: KeyRecord }

type Resolution = { moves: Move[]; found: FoundTransaction[] }

const transactionByHash = (hash: Hex): RpcRequest => ({
  method: 'eth_getTransactionByHash',
  params: [hash],
})
const transactionShape = z.object({ hash: hex, nonce: integer, input: hex })

/** Items that the node tells too little about are left as they are. */
export async function resolve(rpc: Rpc, recorded: readonly Recorded[]): Promise<Resolution> {
  const moves: Move[] = []
  if (recorded.length === 0) return { moves, found: [] }

  const contracts = await withPredecessors(
    rpc,
    recorded.map(({ contract }) => contract),
  )
  const groups = [...Map.groupBy(recorded, ({ contract, record }) => `${contract} ${record.block}`)]
  const requests = groups.flatMap(([, [first, ...rest]]) =>
    first
      ? eventLogs(
          first.record.block,
          contracts.get(first.contract) ?? [first.contract],
          usedTopics([first, ...rest].map(({ item }) => item.key)),
        )
      : [],
  )
  const events = await rpc(requests)
  const uses = new Map<Hex, { hash: Hex; contract: Address }>()
  for (const request of requests)
    for (const { address, topics, transactionHash } of read(logs, events(request)) ?? [])
      if (topics[1]) uses.set(topics[1], { hash: transactionHash, contract: address })

  const hashes = [...new Set([...uses.values()].map(({ hash }) => hash))]
  const replies = await rpc(
    hashes.flatMap((hash) => [transactionReceipt(hash), transactionByHash(hash)]),
  )
  const found = new Map<Hex, FoundTransaction>()
  const logsLeft = new Map<Hex, Receipt['logs']>()
  for (const { item, record } of recorded) {
    const use = uses.get(item.key)
    if (!use) continue
    const { hash, contract } = use
    const mined = read(receipt, replies(transactionReceipt(hash)))
    const transaction = read(transactionShape, replies(transactionByHash(hash)))
    // A node may leave out events, or answer about another transaction.
    if (mined?.transactionHash !== hash || transaction?.hash !== hash) continue
    if (!mined.logs.some((log) => isUse(log, contract, item.key))) continue
    const remaining = logsLeft.get(hash) ?? [...mined.logs]
    logsLeft.set(hash, remaining)
    const delivered = itemIn(transaction.input, item.key)
    const move = settle(item, record, delivered, remaining, hash)
    if (move.state === item.state && move.reasonCode === item.reasonCode) continue
    moves.push(move)
    const known = found.get(hash)
    if (known) known.items.push(item.id)
    else
      found.set(hash, {
        hash,
        signer: mined.from,
        nonce: transaction.nonce,
        contract,
        block: mined.blockNumber,
        blockHash: mined.blockHash,
        items: [item.id],
      })
  }
  return { moves, found: [...found.values()] }
}

function settle(
  item: Item,
  record: KeyRecord,
  delivered: ContractItem | null,
  logs: Receipt['logs'],
  hash: Hex,
): Move {
  if (record.contentHash === CANCELLED) return cancelled(item, hash)
  if (!delivered || hashContent(delivered) !== record.contentHash)
    return fail(item, explain('key_used_by_other_caller', `transaction ${hash}`), hash)
  if (!isContentOf(item, delivered))
    return fail(
      item,
      explain('key_used_for_other_delivery', `transaction ${hash}, recipient ${delivered.to}`),
      hash,
    )
  return takeTransfer(logs, delivered)
    ? transferred(item, hash)
    : fail(item, explain('transfer_not_recorded'), hash)
}

/** Whether this is what the order says. While the buyer has no wallet, any recipient is right. */
function isContentOf(item: Item, delivered: ContractItem): boolean {
  const transfer = parseTransfer({
    ...item,
    recipient: item.recipient ?? delivered.to,
    holder: delivered.from,
  })
  if (typeof transfer === 'string') return false
  return (
    transfer.token === delivered.token &&
    transfer.to === delivered.to &&
    transfer.tokenId === delivered.tokenId &&
    [contractAmount(transfer, 'erc721'), contractAmount(transfer, 'erc1155')].includes(
      delivered.amount,
    )
  )
}

function itemIn(input: Hex, key: Hex): ContractItem | null {
  try {
    return decodeDeliver(input).find((item) => item.key === key) ?? null
  } catch {
    return null
  }
}

/** Returns each contract with those that it replaces: the events of a key are theirs. */
async function withPredecessors(
  rpc: Rpc,
  contracts: readonly Address[],
): Promise<Map<Address, Address[]>> {
  const chains = new Map(contracts.map((contract) => [contract, [contract]]))
  for (const chain of chains.values()) {
    for (let last = chain.at(-1); last; ) {
      const request = view(last, encodeGetter('predecessor'))
      const data = read(hex, (await rpc([request]))(request))
      const predecessor: Address = `0x${data?.slice(26) ?? ''}`
      last = data?.length === 66 && predecessor !== zeroAddress ? predecessor : undefined
      if (last) chain.push(last)
    }
  }
  return chains
}
