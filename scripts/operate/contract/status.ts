/** The state of a Delivery contract, as text for an operator. */
import { type Address, formatEther, zeroAddress } from 'viem'
import { type Contract, MAX_GENERATION } from './delivery.ts'
import { attempt, type Node } from './node.ts'

const SECONDS_PER_HOUR = 3600n

/** Returns the lines of `npm run contract -- status` about the contract itself. */
export function describeContract(node: Node, contract: Contract): Promise<string[]> {
  return attempt(`Reading the contract at ${contract.address}`, read(node, contract))
}

async function read(node: Node, { read, address }: Contract): Promise<string[]> {
  const [state, owner, pendingOwner, guardian, delay, generation, predecessor, relayers] =
    await Promise.all([
      readState(read),
      read.owner(),
      read.pendingOwner(),
      read.guardian(),
      read.delay(),
      read.generation(),
      read.predecessor(),
      read.relayerList(),
    ])

  async function describeRelayer(relayer: Address): Promise<string> {
    const [limit, balance] = await Promise.all([
      read.relayerLimit([relayer]),
      node.getBalance({ address: relayer }),
    ])
    const isRemoved = limit.capacity === 0n && limit.nextAt === 0n
    return `  ${relayer}  ${isRemoved ? 'removed' : describeLimit(limit)}, ${formatEther(balance)} ETH`
  }

  return [
    `contract     ${address}`,
    `state        ${state}`,
    `owner        ${owner}`,
    ...(pendingOwner === zeroAddress ? [] : [`next owner   ${pendingOwner}, not yet accepted`]),
    `guardian     ${orNone(guardian)}`,
    `delay        ${describeDelay(delay)}`,
    `generation   ${generation} of ${MAX_GENERATION}`,
    `predecessor  ${orNone(predecessor)}`,
    `relayers     ${relayers.length === 0 ? 'none' : ''}`.trimEnd(),
    ...(await Promise.all(relayers.map(describeRelayer))),
  ]
}

async function readState(read: Contract['read']): Promise<string> {
  const [isPaused, isRetired] = await Promise.all([read.paused(), read.retired()])
  if (isRetired) return 'retired'
  return isPaused ? 'paused' : 'delivering'
}

const orNone = (address: Address): string => (address === zeroAddress ? 'none' : address)

/** Describes the time after which a raise takes effect. */
function describeDelay(seconds: bigint): string {
  const hours = seconds / SECONDS_PER_HOUR
  if (seconds % SECONDS_PER_HOUR !== 0n) return `${seconds} seconds`
  return hours === 1n ? '1 hour' : `${hours} hours`
}

export type LimitState = Awaited<ReturnType<Contract['read']['relayerLimit']>>

/** Describes what may be moved, and a raise that is announced. */
export function describeLimit(limit: LimitState): string {
  const now = `${limit.available} of ${limit.capacity} pieces now, ${limit.perDay} a day`
  if (limit.nextAt === 0n) return now
  return `${now}; from ${describeTime(limit.nextAt)} on ${limit.nextCapacity} pieces, ${limit.nextPerDay} a day`
}

/** Describes a time in seconds since 1970. */
export function describeTime(seconds: bigint): string {
  const time = new Date(Number(seconds) * 1000).toISOString()
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
}
