/** Every answer of a node that the Worker asks for, and the fields that it has. */
import { toFunctionSelector } from 'viem'
import { deliveryAbi } from '../../../../contracts/delivery-abi.ts'
import { trialAbi } from '../../../../contracts/trial.ts'

export type Call = { jsonrpc: '2.0'; id: number; method: string; params?: readonly unknown[] }
export type Answer = { jsonrpc: '2.0'; id: number; result?: unknown; error?: unknown }

/** What a field holds. It decides which hostile values there are. */
export type Kind =
  | 'number'
  | 'time'
  | 'hash'
  | 'address'
  | 'data'
  /** A list of words of 32 bytes: what a contract returns. */
  | 'words'
  /** A whole answer. */
  | 'answer'
  /** The answer to a broadcast. */
  | 'broadcast'
  /** A receipt, a transaction or a log, of which several fields change together. */
  | 'place'

/** `path`: names and positions, separated by dots. `*` is a position that the case draws. */
export type Field = { path: string; kind: Kind }

const field = (path: string, kind: Kind): Field => ({ path, kind })

const block = [
  field('number', 'number'),
  field('hash', 'hash'),
  field('timestamp', 'time'),
  field('baseFeePerGas', 'number'),
]
const mined = [field('blockNumber', 'number'), field('blockHash', 'hash'), field('', 'place')]
const log = (path: string) => [
  field(`${path}.address`, 'address'),
  field(`${path}.topics`, 'answer'),
  field(`${path}.topics.0`, 'hash'),
  field(`${path}.topics.*`, 'hash'),
  field(`${path}.data`, 'data'),
  field(`${path}.data`, 'words'),
]
const words = [field('', 'words')]

/** The moments at which a lie can begin. */
export const moments = [
  'from the first minute',
  'before signing',
  'while in flight',
  'in a block that is not final',
  'after all is final',
  'while transactions are searched',
  'at the daily comparison',
] as const
export type Moment = (typeof moments)[number]

const [START, SIGNING, IN_FLIGHT, MINED, FINAL, SEARCH, DAILY] = moments

type Target = {
  fields: readonly Field[]
  /** When the Worker asks for it. */
  at: readonly Moment[]
}

/** Calls by name, as `nameOf` returns it. */
export const targets = {
  eth_chainId: { fields: [field('', 'number')], at: moments },
  'eth_getBlockByNumber latest': { fields: block, at: moments },
  'eth_getBlockByNumber N': { fields: block, at: moments },
  eth_maxPriorityFeePerGas: { fields: [field('', 'number')], at: [START, SIGNING, FINAL] },
  eth_getTransactionCount: { fields: [field('', 'number')], at: moments },
  eth_getBalance: { fields: [field('', 'number')], at: [START, SIGNING, FINAL] },
  eth_getCode: { fields: [field('', 'data')], at: [START, SIGNING] },
  eth_estimateGas: { fields: [field('', 'number')], at: [START, SIGNING, FINAL] },
  eth_sendRawTransaction: {
    fields: [field('', 'broadcast')],
    at: [START, SIGNING, IN_FLIGHT, FINAL],
  },
  eth_getTransactionReceipt: {
    fields: [
      ...mined,
      field('transactionHash', 'hash'),
      field('status', 'number'),
      field('from', 'address'),
      field('gasUsed', 'number'),
      field('effectiveGasPrice', 'number'),
      field('l1Fee', 'number'),
      field('logs', 'answer'),
      ...log('logs.*'),
    ],
    at: [START, SIGNING, IN_FLIGHT, MINED, SEARCH, DAILY],
  },
  eth_getTransactionByHash: {
    fields: [
      ...mined,
      field('hash', 'hash'),
      field('nonce', 'number'),
      field('nonce', 'number'),
      field('from', 'address'),
      field('to', 'address'),
      field('input', 'data'),
    ],
    at: [SEARCH, DAILY],
  },
  eth_getLogs: {
    fields: [
      field('', 'answer'),
      ...log('*'),
      field('*.transactionHash', 'hash'),
      field('*.blockNumber', 'number'),
      field('*.blockHash', 'hash'),
      field('*', 'answer'),
    ],
    at: [SEARCH, DAILY],
  },
  'eth_call records': { fields: words, at: moments },
  'eth_call paused': { fields: words, at: [START, SIGNING, IN_FLIGHT, FINAL] },
  'eth_call retired': { fields: words, at: [START, SIGNING, IN_FLIGHT, FINAL] },
  'eth_call owner': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call pendingOwner': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call predecessor': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call relayerLimit': { fields: words, at: [START, SIGNING, IN_FLIGHT, FINAL] },
  'eth_call tokenLimit': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call relayerList': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call handOvers': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call deliver': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call supportsInterface': { fields: words, at: [START, SIGNING] },
  'eth_call getL1Fee': { fields: words, at: [START, SIGNING, FINAL] },
  'eth_call isApprovedForAll': { fields: words, at: [START, SIGNING] },
  'eth_call hasRole': { fields: words, at: [START, SIGNING] },
  'eth_call ownerOf': { fields: words, at: [START, SIGNING] },
  'eth_call balanceOf': { fields: words, at: [START, SIGNING] },
  'eth_call trial': { fields: words, at: [START, SIGNING] },
  'eth_call of a token': { fields: words, at: [START, SIGNING] },
} as const satisfies Record<string, Target>

export type TargetName = keyof typeof targets

const isTarget = (name: string): name is TargetName => name in targets

/** Functions of tokens and of a chain that are asked for themselves. */
const signatures = [
  'owner()',
  'pendingOwner()',
  'supportsInterface(bytes4)',
  'getL1Fee(bytes)',
  'isApprovedForAll(address,address)',
  'hasRole(bytes32,address)',
  'ownerOf(uint256)',
  'balanceOf(address,uint256)',
]

/** Transfers and mints that are tried. */
const trials = [
  'safeMint(address,uint256)',
  'mint(address,uint256,uint256,bytes)',
  'safeTransferFrom(address,address,uint256)',
  'safeTransferFrom(address,address,uint256,uint256,bytes)',
]

const functions = new Map<string, string>([
  [toFunctionSelector('handOvers(address)'), 'handOvers'],
  ...trialAbi.map((item) => [toFunctionSelector(item), 'trial'] as const),
  ...deliveryAbi.flatMap((item) =>
    item.type === 'function' ? [[toFunctionSelector(item), item.name] as const] : [],
  ),
  ...signatures.map((text) => [toFunctionSelector(text), text.replace(/\(.*/, '')] as const),
  ...trials.map((text) => [toFunctionSelector(text), 'of a token'] as const),
])

/** Returns the name of a call; null if no lie is written for it. */
export function nameOf({ method, params }: Call): TargetName | null {
  const [first] = params ?? []
  const detail =
    method === 'eth_call'
      ? ` ${functions.get(`${Object(first).data}`.slice(0, 10))}`
      : method === 'eth_getBlockByNumber'
        ? first === 'latest'
          ? ' latest'
          : ' N'
        : ''
  const name = method + detail
  return isTarget(name) ? name : null
}
