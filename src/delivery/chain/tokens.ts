/** What a run has to know of tokens: their standards, and their limits in the Delivery contract. */
import type { Address } from 'viem'
import { believe, findTwo, isContradicted } from '../../chain/claims.ts'
import { askEach, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { decodeLimit, encodeLimit, type PieceLimit } from '../../ethereum/contract.ts'
import { hex, read, view } from '../../ethereum/requests.ts'
import {
  contractAmount,
  readStandard,
  readTrial,
  readTrouble,
  type Standard,
  standardRequests,
  trialRequest,
} from '../../ethereum/token.ts'
import type { Delivery } from '../model.ts'
import { explain } from '../reasons.ts'
import {
  limitKey,
  type Requested,
  type TokenLimits,
  type TokenStandards,
} from '../rules/compose.ts'
import type { Disagreement } from '../store/disagreements.ts'
import type { HeldLease } from '../store/lease.ts'

/** Which nodes are asked, and for whom they try deliveries. */
export type Tester = { network: Network; nodes: readonly Node[]; relayer: Address }

/** Standards that two nodes tell, or the only one, by chain and address, for the life of the isolate. */
const agreed = new Map<string, Standard>()

const bothStandards = ['erc721', 'erc1155'] as const

type StandardAnswer = Standard | NonNullable<ReturnType<typeof readTrouble>>

const isStandard = (answer: StandardAnswer): answer is Standard =>
  answer === 'erc721' || answer === 'erc1155'

/**
 * Returns the standards of the tokens of deliveries. What two nodes tell counts. A token of which nodes tell
 * too little is left out.
 */
export async function readStandards(
  tester: Tester & { lease: HeldLease },
  requested: readonly Requested[],
): Promise<{ standards: Map<Address, TokenStandards>; disagreements: Disagreement[] }> {
  const { network, nodes } = tester
  const keyOf = (token: Address) => `${network.chainId} ${token}`
  const byToken = new Map(requested.map((request) => [request.transfer.token, request]))
  const unknown = [...byToken.keys()].filter((token) => !agreed.has(keyOf(token)))
  const replies = await askEach(nodes, unknown.flatMap(standardRequests))
  const standards = new Map<Address, TokenStandards>()
  const disagreements: Disagreement[] = []
  for (const [token, request] of byToken) {
    const known = agreed.get(keyOf(token))
    if (known) standards.set(token, { standards: [known], isConfirmed: true })
    if (known) continue
    const told = replies.map<StandardAnswer | null>(
      (answers) => readStandard(token, answers) ?? readTrouble(token, answers),
    )
    const answers = told.filter((answer) => answer !== null)
    const [first] = answers
    if (!first) continue
    if (isContradicted(answers, String))
      disagreements.push({
        about: 'the standard of a token',
        answers: `${token}: ${answers.join(' / ')}`,
      })
    const [two] = findTwo('standard', answers, String) ?? []
    const isConfirmed = two !== undefined || network.rpcUrls.length === 1
    const answer = two ?? answers.find(isStandard) ?? first
    // A standard counts before its absence, as its deliveries are simulated.
    if (!isStandard(answer)) standards.set(token, { reason: explain(answer), isConfirmed })
    else if (!two && bothStandards.every((standard) => told.includes(standard)))
      standards.set(token, { standards: await tryBoth(tester, request, told), isConfirmed })
    else {
      standards.set(token, { standards: [answer], isConfirmed })
      if (isConfirmed) agreed.set(keyOf(token), answer)
    }
  }
  return { standards, disagreements }
}

/**
 * Returns those of two standards by which a delivery arrives in a trial of a node that names them; both, if it
 * does by neither. A node that lies may answer no trials, or all.
 */
async function tryBoth(
  { network, nodes, relayer, lease }: Tester & { lease: HeldLease },
  { delivery, contract, transfer }: Requested,
  told: readonly (StandardAnswer | null)[],
): Promise<readonly Standard[]> {
  const requestOf = (standard: Standard) => {
    const call = { ...transfer, key: delivery.key, amount: contractAmount(transfer, standard) }
    return trialRequest({ relayer, contract }, call, network.gasPerItem)
  }
  await lease.renew()
  const replies = await askEach(nodes, bothStandards.map(requestOf))
  const arriving = bothStandards.filter((standard) => {
    const arrives = replies.map((answers, node) => {
      const trial = told[node] === standard ? readTrial(answers(requestOf(standard))) : null
      return trial ? trial.isAccepted && trial.isExact : null
    })
    return believe('can_go_on', network, arrives)
  })
  return arriving.length > 0 ? arriving : bothStandards
}

const limitRequest = (contract: Address, token: Address) =>
  view(contract, encodeLimit('tokenLimit', token))

/**
 * Returns the limits of tokens in the contracts, by `limitKey`. One that no node tells is left out. What lets
 * deliveries go on counts: no limit for transfers, a limit for mints, and the one that leaves most.
 * `inFlight`: deliveries that transactions carry.
 */
export async function readTokenLimits(
  nodes: readonly Node[],
  requested: readonly Requested[],
  inFlight: readonly Delivery[],
): Promise<{ limits: Map<string, TokenLimits>; disagreements: Disagreement[] }> {
  const all = await askEach(
    nodes,
    requested.map(({ contract, transfer }) => limitRequest(contract, transfer.token)),
  )
  const limits = new Map<string, TokenLimits>()
  const disagreements: Disagreement[] = []
  for (const {
    contract,
    transfer: { token },
  } of requested) {
    if (limits.has(limitKey(contract, token))) continue
    const told = all.flatMap((replies) => {
      const data = read(hex, replies(limitRequest(contract, token)))
      return (data && decodeLimit(data)) || []
    })
    if (told.length === 0) continue
    const moving = inFlight
      .filter((delivery) => delivery.contract === contract)
      .filter(({ contractAddr }) => contractAddr.toLowerCase() === token.toLowerCase())
      .reduce((sum, { quantity }) => sum + quantity, 0)
    const [most] = told
      .filter(({ isSet }) => isSet)
      .toSorted((a, b) => b.available - a.available)
      .map(({ capacity, perDay, available }) => ({ capacity, perDay, left: available - moving }))
    if (isContradicted(told, roomClass))
      disagreements.push({
        about: 'the limit of a token',
        answers: `${token}: ${told.map(describeRoom).join(' / ')}`,
      })
    const isUnset = told.some(({ isSet }) => !isSet)
    limits.set(limitKey(contract, token), {
      ofMints: most ?? null,
      ofTransfers: isUnset ? null : (most ?? null),
    })
  }
  return { limits, disagreements }
}

type Room = Pick<PieceLimit, 'available'> & { isSet: boolean }

/** Whether a limit is set, and leaves anything. How much it leaves differs from block to block. */
const roomClass = ({ isSet, available }: Room): string =>
  !isSet ? 'none' : available > 0 ? 'room' : 'no room'

const describeRoom = ({ isSet, available }: Room): string =>
  isSet ? `${available} pieces left` : 'none'
