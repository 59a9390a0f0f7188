/** Limits of the token contracts that are for sale, and whether the Delivery contract can mint. */
import { type Address, BaseError, erc1155Abi, getAddress, isAddress, parseAbi } from 'viem'
import { type Contract, hasCode } from './delivery.ts'
import type { TokenForSale } from './for-sale.ts'
import { attempt, isContractError, type Node, readReason } from './node.ts'
import { describeLimit, describeTime } from './status.ts'

/** The two functions that the contract calls. */
const mintAbi = parseAbi([
  'function safeMint(address to, uint256 tokenId)',
  'function mint(address to, uint256 id, uint256 amount, bytes data)',
])

const ERC721_INTERFACE = '0x80ac58cd'

/** An account without code, so that only the token can refuse. Nothing is sent to it. */
const RECIPIENT = '0x000000000000000000000000000000000000dEaD'

/** Returns the lines of `npm run contract -- status` about the token contracts. */
export async function describeTokens(
  node: Node,
  contract: Contract,
  tokens: readonly TokenForSale[],
): Promise<string[]> {
  const names = [...new Set(tokens.map(({ token }) => token))]
  const lines = [`tokens       ${names.length} for sale`]
  for (const token of names) lines.push(...(await describeToken(contract, token)))

  const mints = tokens.filter(({ fulfilment }) => fulfilment === 'mint')
  const problems = await findMintProblems(node, contract, mints)
  return [
    ...lines,
    `mints        ${problems.length} of ${mints.length} not possible`,
    ...problems.map(({ token, problem }) => `  ${token} cannot be minted: ${problem}`),
  ]
}

/** Returns the tokens that the contract cannot mint, and why. */
export async function findMintProblems(
  node: Node,
  contract: Contract,
  mints: readonly TokenForSale[],
): Promise<{ token: string; problem: string }[]> {
  const problems: { token: string; problem: string }[] = []
  for (const mint of mints) {
    const problem = await findMintProblem(node, contract, mint)
    if (problem) problems.push({ token: mint.token, problem })
  }
  return problems
}

/** Returns lines about the limit of a token contract, and about an announced owner of it. */
export async function describeToken({ read }: Contract, text: string): Promise<string[]> {
  if (!isAddress(text, { strict: false })) return [`  ${text}  not an address`]
  const token = getAddress(text)
  const reads = Promise.all([read.tokenLimit([token]), read.handOvers([token])])
  const [limit, [newOwner, effectiveAt]] = await attempt(`Reading the limit of ${token}`, reads)
  return [
    `  ${token}  ${limit.isSet ? describeLimit(limit) : 'no limit'}`,
    ...(effectiveAt === 0n
      ? []
      : [`    can be handed over to ${newOwner} from ${describeTime(effectiveAt)} on`]),
  ]
}

/** Returns why the contract cannot mint the token; undefined if it can. */
async function findMintProblem(
  node: Node,
  { address: minter, read }: Contract,
  { token: text, tokenId }: TokenForSale,
): Promise<string | undefined> {
  if (!isAddress(text, { strict: false }) || !/^\d+$/.test(tokenId ?? ''))
    return 'address or token id is invalid'
  const token = getAddress(text)
  if (!(await hasCode(node, token))) return 'there is no contract'
  const { isSet } = await attempt(`Reading the limit of ${token}`, read.tokenLimit([token]))
  if (!isSet) return 'it has no limit'
  const simulation = attempt(
    `Simulating a mint of ${token}`,
    simulateMint(node, token, BigInt(tokenId ?? 0), minter),
  )
  const refusal = await simulation.then(
    () => undefined,
    (error: Error) => {
      if (isContractError(error.cause)) return error.cause
      throw error
    },
  )
  if (!(refusal instanceof BaseError)) return undefined
  return `the token refuses it (${readReason(refusal)})`
}

async function simulateMint(node: Node, address: Address, id: bigint, account: Address) {
  const call = { address, abi: mintAbi, account }
  if (await isErc721(node, address))
    await node.simulateContract({ ...call, functionName: 'safeMint', args: [RECIPIENT, id] })
  else
    await node.simulateContract({ ...call, functionName: 'mint', args: [RECIPIENT, id, 1n, '0x'] })
}

async function isErc721(node: Node, address: Address): Promise<boolean> {
  try {
    const call = { address, abi: erc1155Abi, functionName: 'supportsInterface' } as const
    return await node.readContract({ ...call, args: [ERC721_INTERFACE] })
  } catch (error) {
    if (isContractError(error)) return false
    throw error
  }
}
