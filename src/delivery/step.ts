/**
 * One step of a run: load, observe one node, decide, sign and store, then broadcast. What is
 * signed is stored before it is sent, so a step that stops in between loses nothing: the next one
 * sends the stored bytes. What is decided is stored before the nodes are asked again, which may
 * take long.
 */
import { parseGwei } from 'viem/utils'
import { type Database, isTransient } from '../db/client.ts'
import type { Network, Settings } from '../env.ts'
import { leaveOut, usableNodes } from '../ethereum/node.ts'
import { getSigner, type Signer } from '../ethereum/signer.ts'
import { log } from '../log.ts'
import { send } from './chain/broadcast.ts'
import { findUnlinked } from './chain/lineage.ts'
import { observe, type Work, type World } from './chain/observe.ts'
import { readCapacity, signReplacements } from './chain/sign.ts'
import { compareKeys } from './compare.ts'
import type { Loaded, SigningBlocker } from './model.ts'
import { prepare } from './prepare.ts'
import { COMPARE_INTERVAL } from './queue.ts'
import {
  changeTransactions,
  countInFlight,
  countReverts,
  findBurns,
  findSettled,
} from './rules/conclude.ts'
import { type Decision, decide, nextLook } from './rules/decide.ts'
import type { ItemChange } from './rules/item-changes.ts'
import type { FoundTransaction } from './rules/settle.ts'
import { describeForeign, storeFindings } from './store/findings.ts'
import {
  findContradicted,
  findFork,
  forgetContract,
  isNoContract,
  isProvenWrong,
  isSuspect,
  requeueAboveFork,
  requeueNonces,
} from './store/heal.ts'
import { LEASE } from './store/lease.ts'
import { COMPARED_ITEMS, load, MAX_LOADED } from './store/load.ts'
import { logChanges, logClosed } from './store/log-changes.ts'
import { type Changes, type NewTransaction, NO_CHANGES, Outdated, store } from './store/store.ts'

/** Milliseconds until a network is asked again that could not be worked on. */
const BLOCKED_DELAY = 15_000

export type Step = {
  /** When the network has to be looked at again for its transactions; null if it has none. */
  lookAt: Date | null
  /** Whether more items could be sent before that. */
  takesItems: boolean
  /** Whether deliveries have ended. */
  hasEnded: boolean
  /** Why nothing could be sent; null if nothing stopped it. */
  problem: SigningBlocker | 'node_unavailable' | 'contract_not_linked' | null
  loaded: Loaded
}

/** Returns null if another run has the lease, or nothing is to be done. */
export async function step(
  db: Database,
  settings: Pick<Settings, 'TRANSFER_SIGNER_KEYS'>,
  network: Network,
  lease: string,
  clock: () => Date,
): Promise<Step | null> {
  const now = clock()
  const signers = settings.TRANSFER_SIGNER_KEYS.map(getSigner)
  const addresses = signers.map(({ address }) => address)
  const loaded = await load(db, network, addresses, lease, now)
  if (!loaded) return null
  let renewedAt = now.getTime()
  /** Keeps the lease, too. Without changes only if part of it has passed. */
  const write = async (changes: Changes) => {
    if (!hasChanges(changes) && clock().getTime() - renewedAt < LEASE / 4) return
    await store(db, network, lease, changes, clock())
    renewedAt = clock().getTime()
    logChanges(network, changes)
  }
  try {
    const renew = () => write(NO_CHANGES)
    return await advance({ network, loaded, now, renew }, db, signers, write)
  } catch (error) {
    if (error instanceof Outdated) return continueAt(now, loaded)
    // An answer that nobody has foreseen must not fail each run: the next one asks another node.
    const [asked] = usableNodes(network)
    if (asked && network.rpcUrls.length > 1 && !isTransient(error))
      leaveOut(network, asked, 'the run failed')
    throw error
  }
}

const continueAt = (lookAt: Date, loaded: Loaded): Step => ({
  loaded,
  lookAt,
  takesItems: true,
  hasEnded: false,
  problem: null,
})

