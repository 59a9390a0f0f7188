/** The state of a Delivery contract, as text for an operator. */
import { type Address, formatEther, getAddress, isAddress, zeroAddress } from 'viem'
import { withDatabase } from '../database/source.ts'
import { describeCapacity } from './capacity.ts'
import { type Contract, MAX_GENERATION, openContract } from './delivery.ts'
import { findSamples } from './for-sale.ts'
import type { Network } from './networks.ts'
import { attempt, connect, type Node } from './node.ts'
import { describeSales } from './sales.ts'

const SECONDS_PER_HOUR = 3600n

/** Prints the state of the contract, then what the listings of the database need from it. */
export async function showStatus(
  network: Network,
  { env, remote }: { env?: string; remote: boolean },
): Promise<void> {
  const node = await connect(network)
  const contract = await openContract(node, network)
  for (const line of await describeContract(node, contract)) console.log(line)
  const isRead = remote || !env
  const samples = isRead
    ? await withDatabase(env, (db) => findSamples(db, network, new Date()))
    : []
  const tokens = new Set(samples.map((sample) => sample.contract))
  for (const line of await describeCapacity(node, contract, network, { tokens, env }))
    console.log(line)
  if (!isRead) return console.log(`listings     not read: --remote reads those of ${env}`)
  console.log(`tokens       ${tokens.size} for sale`)
  for (const token of tokens)
    for (const line of await describeToken(contract, token)) console.log(line)
  for (const line of await describeSales(contract, network, samples)) console.log(line)
}

/** Returns lines about the contract itself. */
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

type LimitState = Awaited<ReturnType<Contract['read']['relayerLimit']>>

/** Describes what may be moved, and a raise that is announced. */
function describeLimit(limit: LimitState): string {
  const now = `${limit.available} of ${limit.capacity} pieces now, ${limit.perDay} a day`
  if (limit.nextAt === 0n) return now
  return `${now}; from ${describeTime(limit.nextAt)} on ${limit.nextCapacity} pieces, ${limit.nextPerDay} a day`
}

/** Describes a time in seconds since 1970. */
function describeTime(seconds: bigint): string {
  const time = new Date(Number(seconds) * 1000).toISOString()
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
}

/** Returns lines about the limit of a token contract, and about an announced owner of it. */
export async function describeToken({ read }: Contract, text: string): Promise<string[]> {
  if (!isAddress(text, { strict: false })) return [`  ${text}  not an address`]
  const token = getAddress(text)
  const reads = Promise.all([read.tokenLimit([token]), read.handOvers([token])])
  const [limit, [newOwner, effectiveAt]] = await attempt(`Reading the limit of ${token}`, reads)
  return [
    `  ${token}  ${limit.isSet ? describeLimit(limit) : 'no limit'}`,
    ...(effectiveAt === 0n
      ? []
      : [`    can be handed over to ${newOwner} from ${describeTime(effectiveAt)} on`]),
  ]
}
