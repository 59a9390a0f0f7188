/** Whether the Delivery contracts may deliver what is for sale, and whether they can. */
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { believe } from '../chain/claims.ts'
import { joinedNodes, type Rpc, type Urls } from '../chain/nodes.ts'
import type { fulfilments } from '../db/schema/catalogue.ts'
import type { Network, Settings } from '../env.ts'
import { inconclusive } from '../ethereum/requests.ts'
import { getSigner } from '../ethereum/signer.ts'
import {
  contractAmount,
  parseTransfer,
  permissionRequest,
  readStandard,
  readTrouble,
  standardRequests,
  word,
} from '../ethereum/token.ts'
import { PLAIN_ACCOUNT, readInexactness, readRefusal, refusalRequests } from './chain/diagnose.ts'
import { explain, type Reason } from './reasons.ts'

/** A token contract, by the name of its network, and how its NFTs are delivered. */
export type SoldContract = {
  network: string
  contract: string
  fulfilment: (typeof fulfilments)[number]
}

/** `holder`: the wallet of the seller; empty without one. */
export type Sale = SoldContract & { tokenId: string | null; holder: string }

/** `not_needed`: the marketplace holds the NFTs. */
type Permission = { is: 'allowed' | 'missing' | 'not_needed' } | { is: 'unknown'; reason: string }

const unknown = (reason: string): Permission => ({ is: 'unknown', reason })
const notConfigured = { permission: unknown('its network is not configured'), obstacle: undefined }

/** Why a piece cannot be delivered; null if it can, undefined if the nodes do not tell. */
type Obstacle = Reason | null | undefined

/** What trying needs of a network. */
type TriedNetwork = Urls & Pick<Network, 'chainId' | 'delivery' | 'gasPerItem' | 'treasury'>

export type SellingSettings = Pick<Settings, 'NETWORKS' | 'TRANSFER_SIGNER_KEYS'>

/** As `trySales`, with the networks and the first relayer of the settings. */
export const checkSales = <S extends Sale>(
  { NETWORKS, TRANSFER_SIGNER_KEYS: [key = '0x'] }: SellingSettings,
  sales: readonly S[],
  timeout?: number,
) => trySales(NETWORKS, sales, getSigner(key).address, timeout)

/**
 * Adds to each sale the permission and the obstacle that all nodes tell which answer. One piece is tried,
 * and undone. `timeout`: milliseconds that a node has for an answer, if not more.
 */
export function trySales<S extends Sale>(
  networks: Readonly<Record<string, TriedNetwork>>,
  sales: readonly S[],
  relayer: Address,
  timeout?: number,
): Promise<(S & { permission: Permission; obstacle: Obstacle })[]> {
  const clients = new Map(
    Object.values(networks).map((network) => [network, joinedNodes({ ...network, timeout })]),
  )
  return Promise.all(
    sales.map(async (sale) => {
      const network = networks[sale.network]
      const rpcs = network && clients.get(network)
      if (!rpcs) return { ...sale, ...notConfigured }
      const [permission, told] = await Promise.all([
        readPermission(rpcs, network, sale),
        Promise.all(rpcs.map((rpc) => trySale(rpc, network, relayer, sale))),
      ])
      const [first, ...others] = told.filter((one) => one !== undefined)
      const isAgreed = others.every((other) => other?.reasonCode === first?.reasonCode)
      return { ...sale, permission, obstacle: isAgreed ? first : undefined }
    }),
  )
}

async function readPermission(
  rpcs: readonly Rpc[],
  network: TriedNetwork,
  { contract, fulfilment, holder }: Sale,
): Promise<Permission> {
  const isMint = fulfilment === 'mint'
  if (!isAddress(contract, { strict: false })) return unknown('its address is not valid')
  if (network.treasury && !isMint) return { is: 'not_needed' }
  if (!isMint && !isAddress(holder, { strict: false })) return unknown('no wallet is linked')
  const from = isMint ? zeroAddress : getAddress(holder)
  const request = permissionRequest(getAddress(contract), network.delivery, from)
  const replies = await Promise.all(rpcs.map(async (rpc) => (await rpc([request]))(request)))
  const answers = replies.map((reply) => (inconclusive(reply) ? null : !!word(reply)))
  const isAllowed = believe('is_proven', network, answers)
  if (isAllowed === null) return unknown(replies.map(inconclusive).join(', '))
  if (isAllowed) return { is: 'allowed' }
  const isTold = replies.some((reply) => word(reply) !== null)
  return isTold ? { is: 'missing' } : unknown('the contract does not tell')
}

async function trySale(rpc: Rpc, network: TriedNetwork, relayer: Address, sale: Sale) {
  const transfer = parseTransfer({
    contractAddr: sale.contract,
    tokenId: sale.tokenId,
    quantity: 1,
    holder: sale.fulfilment === 'mint' ? null : (network.treasury ?? sale.holder),
    recipient: PLAIN_ACCOUNT,
  })
  if (typeof transfer === 'string') return explain(transfer)
  const standards = await rpc(standardRequests(transfer.token))
  const standard = readStandard(transfer.token, standards)
  const trouble = standard ? null : readTrouble(transfer.token, standards)
  if (!standard) return trouble ? explain(trouble) : undefined
  const by = { relayer, delivery: network.delivery }
  const item = { ...transfer, key: '0x', amount: contractAmount(transfer, standard) } as const
  const replies = await rpc(refusalRequests(by, item))
  // In a delivery, `simulate` finds an inexact mint, and the receipt a token that has moved nothing.
  return readInexactness(by, item, replies) ?? readRefusal(by, item, network, replies)
}