/** `write` writes under the lease. Throws `Outdated`. */
async function advance(
  work: Work,
  db: Database,
  signers: readonly Signer[],
  write: (changes: Changes) => Promise<void>,
): Promise<Step> {
  const { network, loaded, now } = work
  const { chainId } = network
  const addresses = signers.map(({ address }) => address)
  const again = continueAt(now, loaded)
  const retryAt = new Date(now.getTime() + BLOCKED_DELAY)
  const blocked = (problem: Step['problem']): Step => ({
    ...again,
    lookAt: retryAt,
    takesItems: false,
    problem,
  })
  const observation = await observe(work, addresses)
  if (typeof observation === 'string') {
    log.error('node_unavailable', { chainId, reason: observation })
    return blocked('node_unavailable')
  }
  const since = loaded.network.contradictedSince
  const unlinked = findUnlinked(observation.lineage, loaded.network)
  if (unlinked) {
    log.error('contract_not_linked', { chainId, contract: unlinked })
    const isWrong = await isNoContract(db, network, unlinked)
    if (isWrong && isProvenWrong(work)) {
      await db.batch([...forgetContract(db, chainId, unlinked, now)])
      return again
    }
    await write({ ...NO_CHANGES, contradictedSince: isWrong ? (since ?? now.toISOString()) : null })
    return blocked('contract_not_linked')
  }
  const world = { ...work, observation, cap: parseGwei(String(network.maxFeePerGasGwei)) }
  if (isSuspect(world)) {
    const healing = await heal(db, world)
    if (healing === 'healed') return again
    const contradictedSince = healing === 'denied' ? null : (since ?? now.toISOString())
    await write({ ...NO_CHANGES, contradictedSince })
    return blocked('node_unavailable')
  }
  const contradicted = findContradicted(world)
  if (contradicted.length > 0 && isProvenWrong(world)) {
    for (const { signer, count } of contradicted) {
      await db.batch([...requeueNonces(db, chainId, { signer, count }, now)])
      log.error('nonces_contradicted', { chainId, signer, nonce: count })
    }
    return again
  }

  const decisions = loaded.transactions.map((transaction) => decide(transaction, world))
  const { unconfirmedSince } = observation
  const contradictedSince = contradicted.length > 0 ? (since ?? now.toISOString()) : null
  const closed: Changes = {
    ...NO_CHANGES,
    transactions: changeTransactions(world, decisions),
    items: decisions.flatMap((decision) => (decision.do === 'close' ? decision.changes : [])),
    settled: findSettled(decisions),
    signers: countReverts(world, decisions),
    burns: await findBurns(world, decisions),
    ...(unconfirmedSince !== loaded.network.unconfirmedSince && { unconfirmedSince }),
    ...(contradictedSince !== since && { contradictedSince }),
  }
  await write(closed)
  logClosed(network, decisions)
  // A nonce is free again below those that were loaded as free.
  const isFreed = ({ do: action, transaction }: Decision) =>
    action === 'await_block' && transaction.items.length === 0
  if (decisions.some(isFreed)) return { ...again, hasEnded: hasEnded(closed.items) }

  const comparison = await compareKeys(world)
  const { found, unrecorded } = comparison
  const [newest] = found.toSorted((a, b) => b.block - a.block)
  const findings = describeForeign(chainId, found, addresses)
  if (findings.length > 0) await db.batch([...storeFindings(db, chainId, findings, now)])
  await write({
    ...NO_CHANGES,
    transactions: found.map((transaction) => newRow(transaction, now)),
    items: comparison.changes,
    settled: newest ? { block: newest.block, hash: newest.blockHash } : null,
    compared: comparedTo(loaded, comparison.isIncomplete, now),
  })

  const capacities = signers.map((signer) => readCapacity(world, signer))
  const working = capacities.filter(
    ({ signer: { address } }) =>
      (loaded.signers.get(address)?.pausedUntil ?? '') <= now.toISOString(),
  )
  const signed = await prepare(world, unrecorded, working)
  const replaced = await signReplacements(world, decisions, capacities)
  await write({
    ...NO_CHANGES,
    transactions: [...replaced, ...signed.transactions],
    items: signed.changes,
  })
  await send(world, decisions, [...replaced, ...signed.transactions])

  const ended = hasEnded([...closed.items, ...comparison.changes, ...signed.changes])
  const lookAt = nextLook(world, decisions, signed.transactions.length > 0)
  const hasMore =
    (loaded.compared.length === COMPARED_ITEMS && !comparison.isIncomplete) ||
    decisions.filter(({ do: action }) => action === 'close').length >= MAX_LOADED
  const inFlight = countInFlight(decisions, addresses) + signed.transactions.length
  const takesItems = inFlight < signers.length * network.transactionsInFlight
  const blocker = comparison.isBlocked ? 'contract_unavailable' : signed.blocker
  if (!blocker) return { ...again, lookAt: hasMore ? now : lookAt, takesItems, hasEnded: ended }
  return {
    ...blocked(blocker === 'signers_busy' ? null : blocker),
    lookAt: lookAt && lookAt < retryAt ? lookAt : retryAt,
    hasEnded: ended,
  }
}

const hasEnded = (changes: readonly ItemChange[]): boolean =>
  changes.some(({ state }) => ['transferred', 'failed', 'cancelled'].includes(state))

/** Queues again what a fork has undone, if there is proof of one. `denied`: another node has the block. */
async function heal(db: Database, world: World): Promise<'healed' | 'denied' | 'unproven'> {
  const { network, loaded, observation, now } = world
  const { chainId } = network
  const fork = await findFork(db, world)
  if ('reason' in fork) {
    const { reason, isDenied } = fork
    log.error('node_unavailable', { chainId, reason })
    if (network.rpcUrls.length > 1) leaveOut(network, observation.node, reason)
    return isDenied ? 'denied' : 'unproven'
  }
  const [requeued] = await db.batch([...requeueAboveFork(db, chainId, fork, now)])
  const { settledBlock } = loaded.network
  const standing = fork.standing?.block ?? null
  log.error('chain_reorganized', { chainId, settledBlock, standing, items: requeued.length })
  return 'healed'
}

const newRow = (transaction: FoundTransaction, now: Date): NewTransaction => ({
  ...transaction,
  replaced: [],
  raw: null,
  gas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  deadline: 0,
  signedAtBlock: 0,
  signedAt: now.toISOString(),
  createdAt: now.toISOString(),
  isOpen: false,
})

/** The page that was compared. After the last one, the next comparison starts at the first item. */
function comparedTo(
  { compared, network }: Loaded,
  isIncomplete: boolean,
  now: Date,
): Changes['compared'] {
  // The same page again, until the comparison has been due for some minutes.
  const dueAt = new Date(now.getTime() - COMPARE_INTERVAL).toISOString()
  if (isIncomplete) return network.comparedAt ? null : { id: network.comparedId, at: dueAt }
  const last = compared.at(-1)
  const end = { id: 0, at: now.toISOString() }
  if (!last) return network.comparedId > 0 ? end : null
  return compared.length < COMPARED_ITEMS ? end : { id: last.id, at: null }
}

function hasChanges(changes: Changes): boolean {
  const { settled: _, compared, unconfirmedSince, contradictedSince, ...lists } = changes
  return (
    compared !== null ||
    unconfirmedSince !== undefined ||
    contradictedSince !== undefined ||
    Object.values(lists).some((list) => list.length > 0)
  )
}
