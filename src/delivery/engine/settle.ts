/**
 * What becomes of items whose key a final block has. The content hash of the record says what was
 * delivered: compared with the order, it decides. The logs of the transaction prove that the token
 * has moved something, and tell which transaction it was.
 */
import { type Address, type Hex, zeroAddress } from 'viem'
import * as z from 'zod'
import {
  CANCELLED,
  decodeDelivered,
  hashContent,
  isUse,
  type KeyRecord,
  type Log,
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
} from '../../ethereum/requests.ts'
import type { Rpc, RpcRequest } from '../../ethereum/rpc.ts'
import { contractAmount, parseTransfer, takeTransfer } from '../../ethereum/token.ts'
import { explain } from '../reasons.ts'
import { cancelled, fail, type ItemChange, transferred } from './item-changes.ts'
import type { Item } from './state.ts'

/** The event that says that the key was used, and the logs of its transaction. */
type Use = { use: Log; logs: Receipt['logs'] }

/**
 * Returns the end of an item whose key a transaction has used for it. The event of its transfer is
 * taken from the logs, so that it proves one item only.
 */
export function settleUse(item: Item, { use, logs }: Use, hash?: Hex | null): ItemChange {
  const delivered = decodeDelivered(use)
  if (!delivered) return cancelled(item, hash)
  if (takeTransfer(logs, delivered)) return transferred(item, delivered.amount, hash)
  return fail(item, explain('token_moved_nothing'), hash)
}

/**
 * Returns the end of an item by the record of its key. Without logs the record suffices, and no
 * transaction is known.
 */
export function settle(
  item: Item,
  { contentHash }: KeyRecord,
  found: Use | null,
  hash: Hex | null,
): ItemChange {
  if (contentHash === CANCELLED) return cancelled(item, hash)
  const delivered = found && decodeDelivered(found.use)
  const recipient = item.recipient ?? delivered?.to
  const amount = findAmount({ ...item, recipient: recipient ?? null }, contentHash)
  if (amount !== undefined)
    return found ? settleUse(item, found, hash) : transferred(item, amount, hash)
  // Its pieces have returned to the stock, and the key is used up.
  if (item.reasonCode === 'cancelled') return cancelled(item, hash)
  const detail = delivered ? `transaction ${hash}, recipient ${delivered.to}` : undefined
  return fail(item, explain('key_used_for_other_delivery', detail), hash)
}

/** Returns the amount of the call, by either standard; undefined if the order says something else. */
function findAmount(item: Item, contentHash: Hex): bigint | undefined {
  const transfer = parseTransfer({ ...item, holder: null })
  if (typeof transfer === 'string') return undefined
  return (['erc721', 'erc1155'] as const)
    .map((standard) => contractAmount(transfer, standard))
    .find((amount) => hashContent({ ...transfer, amount }) === contentHash)
}

/** A transaction that the database does not know. */
export type FoundTransaction = {
  hash: Hex
  signer: Address
  nonce: number
  contract: Address
  block: number
  blockHash: Hex
  items: number[]
  /** Who has used the keys, and whether with the tokens of the holders of the orders. */
  relayer: Address
  isFromHolder: boolean
}

/** An item with the record of its key, and the contract that was asked. */
export type Recorded = { item: Item; contract: Address; record: KeyRecord }

type Resolution = {
  changes: ItemChange[]
  found: FoundTransaction[]
  /** Items whose transaction the node does not tell. */
  missing: Recorded[]
}

const transactionByHash = (hash: Hex): RpcRequest => ({
  method: 'eth_getTransactionByHash',
  params: [hash],
})
const transactionShape = z.object({ hash: hex, nonce: integer })

/**
 * Settles items that no open transaction carries although their key is used: the database was set
 * back, or another program has used it. `lineage`: the contracts whose events may have the keys.
 * `treasury`: who holds the tokens that are not minted; undefined if the sellers do.
 */
export async function resolve(
  rpc: Rpc,
  recorded: readonly Recorded[],
  lineage: readonly Address[],
  treasury: Address | undefined,
): Promise<Resolution> {
  const resolution: Resolution = { changes: [], found: [], missing: [] }
  if (recorded.length === 0) return resolution
  const uses = await findUses(rpc, recorded, lineage)
  const hashes = [...new Set([...uses.values()].map(({ transactionHash }) => transactionHash))]
  const replies = await rpc(
    hashes.flatMap((hash) => [transactionReceipt(hash), transactionByHash(hash)]),
  )
  const logsLeft = new Map<Hex, Receipt['logs']>()
  for (const entry of recorded) {
    const { item, record } = entry
    const use = uses.get(item.key)
    const hash = use?.transactionHash ?? '0x'
    const mined = read(receipt, replies(transactionReceipt(hash)))
    const transaction = read(transactionShape, replies(transactionByHash(hash)))
    // A node may leave out events, or answer about another transaction.
    const isComplete =
      mined?.transactionHash === hash &&
      transaction?.hash === hash &&
      mined.logs.some((log) => isUse(log, use?.address ?? '0x', item.key))
    if (!use || !isComplete) {
      resolution.missing.push(entry)
      continue
    }
    const remaining = logsLeft.get(hash) ?? [...mined.logs]
    logsLeft.set(hash, remaining)
    const change = settle(item, record, { use, logs: remaining }, hash)
    if (change.state === item.state && change.reasonCode === item.reasonCode) continue
    resolution.changes.push(change)
    const known = resolution.found.find((other) => other.hash === hash)
    const { relayer = mined.from, from } = decodeDelivered(use) ?? {}
    const holder = item.fulfilment === 'mint' ? zeroAddress : (treasury ?? item.seller)
    // The record of a key does not say who has paid.
    const isFromHolder = !from || from.toLowerCase() === holder.toLowerCase()
    if (known) {
      known.items.push(item.id)
      known.isFromHolder &&= isFromHolder
    } else
      resolution.found.push({
        hash,
        signer: mined.from,
        nonce: transaction.nonce,
        contract: use.address,
        block: mined.blockNumber,
        blockHash: mined.blockHash,
        items: [item.id],
        relayer,
        isFromHolder,
      })
  }
  return resolution
}

/** Returns the events that say that the keys were used, by key. */
async function findUses(rpc: Rpc, recorded: readonly Recorded[], lineage: readonly Address[]) {
  const groups = [...Map.groupBy(recorded, ({ record }) => record.block)]
  const requests = groups.map(([block, inBlock]) =>
    eventLogs(
      block,
      [...new Set([...lineage, ...inBlock.map(({ contract }) => contract)])],
      usedTopics(inBlock.map(({ item }) => item.key)),
    ),
  )
  const replies = await rpc(requests)
  const events = requests.flatMap((request) => read(logs, replies(request)) ?? [])
  return new Map(events.map((event) => [event.topics[1], event]))
}
