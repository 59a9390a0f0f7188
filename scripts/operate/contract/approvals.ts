/** Whether those who hold the NFTs for sale have approved the Delivery contract. */
import { type Address, getAddress, isAddress, parseAbi } from 'viem'
import type { Holding } from './for-sale.ts'
import { attempt, isContractError, type Node } from './node.ts'

/** The same function in ERC-721 and ERC-1155. */
const approvalAbi = parseAbi([
  'function isApprovedForAll(address owner, address operator) view returns (bool)',
])

/** Calls at the same time. Providers limit them. */
const PARALLEL_CALLS = 5

/** Returns the holdings whose holder has not approved the contract. */
export async function findMissingApprovals(
  node: Node,
  delivery: Address,
  holdings: readonly Holding[],
): Promise<Holding[]> {
  const missing: Holding[] = []
  for (let i = 0; i < holdings.length; i += PARALLEL_CALLS) {
    const chunk = holdings.slice(i, i + PARALLEL_CALLS)
    const reads = Promise.all(chunk.map((holding) => isApproved(node, delivery, holding)))
    const approved = await attempt('Reading the approvals', reads)
    missing.push(...chunk.filter((_, n) => !approved[n]))
  }
  return missing
}

/** A contract without the function counts as not approved. */
async function isApproved(
  node: Node,
  delivery: Address,
  { token, holder }: Holding,
): Promise<boolean> {
  if (![token, holder].every((text) => isAddress(text, { strict: false }))) return false
  const [address, owner] = [getAddress(token), getAddress(holder)]
  const call = { address, abi: approvalAbi, functionName: 'isApprovedForAll' } as const
  try {
    return await node.readContract({ ...call, args: [owner, delivery] })
  } catch (error) {
    if (isContractError(error)) return false
    throw error
  }
}
