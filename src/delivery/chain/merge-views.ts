/**
 * What the answers of several nodes mean together: who leads, and what counts of signers, contracts and fees.
 */

import type { Address } from 'viem'
import { parseGwei } from 'viem/utils'
import { believe, findHighest } from '../../chain/claims.ts'
import { findClockProblem, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import type { ContractState, PieceLimit } from '../../ethereum/contract.ts'
import { larger, lower, type Market, readFeeCap, withinCap } from '../../ethereum/fees.ts'
import type { Block } from '../../ethereum/requests.ts'
import type { Loaded, Observation, ObservedContract, ObservedLimit, SignerState } from '../model.ts'
import { findHighestCount } from '../rules/decide.ts'
import { askedDeliveries } from './records.ts'

/** What the rows and the configuration tell. */
type Known = { network: Network; loaded: Loaded; relayers: readonly Address[] }

/** What one node says of the chain, apart from receipts and records. */
export type NodeView = {
  node: Node
  head: Block
  baseFee: bigint
  final: Block
  settledHash: Observation['settledHash']
  tip: bigint | null
  counts: ReadonlyMap<Address, number>
  balances: ReadonlyMap<Address, bigint>
  contracts: ReadonlyMap<Address, ContractState>
}

export const signersOf = ({ transactions }: Loaded, relayers: readonly Address[]) =>
  distinct([...relayers, ...transactions.map(({ signer }) => signer)])

export const contractsOf = (network: Network, loaded: Loaded) =>
  distinct([network.delivery, ...askedDeliveries(loaded).flatMap(({ contract }) => contract ?? [])])

/** Seconds by which the newest block of a node may be older than that of another one, to lead a step. */
const LATE_BLOCK = 60

/**
 * Returns nodes in the order in which they lead a step: first those that have the final and the settled
 * block, and new blocks. Otherwise the order stays.
 */
export function orderLeads(
  views: readonly NodeView[],
  final: Block | undefined,
  { network, loaded }: Known,
) {
  const { settledBlock, settledHash } = loaded.network
  const times = views.flatMap(({ head }) => (findClockProblem(network, head) ? [] : head.timestamp))
  const newest = Math.max(...times)
  const rank = ({ head, settledHash: told }: NodeView) =>
    Number(head.number < (final?.number ?? 0)) +
    Number(settledBlock !== null && told !== settledHash) +
    Number(newest - head.timestamp > LATE_BLOCK)
  return views.toSorted((a, b) => rank(a) - rank(b))
}

export function mergeSigners(
  views: readonly NodeView[],
  { loaded, relayers }: Known,
): Map<Address, SignerState> {
  return new Map(
    signersOf(loaded, relayers).map((signer) => {
      const told = views.map(({ counts, balances }) => ({
        count: counts.get(signer) ?? 0,
        balance: balances.get(signer) ?? 0n,
      }))
      return [signer, { count: findHighest('nonce', told, ({ count }) => count)?.count ?? 0, told }]
    }),
  )
}

/** What lets deliveries go on counts: the contract may deliver if one node says so. */
export function mergeContracts(
  views: readonly NodeView[],
  { network, loaded, relayers }: Known,
): Map<Address, ObservedContract> {
  return new Map(
    contractsOf(network, loaded).flatMap((contract) => {
      const states = views.flatMap(({ contracts }) => contracts.get(contract) ?? [])
      if (states.length === 0) return []
      const isDelivering = states.map(({ isPaused }) => !isPaused)
      const isRetired = states.map((state) => state.isRetired)
      const limits = new Map(
        relayers.flatMap((relayer) => {
          const most = mergeLimits(states.flatMap((state) => state.limits.get(relayer) ?? []))
          return most ? [[relayer, most]] : []
        }),
      )
      const state = {
        isPaused: !believe('can_go_on', network, isDelivering),
        isRetired: believe('is_proven', network, isRetired) === true,
        limits,
        isConfirmed: states.length > 1 || network.rpcUrls.length === 1,
      }
      return [[contract, state]]
    }),
  )
}

/**
 * Returns the limit of the node by which most pieces are left, with the largest capacity that any node tells.
 * Both let deliveries go on, and one node may tell much of the one and little of the other.
 */
function mergeLimits(limits: readonly PieceLimit[]): ObservedLimit | undefined {
  const [most] = limits.toSorted((a, b) => b.available - a.available)
  const capacities = limits.map(({ capacity }) => capacity)
  return (
    most && {
      ...most,
      capacity: Math.max(...capacities),
      leastCapacity: Math.min(...capacities),
    }
  )
}

/**
 * The market by the higher base fee, so that a node that tells too low a price stops nothing. Above the cap,
 * the lower one decides whether anything is sent. Null: no node tells a tip.
 */
export function findMarket(views: readonly NodeView[], network: Network): Market | null {
  const cap = readFeeCap(network)
  const tips = views.flatMap((view) => view.tip ?? [])
  if (tips.length === 0) return null
  const tipCap = parseGwei(String(network.maxPriorityFeePerGasGwei))
  const tip = tips.reduce(lower, tipCap)
  const [first = 0n, ...rest] = views.map(({ baseFee }) => baseFee)
  const lowest = rest.reduce(lower, first)
  const highest = rest.reduce(larger, first)
  return {
    baseFee: withinCap({ lowest, highest, tip }, cap),
    lowestBaseFee: lowest,
    tip,
    overdueTip: lower(tips.reduce(larger, 0n), tipCap),
  }
}

/**
 * Whether one of several nodes says that a signer has used more nonces than the rows know, and no other
 * says so. A wrong nonce would never be mined.
 */
export function isDisputed(
  signer: Address,
  states: ReadonlyMap<Address, SignerState>,
  { network, loaded }: Known,
): boolean {
  const state = states.get(signer)
  const reached = state && state.told.length > 1 ? state.count : 0
  const known = Math.max(reached, nextNonce(signer, loaded))
  return network.rpcUrls.length > 1 && findHighestCount(state) > known
}

/** Returns the next nonce of a signer by the rows. */
const nextNonce = (signer: Address, { transactions, mined }: Loaded): number =>
  transactions
    .filter((one) => one.signer === signer && one.items.length > 0)
    .reduce((next, { nonce }) => Math.max(next, nonce + 1), mined.get(signer)?.nextNonce ?? 0)

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]
