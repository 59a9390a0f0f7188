/** Changes of a Delivery contract: sent with a key, or printed for a multi-signature wallet. */
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  getAbiItem,
  type Hash,
  type LocalAccount,
} from 'viem'
import { deliveryAbi } from '../../../contracts/delivery-abi.ts'
import { parseInteger } from '../../shell/command.ts'
import { type Limit, requireDelivery, sendAs } from './delivery.ts'
import { type Network, parseAddress } from './networks.ts'
import { confirm, type Node } from './node.ts'

/** The ABI without the type of each function. */
const abi: Abi = deliveryAbi

/** A call of the contract. */
export type Change = { functionName: string; args: readonly unknown[] }

type Changing = ContractFunctionName<typeof deliveryAbi, 'nonpayable'>

/** Returns a call with the types of the ABI. */
const aChange = <Name extends Changing>(
  functionName: Name,
  args: ContractFunctionArgs<typeof deliveryAbi, 'nonpayable', Name> & readonly unknown[],
): Change => ({ functionName, args })

type LimitOptions = { capacity?: string; 'per-day'?: string }

export type ChangeOptions = LimitOptions & { relayer?: string; token?: string; owner?: string }

const relayerIn = ({ relayer }: ChangeOptions) => parseAddress('--relayer', relayer)
const tokenIn = ({ token }: ChangeOptions) => parseAddress('--token', token)
const ownerIn = ({ owner }: ChangeOptions) => parseAddress('--owner', owner)

/** Parses the options of a limit. Throws a `CommandError`. */
export function parseLimit(options: LimitOptions, minCapacity: number): Limit {
  const { capacity = '', 'per-day': perDay = '' } = options
  return {
    capacity: BigInt(parseInteger('--capacity', capacity, minCapacity)),
    perDay: BigInt(parseInteger('--per-day', perDay)),
  }
}

/** The calls by the name of the action. */
const changes = {
  'set-relayer': (options) => {
    const { capacity, perDay } = parseLimit(options, 1)
    return aChange('setRelayer', [relayerIn(options), capacity, perDay])
  },
  'remove-relayer': (options) => aChange('setRelayer', [relayerIn(options), 0n, 0n]),
  'set-token-limit': (options) => {
    const { capacity, perDay } = parseLimit(options, 0)
    return aChange('setTokenLimit', [tokenIn(options), capacity, perDay])
  },
  'hand-over': (options) => aChange('handOver', [tokenIn(options), ownerIn(options)]),
  'transfer-ownership': (options) => aChange('transferOwnership', [ownerIn(options)]),
  'accept-ownership': () => aChange('acceptOwnership', []),
  pause: () => aChange('pause', []),
  unpause: () => aChange('unpause', []),
  retire: () => aChange('retire', []),
} satisfies Record<string, (options: ChangeOptions) => Change>

/** Returns the call that an action makes. Throws a `CommandError` if an option is wrong. */
export const parseChange = (action: keyof typeof changes, options: ChangeOptions): Change =>
  changes[action](options)

/** Returns the transaction that a wallet has to send, as lines. */
export function describeChange(network: Network, { functionName, args }: Change): string[] {
  const item = getAbiItem({ abi, name: functionName })
  const inputs = item && 'inputs' in item ? (item.inputs ?? []) : []
  const values = inputs.map(({ name }, i) => `${name} = ${args[i]}`)
  return [
    `chain  ${network.chainId}`,
    `to     ${requireDelivery(network)}`,
    'value  0',
    `data   ${encodeFunctionData({ abi, functionName, args })}`,
    `call   ${functionName}(${values.join(', ')})`,
  ]
}

/** Sends the call from the account, waits until it is mined, and returns its hash. */
export async function sendChange(
  node: Node,
  address: Address,
  account: LocalAccount,
  change: Change,
): Promise<Hash> {
  const call = { address, abi, ...change }
  // A relayer that delivers before the change can make it dearer.
  const send = async () => {
    const gas = (await node.estimateContractGas({ ...call, account })) * 2n
    return node.writeContract({ ...call, gas, ...sendAs(account) })
  }
  return (await confirm(node, send())).transactionHash
}
