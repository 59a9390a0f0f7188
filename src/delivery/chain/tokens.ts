/** What a run has to know of tokens: their standards, and their limits in the Delivery contract. */
import type { Address } from 'viem'
import { isContradicted } from '../../chain/claims.ts'
import { askEach, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { decodeLimit, encodeLimit, type Limit } from '../../ethereum/contract.ts'
import { hex, read, view } from '../../ethereum/requests.ts'
import { readStandard, readTrouble, type Standard, standardRequests } from '../../ethereum/token.ts'
import type { Item } from '../model.ts'
import { explain } from '../reasons.ts'
import { limitKey, type Requested, type TokenLimits, type TokenStandard } from '../rules/compose.ts'
import type { Disagreement } from '../store/disagreements.ts'

/** Standards that all nodes tell, by chain and address, for the life of the isolate. */
const agreed = new Map<string, Standard>()

/** Returns the standards of tokens. One that no node tells, or about which two disagree, is left out. */
export async function readStandards(
  network: Network,
  nodes: readonly Node[],
  tokens: readonly Address[],
): Promise<{ standards: Map<Address, TokenStandard>; disagreements: Disagreement[] }> {
  const isOnly = network.rpcUrls.length === 1
  const keyOf = (token: Address) => `${network.chainId} ${token}`
  const requests = tokens.filter((token) => !agreed.has(keyOf(token))).flatMap(standardRequests)
  const replies = await askEach(nodes, requests)
  const standards = new Map<Address, TokenStandard>()
  const disagreements: Disagreement[] = []
  for (const token of tokens) {
    const known = agreed.get(keyOf(token))
    const told = replies.flatMap((answers) => readStandard(token, answers) ?? [])
    const [standard] = told
    const codes = replies.flatMap((answers) =>
      readStandard(token, answers) ? [] : (readTrouble(token, answers) ?? []),
    )
    const [code] = codes
    if (isContradicted([...told, ...codes], String))
      disagreements.push({
        about: 'the standard of a token',
        answers: `${token}: ${[...told, ...codes].join(' / ')}`,
      })
    if (known) standards.set(token, { standard: known, isConfirmed: true })
    else if (standard && told.every((one) => one === standard)) {
      const isConfirmed = isOnly || told.length > 1
      standards.set(token, { standard, isConfirmed })
      if (isConfirmed) agreed.set(keyOf(token), standard)
    } else if (!standard && code)
      standards.set(token, { reason: explain(code), isConfirmed: isOnly || codes.length > 1 })
  }
  return { standards, disagreements }
}

const limitRequest = (contract: Address, token: Address) =>
  view(contract, encodeLimit('tokenLimit', token))

/**
 * Returns the limits of tokens in the contracts, by `limitKey`. One that no node tells is left out. What lets
 * deliveries go on counts: no limit for transfers, a limit for mints, and the one that leaves most.
 * `inFlight`: items that transactions carry.
 */
export async function readTokenLimits(
  nodes: readonly Node[],
  requested: readonly Requested[],
  inFlight: readonly Item[],
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
      .filter((item) => item.contract === contract)
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

type Room = Pick<Limit, 'available'> & { isSet: boolean }

/** Whether a limit is set, and leaves anything. How much it leaves differs from block to block. */
const roomClass = ({ isSet, available }: Room): string =>
  !isSet ? 'none' : available > 0 ? 'room' : 'no room'

const describeRoom = ({ isSet, available }: Room): string =>
  isSet ? `${available} pieces left` : 'none'
