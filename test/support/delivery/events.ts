/** What the token contracts on the chain say was moved. */
import { decodeEventLog, type Hex, parseAbi } from 'viem'
import type { Chain } from '../chain/chain.ts'
import type { PaidItem } from './items.ts'

/** What item and event have in common. */
type Identity = Pick<PaidItem, 'contract' | 'recipient' | 'tokenId'>

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

export type TransferEvent = {
  contract: string
  to: string
  tokenId: string
  quantity: number
  transactionHash: string
}

type Log = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; transactionHash: Hex }

/** Every movement of a token except minting, in the blocks that are canonical now. */
export async function transferEvents(chain: Chain): Promise<TransferEvent[]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: Object.values(chain.contracts) }
  const logs = (await chain.rpc('eth_getLogs', filter)) as Log[]
  return logs.flatMap(movements)
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
  if (!event || Number(event.args.from) === 0) return []
  const base = { contract: address, to: event.args.to, transactionHash }
  if (event.eventName === 'Transfer') {
    return [{ ...base, tokenId: `${event.args.tokenId}`, quantity: 1 }]
  }
  if (event.eventName === 'TransferSingle') {
    return [{ ...base, tokenId: `${event.args.id}`, quantity: Number(event.args.value) }]
  }
  const { ids, values } = event.args
  return ids.map((id, i) => ({ ...base, tokenId: `${id}`, quantity: Number(values[i]) }))
}

/** The movements that delivered this item: buyers' wallets tell the items apart. */
export const deliveriesOf = (item: Identity, events: readonly TransferEvent[]): TransferEvent[] =>
  events.filter((event) => keyOfEvent(event) === keyOfItem(item))

const keyOf = (contract: string, to: string, tokenId: string) =>
  `${contract} ${to} ${tokenId}`.toLowerCase()
export const keyOfItem = ({ contract, recipient, tokenId }: Identity) =>
  keyOf(contract, recipient ?? 'nobody', tokenId)
export const keyOfEvent = ({ contract, to, tokenId }: TransferEvent) => keyOf(contract, to, tokenId)
