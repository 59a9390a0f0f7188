/** What nodes have of what is stored: the Delivery contracts of a chain, and blocks. */
import { type Address, getAddress, type Hex, zeroAddress } from 'viem'
import type { Network } from '../../env.ts'
import { encodeGetter } from '../../ethereum/contract.ts'
import { askAll, type Node, otherNodes } from '../../ethereum/node.ts'
import { block, blockAt, hex, inconclusive, read, view } from '../../ethereum/requests.ts'
import type { Rpc } from '../../ethereum/rpc.ts'
import type { KnownBlock } from '../model.ts'

/** More contracts than the Delivery contract allows. */
const MAX_LINEAGE = 10

const lineages = new Map<string, Address[]>()

/**
 * Returns the contract of the network with those that it replaces, which never change. A contract that
 * only one node adds or leaves out is not believed: the shortest list counts that has all `known` ones.
 */
export async function readLineage(
  node: Node,
  network: Network,
  known: readonly Address[],
): Promise<Address[]> {
  const { chainId, delivery, rpcUrls } = network
  const id = `${chainId} ${delivery}`
  const hasKnown = (lineage: readonly Address[]) => known.every((one) => lineage.includes(one))
  const agreed = lineages.get(id)
  if (agreed && hasKnown(agreed)) return agreed
  const nodes = [node, ...otherNodes(network, node)]
  const walks = await Promise.all(nodes.map(({ rpc }) => walkBack(rpc, delivery)))
  const complete = walks.flatMap(({ lineage, isComplete }) => (isComplete ? [lineage] : []))
  const [shortest] = complete.filter(hasKnown).toSorted((a, b) => a.length - b.length)
  if (!shortest) return complete[0] ?? [delivery]
  const isSame = complete.every((lineage) => lineage.join() === shortest.join())
  // What not all nodes have said must not be stored with what is found there.
  if (!isSame || complete.length < rpcUrls.length)
    return shortest.filter((contract) => contract === delivery || known.includes(contract))
  lineages.set(id, shortest)
  return shortest
}

/** `isComplete`: the node has told them all. */
async function walkBack(rpc: Rpc, delivery: Address) {
  const lineage = [delivery]
  while (lineage.length < MAX_LINEAGE) {
    const request = view(lineage.at(-1), encodeGetter('predecessor'))
    const data = read(hex, (await rpc([request]))(request))
    if (data?.length !== 66) return { lineage, isComplete: false }
    const predecessor = getAddress(`0x${data.slice(26)}`)
    if (predecessor === zeroAddress) break
    lineage.push(predecessor)
  }
  return { lineage, isComplete: true }
}

/** Whether each node says that a contract is no Delivery contract. */
export async function isNoContract(network: Network, contract: Address): Promise<boolean> {
  const request = view(contract, encodeGetter('predecessor'))
  const replies = await askAll(network, [request])
  return replies(request).every(
    (reply) => inconclusive(reply) === null && read(hex, reply)?.length !== 66,
  )
}

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
