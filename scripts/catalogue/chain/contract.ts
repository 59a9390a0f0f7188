/** What a token contract says about itself. */
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddress,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import * as z from 'zod'
import { codeOf, hex, read } from '../../../src/ethereum/questions.ts'
import type { Ask, Question, Reply } from '../../../src/ethereum/rpc.ts'
import { CommandError } from '../../shell/command.ts'

const abi = parseAbi([
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function name() view returns (string)',
  'function owner() view returns (address)',
  'function totalSupply() view returns (uint256)',
  'function tokenByIndex(uint256 index) view returns (uint256)',
  'function tokenURI(uint256 id) view returns (string)',
  'function uri(uint256 id) view returns (string)',
])

type Name = (typeof abi)[number]['name']

/** A call at a block, by default the newest one. */
export function callOf(
  to: Address,
  functionName: Name,
  args: readonly (bigint | Hex)[] = [],
  block?: number,
): Question {
  const call: { abi: Abi; functionName: string; args: readonly unknown[] } = {
    abi,
    functionName,
    args,
  }
  const at = block === undefined ? 'latest' : numberToHex(block)
  return { method: 'eth_call', params: [{ to, data: encodeFunctionData(call) }, at] }
}

/** Returns what a call returned; undefined if it failed or returned something of another shape. */
export function resultOf<T>(shape: z.ZodType<T>, functionName: Name, reply: Reply): T | undefined {
  const data = read(hex, reply)
  if (data === null) return undefined
  const call: { abi: Abi; functionName: string; data: Hex } = { abi, functionName, data }
  try {
    return shape.safeParse(decodeFunctionResult(call)).data
  } catch {
    return undefined
  }
}

const account = z.custom<Address>((value) => typeof value === 'string' && isAddress(value))

export type TokenContract = {
  address: Address
  standard: 'erc721' | 'erc1155'
  /** Whether it lists its tokens (ERC-721 enumerable). */
  isEnumerable: boolean
  /** As it says; undefined if it does not. */
  name: string | undefined
  owner: Address | undefined
}

/** Asks a contract what it is. Throws a `CommandError` if it is no token contract. */
export async function readContract(ask: Ask, address: Address): Promise<TokenContract> {
  const supports = (id: Hex) => callOf(address, 'supportsInterface', [id])
  const questions = {
    code: codeOf(address),
    erc721: supports('0x80ac58cd'),
    erc1155: supports('0xd9b67a26'),
    enumerable: supports('0x780e9d63'),
    name: callOf(address, 'name'),
    owner: callOf(address, 'owner'),
  }
  const replies = await ask(Object.values(questions))
  if (read(hex, replies(questions.code)) === '0x')
    throw new CommandError(`There is no contract at ${address}.`)
  const isTrue = (question: Question) =>
    resultOf(z.boolean(), 'supportsInterface', replies(question)) === true
  const isErc721 = isTrue(questions.erc721)
  if (!isErc721 && !isTrue(questions.erc1155))
    throw new CommandError(
      `The contract at ${address} is neither ERC-721 nor ERC-1155: it does not say so by ERC-165.`,
    )
  const owner = resultOf(account, 'owner', replies(questions.owner))
  return {
    address,
    standard: isErc721 ? 'erc721' : 'erc1155',
    isEnumerable: isErc721 && isTrue(questions.enumerable),
    name: resultOf(z.string(), 'name', replies(questions.name)),
    owner: owner === zeroAddress ? undefined : owner,
  }
}

/** Returns the number of tokens at a block; undefined if the contract does not tell. */
export async function readTotalSupply(ask: Ask, address: Address, block: number) {
  const question = callOf(address, 'totalSupply', [], block)
  return resultOf(z.bigint(), 'totalSupply', (await ask([question]))(question))
}

/**
 * Returns the first block in which the contract has code, up to `last`. Nodes without old states
 * cannot tell: then it is 0.
 */
export async function findFirstBlock(ask: Ask, address: Address, last: number): Promise<number> {
  let [low, high] = [0, last]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const question = { ...codeOf(address), params: [address, numberToHex(middle)] }
    const code = read(hex, (await ask([question]))(question))
    if (code === null) return 0
    if (code === '0x') low = middle + 1
    else high = middle
  }
  return low
}
