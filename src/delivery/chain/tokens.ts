/** What a run has to know of tokens: their standards, and their limits in the Delivery contract. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import { decodeLimit, encodeLimit } from '../../ethereum/contract.ts'
import { type Node, otherNodes } from '../../ethereum/node.ts'
import { hex, read, view } from '../../ethereum/requests.ts'
import { readStandard, readTrouble, type Standard, standardRequests } from '../../ethereum/token.ts'
import type { Item } from '../model.ts'
import { explain, type Reason } from '../reasons.ts'

/** Standards that all nodes tell, by chain and address, for the life of the isolate. */
const standards = new Map<string, Standard>()

const standardKey = ({ chainId }: Network, token: Address) => `${chainId} ${token}`

/** Whether all nodes tell the same standard. */
export const isAgreed = (network: Network, token: Address): boolean =>
  standards.has(standardKey(network, token))

/** Why a token has no standard. `isConfirmed`: a second node, where there is one, says so too. */
type TokenProblem = Reason & { isConfirmed: boolean }

/** Returns the standards of tokens. One that no node tells, or about which two disagree, is left out. */
export async function readStandards(
  network: Network,
  node: Node,
  tokens: ReadonlySet<Address>,
): Promise<Map<Address, Standard | TokenProblem>> {
  const isOnly = network.rpcUrls.length === 1
  const [other] = otherNodes(network, node)
  const unknown = [...tokens].filter((token) => !standards.has(standardKey(network, token)))
  const requests = unknown.flatMap(standardRequests)
  const replies = await Promise.all(
    [node, ...(other ? [other] : [])].map(({ rpc }) => rpc(requests)),
  )
  const found = new Map<Address, Standard | TokenProblem>()
  for (const token of tokens) {
    const known = standards.get(standardKey(network, token))
    const told = replies.flatMap((answers) => readStandard(token, answers) ?? [])
    const [standard] = told
    const codes = replies.flatMap((answers) => readTrouble(token, answers) ?? [])
    const [code] = codes
    if (known) found.set(token, known)
    else if (standard && told.every((one) => one === standard)) {
      found.set(token, standard)
      if (isOnly || told.length > 1) standards.set(standardKey(network, token), standard)
    } else if (!standard && code)
      found.set(token, { ...explain(code), isConfirmed: isOnly || codes.length > 1 })
  }
  return found
}

/** `left`: pieces that may be moved besides those in flight. */
export type TokenLimit = { capacity: number; left: number }

const limitRequest = (contract: Address, token: Address) =>
  view(contract, encodeLimit('tokenLimit', token))

/**
 * Returns the limits of tokens in the contracts, by `contract token`. Null: none is set. One that the
 * node does not tell is left out.
 */
export async function readTokenLimits(
  { rpc }: Node,
  tokens: readonly { contract: Address; token: Address }[],
  inFlight: readonly Item[],
): Promise<Map<string, TokenLimit | null>> {
  const replies = await rpc(tokens.map(({ contract, token }) => limitRequest(contract, token)))
  const limits = new Map<string, TokenLimit | null>()
  for (const { contract, token } of tokens) {
    const data = read(hex, replies(limitRequest(contract, token)))
    const limit = data && decodeLimit(data)
    if (!limit || limits.has(`${contract} ${token}`)) continue
    const moving = inFlight
      .filter((item) => item.contract === contract)
      .filter(({ contractAddr }) => contractAddr.toLowerCase() === token.toLowerCase())
      .reduce((sum, { quantity }) => sum + quantity, 0)
    const { capacity, available, isSet } = limit
    limits.set(`${contract} ${token}`, isSet ? { capacity, left: available - moving } : null)
  }
  return limits
}
