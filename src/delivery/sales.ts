/** Whether what is for sale could be delivered: one piece is tried, and undone. */
import type { Address } from 'viem'
import type { Network, Settings } from '../env.ts'
import { answerIn, type Node, nodes } from '../ethereum/node.ts'
import { getSigner } from '../ethereum/signer.ts'
import {
  contractAmount,
  parseTransfer,
  readStandard,
  readTrouble,
  standardRequests,
} from '../ethereum/token.ts'
import { PLAIN_ACCOUNT, readRefusal, refusalRequests } from './chain/refusal.ts'
import type { SoldContract } from './permissions.ts'
import { explain, type Reason } from './reasons.ts'

/** `holder`: the wallet of the seller; empty without one. */
export type Sale = SoldContract & { tokenId: string | null; holder: string }

/** Why a piece cannot be delivered; null if it can, undefined if the nodes do not tell. */
type Obstacle = Reason | null | undefined

/** What trying needs of a network. */
type TriedNetwork = Pick<
  Network,
  'rpcUrls' | 'callsPerBatch' | 'callsPerSecond' | 'delivery' | 'gasPerItem' | 'treasury'
>

export type SellingSettings = Pick<Settings, 'NETWORKS' | 'TRANSFER_SIGNER_KEYS'>

type TriedSale<S extends Sale> = S & { obstacle: Obstacle }

/** Tries one piece of each. `timeout`: milliseconds that a node has for all its answers, if not more. */
export const findObstacles = <S extends Sale>(
  { NETWORKS, TRANSFER_SIGNER_KEYS: [key = '0x'] }: SellingSettings,
  sales: readonly S[],
  timeout?: number,
): Promise<TriedSale<S>[]> => trySales(NETWORKS, sales, getSigner(key).address, timeout)

/** The same with other networks. An obstacle is what all nodes tell that answer. */
export async function trySales<S extends Sale>(
  networks: Readonly<Partial<Record<string, TriedNetwork>>>,
  sales: readonly S[],
  relayer: Address,
  timeout?: number,
): Promise<TriedSale<S>[]> {
  const groups = [...Map.groupBy(sales, ({ network }) => network)]
  const found = groups.map(async ([name, group]) => {
    const network = networks[name]
    const tries = network ? nodes(network).map((node) => tryAt(node, network, relayer, group)) : []
    const told = await Promise.all(
      tries.map((answer) => (timeout ? answerIn(timeout, answer, []) : answer)),
    )
    return group.map((sale, i) => {
      const [first, ...others] = told.flatMap(({ [i]: one }) => (one === undefined ? [] : [one]))
      const isAgreed = others.every((other) => other?.reasonCode === first?.reasonCode)
      return { ...sale, obstacle: isAgreed ? first : undefined }
    })
  })
  return (await Promise.all(found)).flat()
}

async function tryAt(
  { rpc }: Node,
  { delivery, treasury, gasPerItem }: TriedNetwork,
  relayer: Address,
  sales: readonly Sale[],
): Promise<Obstacle[]> {
  const by = { relayer, delivery }
  const transfers = sales.map(({ contract, tokenId, fulfilment, holder }) =>
    parseTransfer({
      contractAddr: contract,
      tokenId,
      quantity: 1,
      holder: fulfilment === 'mint' ? null : (treasury ?? holder),
      recipient: PLAIN_ACCOUNT,
    }),
  )
  const standards = await rpc(
    transfers.flatMap((transfer) =>
      typeof transfer === 'string' ? [] : standardRequests(transfer.token),
    ),
  )
  const items = transfers.map((transfer) => {
    if (typeof transfer === 'string') return explain(transfer)
    const standard = readStandard(transfer.token, standards)
    const code = standard ? null : readTrouble(transfer.token, standards)
    if (!standard) return code ? explain(code) : undefined
    return { ...transfer, key: '0x', amount: contractAmount(transfer, standard) } as const
  })
  const replies = await rpc(
    items.flatMap((item) => (item && 'key' in item ? refusalRequests(by, item) : [])),
  )
  return items.map((item) =>
    item && 'key' in item ? readRefusal(by, item, { gasPerItem }, replies) : item,
  )
}
