/** Calls of nodes, with errors that an operator understands. */
import {
  type Abi,
  type Account,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createClient,
  fallback,
  getAddress,
  type Hash,
  http,
  isHex,
  publicActions,
  walletActions,
} from 'viem'
import { CommandError } from '../../shell/command.ts'
import type { Network } from './networks.ts'

export type Node = ReturnType<typeof createNode>

/** Returns a client that tries the nodes in this order. */
export const createNode = (rpcUrls: readonly string[]) =>
  createClient({
    transport: fallback(rpcUrls.map((url) => http(url))),
    pollingInterval: 500,
  })
    .extend(publicActions)
    .extend(walletActions)

/** Throws a `CommandError` if no node responds, or if it is on another chain than configured. */
export async function connect({ name, chainId, rpcUrls }: Network): Promise<Node> {
  const node = createNode(rpcUrls)
  const hosts = rpcUrls.map((url) => new URL(url).host).join(', ')
  const actual = await attempt(`Reading the chain id of ${name} from ${hosts}`, node.getChainId())
  if (actual === chainId) return node
  throw new CommandError(
    `The node of ${name} (${hosts}) has chain id ${actual}. Configured is ${chainId}.`,
  )
}

/** Waits until a transaction is mined. Throws a `CommandError` if it cannot be sent or reverts. */
export async function confirm(node: Node, sent: Promise<Hash>) {
  const hash = await attempt('The transaction', sent)
  const mined = node.waitForTransactionReceipt({ hash })
  const receipt = await attempt(`Reading the receipt of ${hash}`, mined)
  if (receipt.status === 'success') return receipt
  throw new CommandError(`The transaction ${hash} reverted.`)
}

/** Deploys a contract, and returns its address. Throws a `CommandError` if it cannot. */
export async function deployCode(
  node: Node,
  account: Account,
  { bytecode, ...code }: { abi: Abi; bytecode: string; args: readonly unknown[] },
): Promise<Address> {
  if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
  const sent = node.deployContract({ ...code, bytecode, account, chain: null })
  const { contractAddress } = await confirm(node, sent)
  if (!contractAddress) throw new Error('the receipt has no address')
  return getAddress(contractAddress)
}

/** What the contract reverts with if a command cannot be carried out. */
const explanations: Record<string, string> = {
  'Ownable: caller is not the owner': 'this account is not the owner of the contract',
  'Ownable2Step: caller is not the new owner': 'this account is not the next owner of the contract',
  NotGuardian: 'this account is neither the owner nor the guardian of the contract',
  NotRelayer: 'this account is neither the owner, the guardian nor a relayer of the contract',
  'Pausable: paused': 'the contract is paused already',
  'Pausable: not paused': 'the contract is not paused',
  AlreadyRetired: 'the contract is retired',
}

/**
 * Waits for the answer of a node. Throws a `CommandError` that says what failed and why, without
 * the URL, which may contain a key.
 */
export async function attempt<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const reason = readReason(error)
    throw new CommandError(`${what} failed: ${explanations[reason] ?? reason}`, { cause: error })
  }
}

/** Returns why a call failed: in the words of the contract, or of the node without its URL. */
function readReason(error: BaseError): string {
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (!(reverted instanceof ContractFunctionRevertedError))
    return `${error.shortMessage} ${error.details}`.trim()
  return reverted.reason ?? reverted.data?.errorName ?? reverted.shortMessage
}

/** Whether a call failed because the contract does not have the function, or reverts. */
export const isContractError = (error: unknown): boolean =>
  isCausedBy(error, ContractFunctionRevertedError, ContractFunctionZeroDataError)

type ErrorClass = new (...args: never[]) => Error

export const isCausedBy = (error: unknown, ...classes: ErrorClass[]): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => classes.some((type) => cause instanceof type)) !== null
