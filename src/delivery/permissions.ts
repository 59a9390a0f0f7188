/** Whether the Delivery contracts may deliver what a seller offers. */
import { getAddress, type Hex, isAddress } from 'viem'
import type { fulfilments } from '../db/schema/catalogue.ts'
import type { Network, Settings } from '../env.ts'
import { usableNodes } from '../ethereum/node.ts'
import { inconclusive } from '../ethereum/requests.ts'
import type { Replies, RpcRequest } from '../ethereum/rpc.ts'
import {
  encodePermission,
  type Permission,
  permissionRequests,
  readPermission,
} from '../ethereum/token.ts'
import { sentences } from './reasons.ts'

/** Milliseconds that a node has for all its answers. */
const TIMEOUT = 3_000

/** A token contract, by the name of its network, and how its NFTs are delivered. */
export type SoldContract = {
  network: string
  contract: string
  fulfilment: (typeof fulfilments)[number]
}

export type PermissionState =
  /** `not_needed`: the marketplace holds the NFTs. */
  | { is: 'allowed' | 'not_needed' }
  /** `data`: what to send to the contract; null if the contract has no role for minters. */
  | { is: 'missing'; data: Hex | null }
  | { is: 'unknown'; reason: string }

/** Returns the state of each contract for a holder. Asks one node of each network, and once. */
export async function readPermissions(
  { NETWORKS }: Pick<Settings, 'NETWORKS'>,
  holder: string,
  contracts: readonly SoldContract[],
): Promise<Map<SoldContract, PermissionState>> {
  const byNetwork = [...Map.groupBy(contracts, ({ network }) => network)]
  const states = await Promise.all(
    byNetwork.map(([name, own]) => readOfNetwork(NETWORKS[name], holder, own)),
  )
  return new Map(states.flat())
}

async function readOfNetwork(
  network: Network | undefined,
  holder: string,
  contracts: readonly SoldContract[],
): Promise<[SoldContract, PermissionState][]> {
  const asked = contracts.map((contract) => toPermission(network, holder, contract))
  const requests = asked.flatMap((permission) =>
    'token' in permission ? permissionRequests(permission) : [],
  )
  const replies = await ask(network, requests)
  return contracts.flatMap((contract, i) => {
    const permission = asked[i]
    if (!permission) return []
    return [[contract, 'is' in permission ? permission : toState(permission, replies)]]
  })
}

/** Returns the question to the chain, or the state if there is none to ask. */
function toPermission(
  network: Network | undefined,
  holder: string,
  { contract, fulfilment }: SoldContract,
): Permission | PermissionState {
  if (!network) return unknown(sentences.network_not_configured)
  if (!isAddress(contract, { strict: false })) return unknown(sentences.invalid_token_address)
  const common = { token: getAddress(contract), delivery: network.delivery }
  if (fulfilment === 'mint') return { to: 'mint', ...common }
  if (network.treasury) return { is: 'not_needed' }
  if (!isAddress(holder, { strict: false })) return unknown('no wallet is linked')
  return { to: 'transfer', holder: getAddress(holder), ...common }
}

function toState(permission: Permission, replies: Replies): PermissionState {
  const found = readPermission(permission, replies)
  if (found?.isGiven) return { is: 'allowed' }
  if (found) return { is: 'missing', data: found.isGrantable ? encodePermission(permission) : null }
  const [request] = permissionRequests(permission)
  return unknown(inconclusive(replies(request)) ?? 'the contract does not tell')
}

const unknown = (reason: string): PermissionState => ({ is: 'unknown', reason })

const unanswered: Replies = () => ({ fault: 'the node did not answer in time' })

/** Gives up after `TIMEOUT`, also if the node's limit of calls delays them. */
async function ask(network: Network | undefined, requests: readonly RpcRequest[]) {
  const [node] = network && requests.length > 0 ? usableNodes({ ...network, timeout: TIMEOUT }) : []
  if (!node) return unanswered
  const timeout = new Promise<Replies>((resolve) => setTimeout(() => resolve(unanswered), TIMEOUT))
  return Promise.race([node.rpc(requests), timeout])
}
