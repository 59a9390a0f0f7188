/** What the transfer events of a token contract say about which tokens exist, and how many. */
import { type Abi, decodeEventLog, type Hex, parseAbi, toEventSelector, zeroAddress } from 'viem'
import { CommandError } from '../../shell/command.ts'
import type { TokenContract } from './contract.ts'
import type { Log } from './logs.ts'
import { keyOf, type TokenKey } from './state.ts'

/** More tokens are not read. A contract may claim any number in one event. */
export const MAX_TOKENS = 1_000_000

/** ERC-2309 has ConsecutiveTransfer for tokens that are minted in batches. */
const erc721 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event ConsecutiveTransfer(uint256 indexed first, uint256 last, address indexed from, address indexed to)',
])
const erc1155 = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

/** The selectors of the events of a standard. */
export const eventsOf = ({ standard }: TokenContract): Hex[] =>
  (standard === 'erc721' ? erc721 : erc1155).map((event) => toEventSelector(event))

export const tooManyTokens = () =>
  new CommandError(`The collection has more than ${MAX_TOKENS} tokens.`)

/** Returns the new supply of each token in the events. `supplyOf` returns the supply before them. */
export function applyLogs(
  { standard }: TokenContract,
  logs: readonly Log[],
  supplyOf: (key: TokenKey) => bigint,
): Map<TokenKey, bigint> {
  const supplies = new Map<TokenKey, bigint>()
  const set = (id: bigint, supply: (before: bigint) => bigint) => {
    const key = keyOf(id)
    supplies.set(key, supply(supplies.get(key) ?? supplyOf(key)))
    if (supplies.size > MAX_TOKENS) throw tooManyTokens()
  }
  const apply = standard === 'erc721' ? applyErc721 : applyErc1155
  for (const log of logs.toSorted(byPosition)) apply(log, set)
  return supplies
}

const byPosition = (a: Log, b: Log) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex

type SetSupply = (id: bigint, supply: (before: bigint) => bigint) => void

function applyErc721(log: Log, set: SetSupply): void {
  const args = decode(erc721, log)?.args
  if (!args) return
  const [first, last] = 'id' in args ? [args.id, args.id] : [args.first, args.last]
  if (last - first >= MAX_TOKENS) throw tooManyTokens()
  const supply = args.to === zeroAddress ? 0n : 1n
  for (let id = first; id <= last; id++) set(id, () => supply)
}

function applyErc1155(log: Log, set: SetSupply): void {
  const args = decode(erc1155, log)?.args
  if (!args) return
  const isMint = args.from === zeroAddress
  if (isMint === (args.to === zeroAddress)) return
  const [ids, values] = 'id' in args ? [[args.id], [args.value]] : [args.ids, args.values]
  for (const [i, id] of ids.entries()) {
    const value = values[i] ?? 0n
    set(id, (before) => (isMint ? before + value : before - value))
  }
}

/** Returns undefined for an event that is not as the standard says. */
function decode<const A extends Abi>(abi: A, { topics, data }: Log) {
  try {
    return decodeEventLog({ abi, topics, data })
  } catch {
    return undefined
  }
}
