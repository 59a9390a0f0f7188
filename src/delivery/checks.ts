/**
 * Checks that stop a step before its phases: the chain or all nodes contradict what is stored. While the
 * hash of the newest settled block stands, everything below it stands. Otherwise the chain has lost
 * blocks in which something was settled (a deep reorganization, or a chain that was reset).
 * `delivery/store/heal.ts` corrects what was proven wrong.
 */
import type { Address, Hex } from 'viem'
import { believe } from '../chain/claims.ts'
import { askAll, leaveOut } from '../chain/nodes.ts'
import { batch } from '../db/batch.ts'
import type { Network } from '../env.ts'
import { encodeGetter } from '../ethereum/contract.ts'
import { block, blockAt, hex, inconclusive, read, view } from '../ethereum/requests.ts'
import { log } from '../log.ts'
import { MINUTE, SECOND } from '../time.ts'
import type { Observed } from './chain/observe.ts'
import type { KnownBlock } from './model.ts'
import { findHighestCount } from './rules/decide.ts'
import {
  forgetContract,
  isNewer,
  isSignedFor,
  PAGE,
  readClosedBlocks,
  requeueAboveFork,
  requeueNonces,
} from './store/heal.ts'

/** Milliseconds after which nodes are believed that all contradict what is stored. */
const CONTRADICTION_TIMEOUT = 10 * MINUTE

/**
 * What a check leads to. `corrected`: what was stored is corrected, and the step has to begin again.
 * `problem`: why the step stops; null if it goes on. `isContradicted`: whether all nodes contradict what
 * is stored.
 */
type Check = 'corrected' | { problem: string | null; isContradicted: boolean }

const passed: Check = { problem: null, isContradicted: false }

/** `contradictedSince`: since when all nodes contradict what is stored, if they do now. */
export async function checkStored(
  input: Observed,
): Promise<'corrected' | { problem: string | null; contradictedSince: string | null }> {
  const { loaded, now } = input
  for (const check of [checkContracts, checkSettledBlock, checkNonces]) {
    const result = await check(input)
    if (result === 'corrected') return result
    if (result === passed) continue
    const since = loaded.network.contradictedSince ?? now.toISOString()
    return { problem: result.problem, contradictedSince: result.isContradicted ? since : null }
  }
  return { problem: null, contradictedSince: null }
}

/** Whether all nodes have contradicted what is stored for ten minutes. */
const isProvenWrong = ({ loaded: { network }, now }: Observed): boolean =>
  network.contradictedSince !== null &&
  now.getTime() - Date.parse(network.contradictedSince) >= CONTRADICTION_TIMEOUT

/**
 * Stops while a contract may have used keys of which the configured one does not know: that has to know
 * the keys of those before it. Forgets a contract that all nodes deny and for which nothing was signed: a
 * wrong answer was stored.
 */
async function checkContracts(input: Observed): Promise<Check> {
  const { db, network, loaded, observation, now } = input
  const { chainId } = network
  const { contracts } = loaded.network
  const unlinked = contracts.find((contract) => !observation.lineage.includes(contract))
  if (!unlinked) return passed
  log.error('contract_not_linked', { chainId, contract: unlinked })
  const isWrong =
    (await isNoContract(network, unlinked)) && !(await isSignedFor(db, chainId, unlinked))
  if (!isWrong || !isProvenWrong(input))
    return { problem: 'contract_not_linked', isContradicted: isWrong }
  await batch(db, forgetContract(db, chainId, unlinked, now))
  return 'corrected'
}

/**
 * Stops if the settled block has another hash now. Queues again what a fork has undone, if there is proof of
 * one.
 */
async function checkSettledBlock(input: Observed): Promise<Check> {
  const { db, network, loaded, observation, now } = input
  const { chainId } = network
  const { settledBlock, settledHash } = loaded.network
  if (settledBlock === null || observation.settledHash === settledHash) return passed
  const fork = await findFork(input)
  if ('reason' in fork) {
    const { reason, isDenied } = fork
    log.error('node_unavailable', { chainId, reason })
    if (network.rpcUrls.length > 1) leaveOut(network, observation.node, reason)
    return { problem: 'node_unavailable', isContradicted: !isDenied }
  }
  const { standing } = fork
  const { requeued } = await batch(db, requeueAboveFork(db, chainId, standing, now))
  log.error('chain_reorganized', {
    chainId,
    settledBlock,
    standing: standing?.number ?? null,
    items: requeued.length,
  })
  return 'corrected'
}

