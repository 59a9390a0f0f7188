/**
 * One step of a run: load, observe one node, and then three phases. The first closes what is open, the
 * second compares keys with the chain, the third sends what is due. What a phase decides is stored
 * before nodes are asked again, which may take long. What is signed is stored before it is sent, so a
 * step that stops in between loses nothing: the next one sends the stored bytes.
 */

import { batch } from '../db/batch.ts'
import { type Database, isTransient } from '../db/client.ts'
import type { Network, Settings } from '../env.ts'
import { leaveOut, usableNodes } from '../ethereum/node.ts'
import { getSigner } from '../ethereum/signer.ts'
import { log } from '../log.ts'
import { observe, type StepInput } from './chain/observe.ts'
import { checkContracts, checkNonces, checkSettledBlock, findContradictedSince } from './checks.ts'
import { closeTransactions, logClosed } from './close.ts'
import { compareKeys } from './compare.ts'
import type { Loaded, SigningBlocker } from './model.ts'
import { hasRoom, nextLook } from './rules/decide.ts'
import type { ItemChange } from './rules/item-changes.ts'
import { broadcast, prepareCalls } from './send.ts'
import { load, MAX_LOADED } from './store/load.ts'
import { holdLease, NO_CHANGES, Outdated, storeFindings } from './store/store.ts'

/** Milliseconds until a network is asked again that could not be worked on. */
const BLOCKED_DELAY = 15_000

/** What a step leads to. */
type Outcome = {
  /** When the network has to be looked at again for its transactions; null if it has none. */
  lookAt: Date | null
  /** Whether more items could be sent before that. */
  takesItems: boolean
  /** Whether deliveries have ended. */
  hasEnded: boolean
  /** Why nothing could be sent; null if nothing stopped it. */
  problem: Exclude<Blocker, 'signers_busy'> | null
}

export type Step = Outcome & { loaded: Loaded }

type Blocker = SigningBlocker | 'node_unavailable' | 'contract_not_linked'

/** The next step follows at once: rows were corrected, or more is to be done with others. */
const goOn = (now: Date, items: readonly ItemChange[] = []): Outcome => ({
  lookAt: now,
  takesItems: true,
  hasEnded: haveEnded(items),
  problem: null,
})

/** Items are left as they are although they are due. `lookAt`: when transactions have to be looked at. */
function stop(
  blocker: Blocker,
  now: Date,
  items: readonly ItemChange[] = [],
  lookAt: Date | null = null,
): Outcome {
  const retryAt = new Date(now.getTime() + BLOCKED_DELAY)
  return {
    lookAt: lookAt && lookAt < retryAt ? lookAt : retryAt,
    takesItems: false,
    hasEnded: haveEnded(items),
    problem: blocker === 'signers_busy' ? null : blocker,
  }
}

const haveEnded = (items: readonly ItemChange[]): boolean =>
  items.some(({ transition }) => ['deliver', 'fail', 'cancel'].includes(transition))

/** Returns null if another run has the lease, or nothing is to be done. */
export async function step(
  db: Database,
  settings: Pick<Settings, 'TRANSFER_SIGNER_KEYS'>,
  network: Network,
  leaseId: string,
  clock: () => Date,
): Promise<Step | null> {
  const now = clock()
  const signers = settings.TRANSFER_SIGNER_KEYS.map(getSigner)
  const relayers = signers.map(({ address }) => address)
  const lease = holdLease(db, network, leaseId, clock)
  const loaded = await load(db, network, relayers, leaseId, now)
  if (!loaded) return null
  const outcome = await work({ db, network, loaded, signers, relayers, now, lease }).catch(
    (error) => {
      if (error instanceof Outdated) return goOn(now)
      // An answer that nobody has foreseen must not fail each run: the next one asks another node.
      const [asked] = usableNodes(network)
      if (asked && network.rpcUrls.length > 1 && !isTransient(error))
        leaveOut(network, asked, 'the run failed')
      throw error
    },
  )
  return { loaded, ...outcome }
}

/** Throws `Outdated` if the lease was lost, or an item was changed meanwhile. */
async function work(input: StepInput): Promise<Outcome> {
  const { db, network, loaded, relayers, now, lease } = input
  const { chainId } = network
  const observation = await observe(input)
  if (typeof observation === 'string') {
    log.error('node_unavailable', { chainId, reason: observation })
    return stop('node_unavailable', now)
  }

  const observed = { ...input, observation }
  for (const check of [checkContracts, checkSettledBlock]) {
    const result = await check(observed)
    if (result === 'corrected') return goOn(now)
    if (result === 'passed') continue
    const contradictedSince = findContradictedSince(result.isContradicted, loaded, now)
    await lease.write({ ...NO_CHANGES, contradictedSince })
    return stop(result.problem, now)
  }
  const nonces = await checkNonces(observed)
  if (nonces === 'corrected') return goOn(now)

  const { decisions, changes: closed } = await closeTransactions(observed)
  const contradictedSince = findContradictedSince(nonces === 'contradicted', loaded, now)
  const { unconfirmedSince } = observation
  await lease.write({
    ...closed,
    ...(unconfirmedSince !== loaded.network.unconfirmedSince && { unconfirmedSince }),
    ...(contradictedSince !== loaded.network.contradictedSince && { contradictedSince }),
  })
  logClosed(network, decisions)
  // A nonce is free again below those that were loaded as free.
  const isFreed = decisions.some(
    ({ do: action, transaction }) => action === 'await_block' && transaction.items.length === 0,
  )
  if (isFreed) return goOn(now, closed.items)

  const compared = await compareKeys(observed)
  if (compared.findings.length > 0)
    await batch(db, { stored: storeFindings(db, chainId, compared.findings, now) })
  await lease.write(compared.changes)

  const prepared = await prepareCalls(compared.unrecorded, decisions, observed)
  await lease.write(prepared.changes)
  await broadcast(network, observation, decisions, prepared.changes.transactions)

  const items = [...closed.items, ...compared.changes.items, ...prepared.changes.items]
  const blocker = compared.isBlocked ? 'contract_unavailable' : prepared.blocker
  const lookAt = nextLook(decisions, prepared.newTransactions > 0, observation, now)
  if (blocker) return stop(blocker, now, items, lookAt)
  const closings = decisions.filter(({ do: action }) => action === 'close')
  const continues = compared.hasMore || closings.length >= MAX_LOADED
  return {
    lookAt: continues ? now : lookAt,
    takesItems: hasRoom(decisions, prepared.newTransactions, relayers, network),
    hasEnded: haveEnded(items),
    problem: null,
  }
}
