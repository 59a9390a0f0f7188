/** The contract of a network, and those that it has replaced. */

import { type Address, zeroAddress } from 'viem'
import { askOne, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { addressIn, encodeGetter } from '../../ethereum/contract.ts'
import { hex, read, view } from '../../ethereum/requests.ts'
import type { HeldLease } from '../store/lease.ts'

/** More contracts than the Delivery contract allows. */
const MAX_LINEAGE = 10

const lineages = new Map<string, Address[]>()

/**
 * Returns the contract of the network with those that it replaces, which never change. A contract that
 * only one node adds or leaves out is not believed: the shortest list counts that has all `known` ones.
 */
export async function readLineage(
  network: Network,
  asked: readonly Node[],
  known: readonly Address[],
  lease: HeldLease,
) {
  const { chainId, delivery: contract, rpcUrls } = network
  const id = `${chainId} ${contract}`
  const hasKnown = (lineage: readonly Address[]) => known.every((one) => lineage.includes(one))
  const agreed = lineages.get(id)
  if (agreed && hasKnown(agreed)) return agreed
  const walks = await Promise.all(asked.map((node) => walkBack(node, contract, lease)))
  const complete = walks.flatMap(({ lineage, isComplete }) => (isComplete ? [lineage] : []))
  const [shortest] = complete.filter(hasKnown).toSorted((a, b) => a.length - b.length)
  if (!shortest) return complete[0] ?? [contract]
  const isSame = complete.every((lineage) => lineage.join() === shortest.join())
  // What not all nodes have said must not be stored with what is found there.
  if (!isSame || complete.length < rpcUrls.length)
    return shortest.filter((one) => one === contract || known.includes(one))
  lineages.set(id, shortest)
  return shortest
}

/** `isComplete`: the node has told them all. */
async function walkBack(node: Node, contract: Address, lease: HeldLease) {
  const lineage = [contract]
  while (lineage.length < MAX_LINEAGE) {
    await lease.renew()
    const request = view(lineage.at(-1), encodeGetter('predecessor'))
    const data = read(hex, (await askOne(node, [request]))(request))
    if (data?.length !== 66) return { lineage, isComplete: false }
    const predecessor = addressIn(data)
    if (predecessor === zeroAddress) break
    lineage.push(predecessor)
  }
  return { lineage, isComplete: true }
}
