/** Which tokens of a contract exist, and how many pieces of each, by its events. */
import { type GetLogsReturnType, parseAbi, zeroAddress } from 'viem'
import { CommandError } from '../../../shell/command.ts'
import { readLogs } from '../../contract/logs.ts'
import { attempt } from '../../contract/node.ts'
import { showProgress } from '../report.ts'
import type { TokenContract } from './contract.ts'

/** With ConsecutiveTransfer of ERC-2309, for tokens that are minted in batches. */
const events = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event ConsecutiveTransfer(uint256 indexed first, uint256 last, address indexed from, address indexed to)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])
type Log = GetLogsReturnType<undefined, typeof events, true>[number]

/** Tokens. A contract may claim any number in one event. */
const MAX_TOKENS = 200_000

const tooManyTokens = () => new CommandError(`The collection has more than ${MAX_TOKENS} tokens.`)

/** Returns the number of the newest final block. */
export async function readFinalBlock({ node, network }: TokenContract): Promise<number> {
  const { finality = 'finalized' } = network
  const blockTag = finality === 'finalized' ? finality : 'latest'
  const { number } = await attempt('Reading the final block', node.getBlock({ blockTag }))
  return finality === 'finalized' ? Number(number) : Math.max(0, Number(number) - finality + 1)
}

/** Returns the first block with the contract, or 0 if the node does not know old states. */
export async function findFirstBlock(contract: TokenContract, last: number): Promise<number> {
  const { node, address } = contract
  let [low, high] = [0, last]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const code = await node.getCode({ address, blockNumber: BigInt(middle) }).catch(() => null)
    if (code === null) return 0
    if (code === undefined) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the number of pieces of each token after these blocks, by token id. */
export async function readSupplies(
  contract: TokenContract,
  blocks: { from: number; to: number },
): Promise<Map<bigint, bigint>> {
  const supplies = new Map<bigint, bigint>()
  const { node, address, standard } = contract
  const apply = standard === 'erc721' ? applyErc721 : applyErc1155
  for await (const { logs, end } of readLogs(node, { address, events }, blocks)) {
    for (const log of logs) {
      apply(log, supplies)
      if (supplies.size > MAX_TOKENS) throw tooManyTokens()
    }
    showProgress((end - blocks.from + 1) / (blocks.to - blocks.from + 1), 'events')
  }
  return supplies
}

function applyErc721({ eventName, args }: Log, supplies: Map<bigint, bigint>): void {
  if (eventName !== 'Transfer' && eventName !== 'ConsecutiveTransfer') return
  const [first, last] = 'id' in args ? [args.id, args.id] : [args.first, args.last]
  if (last - first >= MAX_TOKENS) throw tooManyTokens()
  for (let id = first; id <= last; id++) supplies.set(id, args.to === zeroAddress ? 0n : 1n)
}

function applyErc1155({ eventName, args }: Log, supplies: Map<bigint, bigint>): void {
  if (eventName !== 'TransferSingle' && eventName !== 'TransferBatch') return
  const sign = BigInt(Number(args.from === zeroAddress) - Number(args.to === zeroAddress))
  const [ids, values] = 'id' in args ? [[args.id], [args.value]] : [args.ids, args.values]
  for (const [i, id] of ids.entries())
    supplies.set(id, (supplies.get(id) ?? 0n) + sign * (values[i] ?? 0n))
}
