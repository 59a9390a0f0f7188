/** Whether the Delivery contracts may deliver what is for sale, and whether they can. */
import { type Address, getAddress, type Hex, isAddress, zeroAddress } from 'viem'
import { believe } from '../chain/claims.ts'
import { joinedNodes, type Rpc, type Urls } from '../chain/nodes.ts'
import { type fulfilments, type SaleObstacle, saleObstacles } from '../db/schema/catalogue.ts'
import type { Network, Settings } from '../env.ts'
import { inconclusive } from '../ethereum/requests.ts'
import { getSigner } from '../ethereum/signer.ts'
import {
  contractAmount,
  parseTransfer,
  permissionRequest,
  plainAccount,
  readStandard,
  readTrouble,
  standardRequests,
  word,
} from '../ethereum/token.ts'
import { tryItem } from './chain/refusal.ts'
import { holderOf, treasuryOf } from './holder.ts'
import { makeTrialKeys } from './key.ts'
import { explain, type Reason } from './reasons.ts'

/** A token contract, by the name of its network, and how its NFTs are delivered. */
export type SoldContract = {
  network: string
  contract: string
  fulfilment: (typeof fulfilments)[number]
}

/** `seller`: the wallet of the seller; empty without one. */
export type Sale = SoldContract & {
  tokenId: string | null
  heldBySeller: boolean | 0 | 1
  seller: string
  /** How many are tried; one by default. */
  pieces?: number
}

/** `not_needed`: the marketplace holds the NFTs. */
type Permission = { is: 'allowed' | 'missing' | 'not_needed' } | { is: 'unknown'; reason: string }

const unknown = (reason: string): Permission => ({ is: 'unknown', reason })
const notConfigured = {
  permission: unknown('its network is not configured'),
  told: [],
  obstacle: undefined,
}

/** Why a piece cannot be delivered; null if it can, undefined if a node does not tell. */
type Told = Reason | null | undefined

/** What trying needs of a network. */
type TriedNetwork = Urls & Pick<Network, 'chainId' | 'delivery' | 'gasPerItem' | 'treasury'>

export type SellingSettings = Pick<
  Settings,
  'NETWORKS' | 'TRANSFER_SIGNER_KEYS' | 'DELIVERY_KEY_SECRET'
>

/** As `trySales`, with the networks, the first relayer and the secret of the settings. */
export const checkSales = <S extends Sale>(
  { NETWORKS, TRANSFER_SIGNER_KEYS: [key = '0x'], DELIVERY_KEY_SECRET: secret }: SellingSettings,
  sales: readonly S[],
  now: Date,
  signal?: AbortSignal,
) => trySales(NETWORKS, sales, { relayer: getSigner(key).address, secret, now, signal })

/** `secret`: hex. `signal`: from when on nothing is known that no node has told before. */
type Trial = { relayer: Address; secret: string; now: Date; signal?: AbortSignal | undefined }

/** `told`: what each configured node says. `obstacle`: what all say that answer. */
type Tried<S extends Sale> = S & { permission: Permission; told: Told[]; obstacle: Told }

/** Asks each configured node about each sale. It is tried, and undone. */
export async function trySales<S extends Sale>(
  networks: Readonly<Record<string, TriedNetwork>>,
  sales: readonly S[],
  { relayer, secret, now, signal }: Trial,
): Promise<Tried<S>[]> {
  const clients = new Map(
    Object.values(networks).map((network) => [network, joinedNodes(network, signal)]),
  )
  const tried = sales.map((sale) => [sale.network, sale.contract, sale.tokenId, sale.seller])
  const keys = await makeTrialKeys(secret, tried, now)
  return Promise.all(
    sales.map(async (sale, i) => {
      const network = networks[sale.network]
      const rpcs = network && clients.get(network)
      if (!rpcs) return { ...sale, ...notConfigured }
      const key = keys[i] ?? '0x'
      const [permission, told] = await Promise.all([
        readPermission(rpcs, network, sale),
        Promise.all(rpcs.map((rpc) => trySale(rpc, network, { relayer, key }, sale))),
      ])
      const [first, ...others] = told.filter((one) => one !== undefined)
      const isAgreed = others.every((other) => other?.reasonCode === first?.reasonCode)
      return { ...sale, permission, told, obstacle: isAgreed ? first : undefined }
    }),
  )
}

/**
 * `disputed`: some nodes say that it can be delivered, and not all. `unknown`: no node says so, and not all
 * give the same reason.
 */
export type Verdict =
  | { is: 'possible' | 'disputed' | 'unknown' }
  | { is: 'impossible'; obstacle: SaleObstacle }

/**
 * Returns whether something is sold, by what each node says. What only lacks a permission is: it can be
 * given until the order is delivered.
 */
export function judgeSale(network: Pick<Network, 'chainId'>, told: readonly Told[]): Verdict {
  const codes = told.map((reason) => (reason === undefined ? undefined : readObstacle(reason)))
  const isImpossible = believe(
    'is_for_all',
    network,
    codes.map((code) => (code === undefined ? null : code !== null)),
  )
  const [first] = codes
  if (first && isImpossible && codes.every((code) => code === first))
    return { is: 'impossible', obstacle: first }
  if (!codes.includes(null)) return { is: 'unknown' }
  return { is: codes.every((code) => code === null) ? 'possible' : 'disputed' }
}

/** Returns the reason as an obstacle of a sale; null if it is none. */
const readObstacle = (reason: Pick<Reason, 'reasonCode'> | null): SaleObstacle | null =>
  saleObstacles.find((code) => code === reason?.reasonCode) ?? null

async function readPermission(
  rpcs: readonly Rpc[],
  network: TriedNetwork,
  sale: Sale,
): Promise<Permission> {
  const { contract, seller } = sale
  const isMint = sale.fulfilment === 'mint'
  if (!isAddress(contract, { strict: false })) return unknown('its address is not valid')
  if (!isMint && treasuryOf(sale, network)) return { is: 'not_needed' }
  if (!isMint && !isAddress(seller, { strict: false })) return unknown('no wallet is linked')
  const from = isMint ? zeroAddress : getAddress(seller)
  const request = permissionRequest(getAddress(contract), network.delivery, from)
  const replies = await Promise.all(rpcs.map(async (rpc) => (await rpc([request]))(request)))
  const answers = replies.map((reply) => (inconclusive(reply) ? null : !!word(reply)))
  const isAllowed = believe('is_proven', network, answers)
  if (isAllowed === null) return unknown(replies.map(inconclusive).join(', '))
  if (isAllowed) return { is: 'allowed' }
  const isTold = replies.some((reply) => word(reply) !== null)
  return isTold ? { is: 'missing' } : unknown('the contract does not tell')
}

async function trySale(
  rpc: Rpc,
  network: TriedNetwork,
  { relayer, key }: { relayer: Address; key: Hex },
  sale: Sale,
): Promise<Told> {
  const transfer = parseTransfer({
    contractAddr: sale.contract,
    tokenId: sale.tokenId,
    quantity: sale.pieces ?? 1,
    holder: holderOf(sale, network),
    recipient: plainAccount(key),
  })
  if (typeof transfer === 'string') return explain(transfer)
  const standards = await rpc(standardRequests(transfer.token))
  const standard = readStandard(transfer.token, standards)
  const trouble = standard ? null : readTrouble(transfer.token, standards)
  if (!standard) return trouble ? explain(trouble) : undefined
  const by = { relayer, contract: network.delivery, gasPerItem: network.gasPerItem }
  const item = { ...transfer, key, amount: contractAmount(transfer, standard) }
  return tryItem(rpc, by, item)
}
