/** Alarms of chains: what nodes, runs and signers tell, and what nobody but a thief should have done. */
import { formatEther, formatGwei } from 'viem/utils'
import type { NodeState } from '../../db/schema/operations.ts'
import { firstFees, readFeeCap } from '../../ethereum/fees.ts'
import { operatorLimits } from '../../limits.ts'
import { MINUTE } from '../../time.ts'
import { SIGNED_DAYS } from '../counting/signed-items.ts'
import type { State } from '../state.ts'
import { alarm, type Criteria, counted, isOld, LIMITS, when } from './alarm.ts'

/** Deliveries for which the balance of a signer should suffice, and days of its deliveries. */
const ENOUGH = { deliveries: 100, days: 3 }
/** Milliseconds between the first and the last time that nodes were seen to disagree. Blocks come later. */
const DISAGREES = MINUTE
/** Disagreements that an alarm tells of. */
const MAX_TOLD = 5

export const chainAlarms = (state: State, criteria: Criteria) => [
  ...networkAlarms(state, criteria),
  ...nodeAlarms(state, criteria),
  ...findingAlarms(state),
  ...disagreementAlarms(state),
  ...runAlarms(state, criteria),
  ...signerAlarms(state),
]

/** What the nodes of a network say. While none answers, what was seen last counts as of then. */
function* networkAlarms(
  { networks, underWay, signed }: State,
  { settings, now, limits }: Criteria,
) {
  for (const { name, chainId, checkedAt, problem, headAt, ...seen } of networks) {
    if (problem && isOld(checkedAt, limits.node, now)) {
      const detail = `No node of ${name} can be used since ${when(checkedAt)}: ${problem}.`
      yield alarm('node_unavailable', chainId, detail)
    }
    const isStalled = headAt && Date.parse(checkedAt) - Date.parse(headAt) >= limits.head
    const waits = underWay.some(
      ({ chainId: id, dueAt, unminedAt }) =>
        id === chainId && (isOld(dueAt, limits.head, now) || isOld(unminedAt, limits.head, now)),
    )
    if (isStalled && waits && !problem) {
      const detail = `${name} has made no block since ${when(headAt)}, and items wait for one.`
      yield alarm('chain_stalled', chainId, detail)
    }
    if (seen.isPaused || seen.isRetired) {
      const detail = `The Delivery contract of ${name} is ${seen.isRetired ? 'retired' : 'paused'}.`
      yield alarm('contract_paused', chainId, detail)
    }
    const relayers = seen.signers?.filter(({ limit }) => limit !== null)
    if (relayers?.length === 0) {
      const detail = `No signer is a relayer of the Delivery contract of ${name}.`
      yield alarm('no_relayer', chainId, detail)
    }
    const network = settings.NETWORKS[name]
    const gasPrice = BigInt(seen.gasPrice ?? 0)
    if (network && !firstFees({ baseFee: gasPrice, tip: 0n }, readFeeCap(network))) {
      const detail = `A unit of gas of ${name} costs ${formatGwei(gasPrice)} gwei, more than 70 % of maxFeePerGasGwei. Nothing is sent.`
      yield alarm('fees_above_cap', chainId, detail)
    }
    const symbol = network?.nativeCurrency?.symbol ?? 'ETH'
    for (const { address, balance, deliveries } of relayers ?? []) {
      const usual = signed.find(
        (row) => row.chainId === chainId && row.signer.toLowerCase() === address.toLowerCase(),
      )
      const needed = ((usual?.items ?? 0) / SIGNED_DAYS) * ENOUGH.days
      if (deliveries < Math.max(ENOUGH.deliveries, needed)) {
        const detail = `The signer ${address} has ${formatEther(BigInt(balance))} ${symbol} on ${name}: enough for ${counted(deliveries, 'delivery', 'deliveries')}${needed > ENOUGH.deliveries ? `. It needs ${Math.ceil(needed)} in ${ENOUGH.days} days` : ''}.`
        yield alarm('signer_low', `${chainId}:${address}`, detail)
      }
    }
  }
}

type Relayer = NodeState['relayers'][string]

const hasForeignCode = ({ hasCode, isActive }: Relayer) => hasCode && isActive
const isRemoved = ({ wasRelayer, capacity }: Relayer) => wasRelayer && capacity === 0

