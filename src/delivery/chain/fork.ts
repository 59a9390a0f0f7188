/** Whether nodes still have what was settled: the blocks of transactions, and the contracts. */
import type { Address, Hex } from 'viem'
import type { Network } from '../../env.ts'
import { encodeGetter } from '../../ethereum/contract.ts'
import { askAll, type Node, otherNodes } from '../../ethereum/node.ts'
import { block, blockAt, hex, inconclusive, read, view } from '../../ethereum/requests.ts'

/** A block in which transactions were closed. */
export type KnownBlock = { number: number; hash: Hex }

/** What the other nodes say of a block: one of them has it, all have another one or none, or some do not answer. */
export async function askOthersFor(
  { number, hash }: KnownBlock,
  network: Network,
  node: Node,
): Promise<'has' | 'lacks' | 'unknown'> {
  let answers = 1
  for (const other of otherNodes(network, node)) {
    const reply = (await other.rpc([blockAt(number)]))(blockAt(number))
    if (read(block, reply)?.hash === hash) return 'has'
    if ('result' in reply) answers++
  }
  return answers < network.rpcUrls.length ? 'unknown' : 'lacks'
}

/** Returns the hashes that a node has at the heights of blocks. Null: it does not tell one. */
export async function readHashes(
  { rpc }: Node,
  blocks: readonly KnownBlock[],
): Promise<(Hex | null)[]> {
  const replies = await rpc(blocks.map(({ number }) => blockAt(number)))
  return blocks.map(({ number }) => read(block, replies(blockAt(number)))?.hash ?? null)
}

/** Whether each node says that a contract is no Delivery contract. */
export async function isNoContract(network: Network, contract: Address): Promise<boolean> {
  const request = view(contract, encodeGetter('predecessor'))
  const replies = await askAll(network, [request])
  return replies(request).every(
    (reply) => inconclusive(reply) === null && read(hex, reply)?.length !== 66,
  )
}