/**
 * Corrects nonces that a block has by our rows, and not by any node although all have that block: a wrong
 * answer was stored. The step goes on until that has lasted long enough.
 */
async function checkNonces(input: Observed): Promise<Check> {
  const { db, network, now } = input
  const { chainId } = network
  const contradicted = findContradicted(input)
  if (contradicted.length === 0) return passed
  if (!isProvenWrong(input)) return { problem: null, isContradicted: true }
  for (const { signer, count } of contradicted) {
    await batch(db, requeueNonces(db, chainId, { signer, count }, now))
    log.error('nonces_contradicted', { chainId, signer, nonce: count })
  }
  return 'corrected'
}

/** Returns the signers whose stored nonces all nodes contradict, with the highest count that a node tells. */
const findContradicted = ({ network, loaded, observation }: Observed) =>
  [...loaded.mined].flatMap(([signer, { nextNonce, block }]) => {
    const state = observation.signers.get(signer)
    const highest = findHighestCount(state)
    const isContradicted =
      highest < nextNonce &&
      block <= observation.head.number &&
      state?.told.length === network.rpcUrls.length
    return isContradicted ? [{ signer, count: highest }] : []
  })

const unproven = (reason: string, isDenied = false) => ({ reason, isDenied })

/**
 * Returns the newest block that the chain still has: null if it has none of those that are known. Or why
 * there is no proof of a fork. `isDenied`: another node has the settled block.
 */
async function findFork(
  input: Observed,
): Promise<{ standing: KnownBlock | null } | ReturnType<typeof unproven>> {
  const { db, network, loaded, observation, now } = input
  const { chainId } = network
  const { head } = observation
  const { settledBlock, settledHash } = loaded.network
  if (settledBlock === null || settledHash === null) return unproven('nothing is settled')
  const isLost = await isGone({ number: settledBlock, hash: settledHash }, network)
  if (isLost === false) return unproven('the node is on another fork than a second one', true)
  const isLong = isProvenWrong(input)
  if (isLost === null && !isLong) return unproven('no second node tells the settled block')
  // Nodes that make blocks, and do not have this one, are not behind it.
  const isFresh = now.getTime() / SECOND - head.timestamp < CONTRADICTION_TIMEOUT / SECOND
  let isProven =
    head.number >= settledBlock || (isLong && isFresh) || (await isNewer(db, chainId, head))
  for (let below = head.number + 1; ; ) {
    const blocks = await readClosedBlocks(db, chainId, below)
    const hashes = await readHashes(network, blocks)
    for (const [i, known] of blocks.entries()) {
      const told = hashes[i] ?? []
      if (told.length === 0) return unproven('the node does not tell a block')
      if (told.includes(known.hash)) {
        if (known.number >= settledBlock) return unproven('the node contradicts itself')
        return isProven ? { standing: known } : unproven('the node is behind the settled block')
      }
      isProven = true
    }
    const last = blocks.at(-1)
    if (!last || blocks.length < PAGE)
      return isProven ? { standing: null } : unproven('the node is behind the settled block')
    below = last.number
  }
}

/** Whether all nodes say that a contract is no Delivery contract. */
async function isNoContract(network: Network, contract: Address): Promise<boolean> {
  const request = view(contract, encodeGetter('predecessor'))
  const told = (await askAll(network, [request]))(request).map((reply) =>
    inconclusive(reply) ? null : read(hex, reply)?.length !== 66,
  )
  return believe('is_wrong', network, told) === true
}

/** Whether all nodes say that a block is not there; null if that is open. */
async function isGone({ number, hash }: KnownBlock, network: Network): Promise<boolean | null> {
  const request = blockAt(number)
  const told = (await askAll(network, [request]))(request).map((reply) =>
    'result' in reply ? read(block, reply)?.hash !== hash : null,
  )
  return believe('is_wrong', network, told)
}

/** Returns the hashes that nodes have at the heights of blocks. Empty: no node tells one. */
async function readHashes(network: Network, blocks: readonly KnownBlock[]): Promise<Hex[][]> {
  const replies = await askAll(
    network,
    blocks.map(({ number }) => blockAt(number)),
  )
  return blocks.map(({ number }) =>
    replies(blockAt(number)).flatMap((reply) => read(block, reply)?.hash ?? []),
  )
}