/** What single nodes say, of themselves and of the accounts of relayers. */
function* nodeAlarms({ networks }: State, { now, limits }: Criteria) {
  for (const { name, chainId, checkedAt, nodes, signers } of networks) {
    for (const [index, { problem, problemSince, behind }] of nodes.entries()) {
      if (isOld(problemSince, limits.misconfigured, now)) {
        const detail = `The node ${index} of ${name} cannot do what deliveries need since ${when(problemSince)}: ${problem}.`
        yield alarm('node_misconfigured', `${chainId}:${index}`, detail)
      }
      // A block that was made on demand may be on its way to the node.
      if (behind && isOld(behind.since, limits.misconfigured, now)) {
        const detail = `The node ${index} of ${name} is at ${blockAt(behind.mine)}, and the node ${behind.node} at ${blockAt(behind)}. With two nodes, nothing is settled until it goes on.`
        yield alarm('node_behind', `${chainId}:${index}`, detail)
      }
    }
    const told = nodes.flatMap(({ state }, node) =>
      state?.seenAt === checkedAt
        ? Object.entries(state.relayers).map(([address, known]) => ({ node, address, ...known }))
        : [],
    )
    for (const [address, relayers] of Map.groupBy(told, (relayer) => relayer.address)) {
      const relayer = `The relayer ${address} of ${name}`
      const withCode = relayers.filter(hasForeignCode).map(({ node }) => node)
      if (withCode.length > 0) {
        const detail = `${relayer} has code at its account: somebody else has its key${saidBy(withCode, nodes)}.`
        yield alarm('signer_has_code', `${chainId}:${address}`, detail)
      }
      const removed = relayers.filter(isRemoved).map(({ node }) => node)
      if (removed.length > 0 && signers?.some((signer) => signer.address === address)) {
        const detail = `${relayer} is a signer, but was removed from the Delivery contract${saidBy(removed, nodes)}.`
        yield alarm('relayer_removed', `${chainId}:${address}`, detail)
      }
    }
  }
}

/** `time`: seconds since 1970. */
const blockAt = ({ block, time }: { block: number; time: number }) =>
  `${block} of ${when(new Date(time * 1000).toISOString())}`

/** Which of several nodes say something: a lie is told by one. */
const saidBy = (sayers: readonly number[], nodes: readonly unknown[]): string =>
  nodes.length > 1 && sayers.length > 0 ? ` (node ${sayers.join(', ')})` : ''

/** What lasts until an operator has acknowledged it. */
function* findingAlarms({ networks, findings }: State) {
  for (const [key, found] of Map.groupBy(findings, (finding) => finding.key)) {
    const network = networks.find(({ chainId }) => chainId === found[0]?.chainId)
    // Of a chain that is not configured any more.
    if (!network) continue
    const others = ['contract_changed', 'unrequested_cancellation', 'failed_by_one_node'] as const
    const name = others.find((other) => key.startsWith(other)) ?? 'foreign_transaction'
    const details = found.map(({ detail, nodes }) => `${detail}${saidBy(nodes, network.nodes)}`)
    yield alarm(name, key.slice(name.length + 1), details.join(' '), found.at(-1)?.id)
  }
}

/** What nodes have contradicted each other in for longer than a block needs to reach all of them. */
function* disagreementAlarms({ networks, disagreements }: State) {
  for (const { name, chainId } of networks) {
    const lasting = disagreements.filter(
      ({ chainId: id, since, seenAt }) =>
        id === chainId && Date.parse(seenAt) - Date.parse(since) >= DISAGREES,
    )
    const told = lasting.slice(0, MAX_TOLD).map(({ about, answers }) => `${about} (${answers})`)
    const rest = lasting.length - told.length
    if (told.length > 0) {
      const detail = `The nodes of ${name} disagree about ${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`
      yield alarm('nodes_disagree', chainId, detail)
    }
  }
}

/** What the last runs found. What they found of a chain that is not configured any more is old. */
function* runAlarms({ networks, runs }: State, { now }: Criteria) {
  for (const { name, chainId } of networks) {
    const run = runs.find((row) => row.chainId === chainId)
    if (run?.failedSince) {
      const detail = `The runs of ${name} fail since ${when(run.failedSince)}: ${run.problem ?? 'they stop without an error'}.`
      yield alarm('run_failed', chainId, detail)
    }
    if (run?.problem === 'contract_not_linked') {
      const detail = `The Delivery contract of ${name} does not know the keys of the contracts before it.`
      yield alarm('contract_not_linked', chainId, detail)
    }
    const since = run?.unconfirmedSince ?? null
    if (isOld(since, LIMITS.second, now)) {
      const detail = `No second node of ${name} confirms deliveries since ${when(since)}. One node is believed.`
      yield alarm('second_node_silent', chainId, detail)
    }
  }
}

function* signerAlarms({ networks, paused }: State) {
  for (const { chainId, address, reverts, pausedUntil } of paused) {
    const detail = `${counted(reverts, 'transaction')} of the signer ${address} on chain ${chainId} reverted in a row. It pauses until ${when(pausedUntil)}.`
    yield alarm('signer_paused', `${chainId}:${address}`, detail)
  }
  for (const { name, chainId, signers } of networks)
    for (const { address, limit } of signers ?? []) {
      const used = limit ? limit.capacity - limit.available : 0
      if (limit && used >= limit.capacity * operatorLimits.alarmShare.max) {
        const detail = `The signer ${address} has used ${used} of ${counted(limit.capacity, 'piece')} of its limit on ${name}. ${limit.perDay} flow back in a day.`
        yield alarm('relayer_limit_low', `${chainId}:${address}`, detail)
      }
    }
}
