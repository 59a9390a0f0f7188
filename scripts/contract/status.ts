/** The state of a Delivery contract, as text for an operator. */
import { type Address, formatEther, zeroAddress } from 'viem'
import type { Contract } from './delivery.ts'
import { attempt, type Node } from './node.ts'

const SECONDS_PER_DAY = 86_400n

/** Returns the lines of `npm run contract -- status` about the contract itself. */
export function describeContract(node: Node, contract: Contract): Promise<string[]> {
  return attempt(`Reading the contract at ${contract.address}`, read(node, contract))
}

async function read(node: Node, { read, address }: Contract): Promise<string[]> {
  const [owner, pendingOwner, predecessor, isPaused, isRetired, listed, { timestamp }] =
    await Promise.all([
      read.owner(),
      read.pendingOwner(),
      read.predecessor(),
      read.paused(),
      read.retired(),
      read.relayerList(),
      node.getBlock(),
    ])
  const today = Number(timestamp / SECONDS_PER_DAY)

  async function describeRelayer(relayer: Address): Promise<string> {
    const [[perDay, day, used], balance] = await Promise.all([
      read.relayers([relayer]),
      node.getBalance({ address: relayer }),
    ])
    if (perDay === 0) return `  ${relayer}  removed, ${formatEther(balance)} ETH`
    const usedToday = day === today ? used : 0
    return `  ${relayer}  ${usedToday} of ${perDay} items today, ${formatEther(balance)} ETH`
  }

  return [
    `contract     ${address}`,
    `state        ${isRetired ? 'retired' : isPaused ? 'paused' : 'delivering'}`,
    `owner        ${owner}`,
    ...(pendingOwner === zeroAddress ? [] : [`next owner   ${pendingOwner}, not yet accepted`]),
    `predecessor  ${predecessor === zeroAddress ? 'none' : predecessor}`,
    `relayers     ${listed.length === 0 ? 'none' : ''}`.trimEnd(),
    ...(await Promise.all(listed.map(describeRelayer))),
  ]
}
