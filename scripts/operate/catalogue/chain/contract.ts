/** A token contract on a node, and what it says about itself. */
import {
  type Address,
  type Hex,
  HttpRequestError,
  parseAbi,
  RpcError,
  RpcRequestError,
  TimeoutError,
  zeroAddress,
} from 'viem'
import { CommandError } from '../../../shell/command.ts'
import type { Network } from '../../contract/networks.ts'
import { attempt, connect, isCausedBy, isContractError } from '../../contract/node.ts'

export const abi = parseAbi([
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function name() view returns (string)',
  'function owner() view returns (address)',
  'function tokenURI(uint256 id) view returns (string)',
  'function uri(uint256 id) view returns (string)',
])

export type TokenContract = Awaited<ReturnType<typeof openContract>>

/**
 * Asks a contract what it is. Name and owner are undefined if it does not tell. Throws a `CommandError`
 * if it is no token contract.
 */
export async function openContract(network: Network, address: Address) {
  // One node, because another one may lack the newest blocks.
  const node = await connect({ ...network, rpcUrls: network.rpcUrls.slice(0, 1) })
  const call = { address, abi } as const
  const supports = (id: Hex) =>
    unlessReverted(node.readContract({ ...call, functionName: 'supportsInterface', args: [id] }))
  const [isErc721, isErc1155, name, owner] = await Promise.all([
    supports('0x80ac58cd'),
    supports('0xd9b67a26'),
    unlessReverted(node.readContract({ ...call, functionName: 'name' })),
    unlessReverted(node.readContract({ ...call, functionName: 'owner' })),
  ])
  if (!isErc721 && !isErc1155)
    throw new CommandError(`${address} on ${network.name} is no ERC-721 or ERC-1155 contract.`)
  const standard: 'erc721' | 'erc1155' = isErc721 ? 'erc721' : 'erc1155'
  return {
    ...{ network, node, address, standard, name },
    owner: owner === zeroAddress ? undefined : owner,
  }
}

/** Returns undefined if the contract does not have the function, reverts, or returns nonsense. */
export async function unlessReverted<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (isContractError(error) || !isCausedBy(error, RpcError, RpcRequestError, ...silences))
      return undefined
    return attempt('Reading the contract', call)
  }
}

const silences = [HttpRequestError, TimeoutError] as const

/** Whether the node has not answered, in contrast to an error that it has answered. */
export const isSilence = (result: unknown): result is CommandError =>
  result instanceof CommandError && isCausedBy(result.cause, ...silences)
