/** The events that used keys, and the transactions that they name. */
import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { isUse, usedTopics } from '../../ethereum/contract.ts'
import type { Node } from '../../ethereum/node.ts'
import {
  eventLogs,
  integer,
  logs,
  read,
  receipt,
  transactionReceipt,
  word,
} from '../../ethereum/requests.ts'
import type { Rpc, RpcRequest } from '../../ethereum/rpc.ts'
import type { LocatedUse, Mined, Recorded } from '../rules/settle.ts'

/**
 * Returns the items whose keys events show as used. A further node is asked about those that the ones
 * before it do not show. `lineage`: the contracts that may have logged the events.
 */
export async function locateUses(
  nodes: readonly Node[],
  recorded: readonly Recorded[],
  lineage: readonly Address[],
): Promise<LocatedUse[]> {
  const uses: LocatedUse[] = []
  for (const { rpc } of nodes) {
    const rest = recorded.filter(({ item }) => !uses.some((use) => use.item.id === item.id))
    if (rest.length > 0) uses.push(...(await findUses(rpc, rest, lineage)))
  }
  return uses
}

async function findUses(
  rpc: Rpc,
  recorded: readonly Recorded[],
  lineage: readonly Address[],
): Promise<LocatedUse[]> {
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
  return recorded.flatMap((entry) => {
    const { item, contract, record } = entry
    const use = events.find((event) =>
      [...lineage, contract].some((one) => isUse(event, one, item.key, record)),
    )
    return use ? [{ ...entry, use }] : []
  })
}

const transactionByHash = (hash: Hex): RpcRequest => ({
  method: 'eth_getTransactionByHash',
  params: [hash],
})
const transactionShape = z.object({ hash: word, nonce: integer })

/** Returns what a node says of transactions. Absent: it does not tell, or answers about another one. */
export async function readMined(rpc: Rpc, hashes: readonly Hex[]): Promise<Map<Hex, Mined>> {
  const replies = await rpc(
    hashes.flatMap((hash) => [transactionReceipt(hash), transactionByHash(hash)]),
  )
  return new Map(
    hashes.flatMap((hash) => {
      const mined = read(receipt, replies(transactionReceipt(hash)))
      const transaction = read(transactionShape, replies(transactionByHash(hash)))
      return mined?.transactionHash === hash && transaction?.hash === hash
        ? [[hash, { ...mined, nonce: transaction.nonce }]]
        : []
    }),
  )
}
