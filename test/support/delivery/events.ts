/** What the token contracts on the chain say was moved. */
import { decodeEventLog, encodeEventTopics, type Hex, parseAbi } from 'viem'
import { deliveryAbi } from '../../../contracts/delivery-abi.ts'
import type { Chain } from '../chain/chain.ts'
import type { Fulfilment, PaidItem } from './items.ts'

/** What item and event have in common. */
type Identity = Pick<PaidItem, 'contract' | 'recipient' | 'tokenId' | 'fulfilment'>

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

export type TransferEvent = {
  contract: string
  /** `mint`: the token was made. */
  fulfilment: Fulfilment
  to: string
  tokenId: string
  quantity: number
  transactionHash: string
}

type Log = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; transactionHash: Hex }

/**
 * Every movement of a token, in the blocks that are canonical now. Without the tokens that the
 * seller has minted to have something to sell.
 */
export async function transferEvents(chain: Chain): Promise<TransferEvent[]> {
  const address = [...Object.values(chain.contracts), chain.mintable.erc721]
  const filter = { fromBlock: '0x0', toBlock: 'latest', address }
  const logs = (await chain.rpc('eth_getLogs', filter)) as Log[]
  const isStock = ({ fulfilment, to }: TransferEvent) =>
    fulfilment === 'mint' && to === chain.seller
  return logs.flatMap(movements).filter((event) => !isStock(event))
}

function movements({ address, topics, data, transactionHash }: Log): TransferEvent[] {
  // Approvals and roles are events, too.
  const [event] = abi.flatMap((item) => {
    try {
      return [decodeEventLog({ abi: [item], topics, data })]
    } catch {
      return []
    }
  })
  if (!event) return []
  const fulfilment = BigInt(event.args.from) === 0n ? 'mint' : 'transfer'
  const base = { contract: address, fulfilment, to: event.args.to, transactionHash } as const
  if (event.eventName === 'Transfer') {
    return [{ ...base, tokenId: `${event.args.tokenId}`, quantity: 1 }]
  }
  if (event.eventName === 'TransferSingle') {
    return [{ ...base, tokenId: `${event.args.id}`, quantity: Number(event.args.value) }]
  }
  const { ids, values } = event.args
  return ids.map((id, i) => ({ ...base, tokenId: `${id}`, quantity: Number(values[i]) }))
}

/** What a Delivery contract says it did with a key. */
export type KeyUse = { key: Hex; outcome: 'delivered' | 'cancelled' }

/** Every use of a key in these Delivery contracts, in the blocks that are canonical now. */
export async function keyUses(chain: Chain, contracts: readonly string[]): Promise<KeyUse[]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: contracts }
  const logs = (await chain.rpc('eth_getLogs', filter)) as Log[]
  return logs.flatMap(({ topics: [topic, key = '0x'] }): KeyUse[] => {
    if (topic === DELIVERED) return [{ key, outcome: 'delivered' }]
    return topic === CANCELLED ? [{ key, outcome: 'cancelled' }] : []
  })
}

const [DELIVERED] = encodeEventTopics({ abi: deliveryAbi, eventName: 'Delivered' })
const [CANCELLED] = encodeEventTopics({ abi: deliveryAbi, eventName: 'Cancelled' })

/** The movements that delivered this item: buyers' wallets tell the items apart. */
export const deliveriesOf = (item: Identity, events: readonly TransferEvent[]): TransferEvent[] =>
  events.filter((event) => keyOfEvent(event) === keyOfItem(item))

const keyOf = (...parts: string[]) => parts.join(' ').toLowerCase()
export const keyOfItem = ({ contract, recipient, tokenId, fulfilment }: Identity) =>
  keyOf(fulfilment, contract, recipient ?? 'nobody', tokenId)
export const keyOfEvent = ({ contract, to, tokenId, fulfilment }: TransferEvent) =>
  keyOf(fulfilment, contract, to, tokenId)
