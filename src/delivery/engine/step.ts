/**
 * One step of a run: load, observe one node, decide, sign and store, then broadcast. What is
 * signed is stored before it is sent, so a step that stops in between loses nothing: the next one
 * sends the stored bytes.
 */
import type { Hex } from 'viem'
import { parseGwei } from 'viem/utils'
import type { Database } from '../../db/client.ts'
import type { Network, Settings } from '../../env.ts'
import { leaveOut } from '../../ethereum/node.ts'
import { getSigner } from '../../ethereum/signer.ts'
import { log } from '../../log.ts'
import { compareKeys } from './compare.ts'
import { decide, type Fate, isUnmined } from './decide.ts'
import { findFork, isSuspect, requeueAboveFork } from './heal.ts'
import { COMPARED_ITEMS, load } from './load.ts'
import { logChanges } from './log-changes.ts'
import type { Move } from './moves.ts'
import { type Observation, observe } from './observe.ts'
import { prepare } from './prepare.ts'
import { replaceAll } from './replace.ts'
import type { FoundTransaction } from './resolve.ts'
import { nextLook } from './schedule.ts'
import { send } from './send.ts'
import type { Loaded } from './state.ts'
import { type Changes, Outdated, store } from './store.ts'

/** Milliseconds until a network is asked again that could not be worked on. */
const BLOCKED_DELAY = 15_000

export type Step = {
  /** When the network has to be looked at again for its transactions; null if it has none. */
  lookAt: Date | null
  /** Whether more items could be sent before that. */
  takesItems: boolean
  /** Whether deliveries have ended. */
  hasEnded: boolean
  loaded: Loaded
}

/** Returns null if another run has the lease, or nothing is to be done. */
export async function step(
  db: Database,
  settings: Pick<Settings, 'TRANSFER_SIGNER_KEYS'>,
  network: Network,
  lease: string,
  now: Date,
): Promise<Step | null> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map(getSigner)
  const addresses = signers.map(({ address }) => address)
  const loaded = await load(db, network, addresses, lease, now)
  if (!loaded) return null
  const blocked = (): Step => ({
    loaded,
    lookAt: new Date(now.getTime() + BLOCKED_DELAY),
    takesItems: false,
    hasEnded: false,
  })
  const { chainId } = network
  const observation = await observe(network, loaded, addresses)
  if (typeof observation === 'string') {
    log.error('node_unavailable', { chainId, reason: observation })
    return blocked()
  }
  if (isSuspect(loaded.network, observation)) {
    const fork = await findFork(db, network, loaded.network, observation)
    if (typeof fork === 'string') {
      log.error('node_unavailable', { chainId, reason: fork })
      if (network.rpcUrls.length > 1) leaveOut(network, observation.node, fork)
      return blocked()
    }
    const [requeued] = await db.batch([...requeueAboveFork(db, chainId, fork, now)])
    const { settledBlock } = loaded.network
    log.error('chain_reorganized', {
      chainId,
      settledBlock,
      standing: fork.standing?.block ?? null,
      items: requeued.length,
    })
    return { loaded, lookAt: now, takesItems: true, hasEnded: false }
  }

  const cap = parseGwei(String(network.maxFeePerGasGwei))
  const fates = decide(loaded, observation, cap, now)
  const comparison = await compareKeys(network, loaded, observation, now)
  const { unrecorded, found } = comparison
  const prepared = await prepare(network, unrecorded, loaded, observation, signers, now)
  const replacements = await replaceAll(fates, signers, observation, loaded, network, cap)
  const changes: Changes = {
    ...changesOf(fates, found, observation),
    replacements,
    transactions: prepared.transactions,
    found,
    moves: [...fates.flatMap(movesOf), ...comparison.moves, ...prepared.moves],
    compared: comparedTo(loaded, now),
  }
  try {
    if (hasChanges(changes)) await store(db, chainId, lease, changes, now)
  } catch (error) {
    if (!(error instanceof Outdated)) throw error
    return { loaded, lookAt: now, takesItems: true, hasEnded: false }
  }
  logChanges(network, fates, changes)
  await send(network, observation, [
    ...fates.flatMap((fate) => (fate.do === 'send' ? [fate.transaction] : [])),
    ...replacements.map(({ transaction, ...newer }) => ({ ...transaction, ...newer })),
    ...prepared.transactions,
  ])
  const unmined = fates.filter(
    (fate) => hasNoBlock(fate) && addresses.includes(fate.transaction.signer),
  )
  const inFlight = unmined.length + prepared.transactions.length
  const hasEnded = changes.moves.some(({ state }) =>
    ['transferred', 'failed', 'cancelled'].includes(state),
  )
  const lookAt = nextLook(fates, prepared.transactions.length, observation, now)
  if (prepared.blocked || comparison.isBlocked) {
    const retryAt = new Date(now.getTime() + BLOCKED_DELAY)
    return {
      loaded,
      lookAt: lookAt && lookAt < retryAt ? lookAt : retryAt,
      takesItems: false,
      hasEnded,
    }
  }
  const hasMoreToCompare = loaded.compared.length === COMPARED_ITEMS
  return {
    loaded,
    lookAt: hasMoreToCompare ? now : lookAt,
    takesItems: inFlight < signers.length * network.transactionsInFlight,
    hasEnded,
  }
}

/** Whether `load` will count the transaction as one that is in flight. */
const hasNoBlock = (fate: Fate): boolean =>
  isUnmined(fate) ||
  ((fate.do === 'wait' || fate.do === 'store_nonce_use') && fate.transaction.block === null)

const movesOf = (fate: Fate): Move[] => (fate.do === 'close' ? fate.moves : [])

function changesOf(
  fates: readonly Fate[],
  found: readonly FoundTransaction[],
  { head }: Observation,
) {
  const placements: Changes['placements'] = []
  const nonceUses: Changes['nonceUses'] = []
  const settled: { block: number; hash: Hex }[] = found.map(({ block, blockHash }) => ({
    block,
    hash: blockHash,
  }))
  for (const fate of fates) {
    const { id, hash, block } = fate.transaction
    if (fate.do === 'store_nonce_use') nonceUses.push({ id, head: head.number })
    if (isUnmined(fate) && block !== null)
      placements.push({ id, hash, block: null, blockHash: null, isOpen: true })
    if (fate.do !== 'close' && fate.do !== 'store_block') continue
    const { receipt } = fate
    placements.push({
      id,
      hash: receipt?.transactionHash ?? hash,
      block: receipt?.blockNumber ?? null,
      blockHash: receipt?.blockHash ?? null,
      isOpen: fate.do === 'store_block',
    })
    if (fate.do === 'close' && receipt)
      settled.push({ block: receipt.blockNumber, hash: receipt.blockHash })
  }
  const [newest = null] = settled.sort((a, b) => b.block - a.block)
  return { placements, nonceUses, settled: newest }
}

/** The page that was compared. After the last one, the next comparison starts at the first item. */
function comparedTo({ compared, network }: Loaded, now: Date): Changes['compared'] {
  const last = compared.at(-1)
  if (!last) return network.comparedId > 0 ? { id: 0, at: now.toISOString() } : null
  return compared.length < COMPARED_ITEMS
    ? { id: 0, at: now.toISOString() }
    : { id: last.id, at: null }
}

const hasChanges = ({ settled: _, compared, ...lists }: Changes): boolean =>
  compared !== null || Object.values(lists).some((list) => list.length > 0)
