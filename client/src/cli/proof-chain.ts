/** Whether the chain has what a proof says. */
import {
  type Address,
  BaseError,
  type Client,
  createClient,
  encodeAbiParameters,
  type Hex,
  http,
  isAddressEqual,
  keccak256,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  zeroAddress,
} from 'viem'
import { getChainId, getTransactionReceipt, readContract } from 'viem/actions'
import type { Check, Proof } from './proof.ts'

/** What is used of the Delivery contract and of the two token standards. */
const abi = parseAbi([
  'struct Record { uint64 blockNumber; bytes24 contentHash; }',
  'function records(bytes32[] keys) view returns (uint256, uint256, Record[])',
  'event Delivered(bytes32 indexed key, address indexed relayer, address indexed token, address from, address to, uint256 tokenId, uint256 amount)',
])
const erc721 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
])
const erc1155 = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

const passed = (name: string, says: string): Check => ({ name, outcome: 'passed', says })
const failed = (name: string, says: string): Check => ({ name, outcome: 'failed', says })
const skipped = (name: string, says: string): Check => ({ name, outcome: 'skipped', says })

/** Milliseconds that the node has for all its answers. */
const TIMEOUT = 30_000

/** Checks the content hash, then asks a node for the chain, the record of the key and the transaction. */
export async function checkDelivery(proof: Proof, rpc: string): Promise<Check[]> {
  // The time limit of viem ends when a body begins.
  const fetchOptions = { signal: AbortSignal.timeout(TIMEOUT) }
  const client = createClient({ transport: http(rpc, { retryCount: 1, fetchOptions }) })
  const chain = await checked('chain', () => checkChain(client, proof))
  if (chain.outcome === 'failed') return [checkContent(proof), chain]
  return [
    checkContent(proof),
    chain,
    await checked('record', () => checkRecord(client, proof)),
    await checked('transaction', () => checkTransaction(client, proof)),
  ]
}

/** Returns a failed check if the node does not answer, or says something else than it should. */
async function checked(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError)
      return failed(name, 'The node does not have it. Is the node behind, or was the block lost?')
    const reason = error instanceof BaseError ? error.shortMessage : String(error)
    return failed(name, `The node does not tell: ${reason.replaceAll('\n', ' ')}`)
  }
}

/** The same hash as the contract stores with the key. */
function checkContent({ content, contentHash }: Proof): Check {
  const { token, to, tokenId, amount } = content
  const types = parseAbiParameters('address, address, uint256, uint256')
  const values = [token as Address, to as Address, BigInt(tokenId), BigInt(amount)] as const
  const hash = keccak256(encodeAbiParameters(types, values)).slice(0, contentHash.length)
  return hash === contentHash
    ? passed('content', `The content has the hash ${contentHash}.`)
    : failed('content', `The content has the hash ${hash}, not ${contentHash}.`)
}

async function checkChain(client: Client, { chainId }: Proof): Promise<Check> {
  const found = await getChainId(client)
  return found === chainId
    ? passed('chain', `The node is on chain ${chainId}.`)
    : failed('chain', `The node is on chain ${found}, not on ${chainId}: use another one.`)
}

async function checkRecord(client: Client, proof: Proof): Promise<Check> {
  const { contract, deliveryKey, contentHash, blockNumber } = proof
  const [, , [record]] = await readContract(client, {
    address: contract as Address,
    abi,
    functionName: 'records',
    args: [[deliveryKey as Hex]],
  })
  if (!record || record.blockNumber === 0n)
    return failed(
      'record',
      `${contract} has not used the key. Is the node behind, or was the block lost?`,
    )
  if (record.contentHash !== contentHash)
    return failed('record', `${contract} has used the key for something else.`)
  if (blockNumber !== null && record.blockNumber !== BigInt(blockNumber))
    return failed(
      'record',
      `The key was used in block ${record.blockNumber}, not ${blockNumber}: the chain was reorganized. Download the proof again.`,
    )
  return passed('record', `${contract} has used the key for this, in block ${record.blockNumber}.`)
}

async function checkTransaction(client: Client, proof: Proof): Promise<Check> {
  const { transaction, blockNumber, blockHash } = proof
  if (transaction === null)
    return skipped(
      'transaction',
      'The marketplace does not know which one it was. The record suffices.',
    )
  const receipt = await getTransactionReceipt(client, { hash: transaction as Hex })
  if (receipt.blockHash !== blockHash || receipt.blockNumber !== BigInt(blockNumber ?? -1))
    return failed(
      'transaction',
      `It is in block ${receipt.blockNumber} (${receipt.blockHash}), not ${blockNumber} (${blockHash}): the chain was reorganized. Download the proof again.`,
    )
  const delivered = findDelivered(receipt, proof)
  if (!delivered) return failed('transaction', 'It has no event of the contract that says this.')
  if (!hasTransfer(receipt, proof, delivered.from))
    return failed('transaction', 'It has no event of the token that says that it has moved.')
  const what = delivered.from === zeroAddress ? 'minted it' : `took it from ${delivered.from}`
  return passed('transaction', `${transaction} ${what}, in block ${blockNumber}.`)
}

/** Returns what the contract says of the key; undefined if that is something else than the proof. */
function findDelivered({ logs }: TransactionReceipt, { contract, deliveryKey, content }: Proof) {
  return parseEventLogs({ abi, logs, eventName: 'Delivered' })
    .filter(({ address, args }) => isSame(address, contract) && args.key === deliveryKey)
    .map(({ args }) => args)
    .find(
      ({ token, to, tokenId, amount }) =>
        isSame(token, content.token) &&
        isSame(to, content.to) &&
        tokenId === BigInt(content.tokenId) &&
        amount === BigInt(content.amount),
    )
}

/** Whether the token says that it has moved from the holder to the recipient. */
function hasTransfer({ logs }: TransactionReceipt, { content }: Proof, holder: Address): boolean {
  const [id, amount] = [BigInt(content.tokenId), BigInt(content.amount)]
  const ofToken = logs.filter(({ address }) => isSame(address, content.token))
  const isMove = ({ from, to }: { from: Address; to: Address }) =>
    isSame(from, holder) && isSame(to, content.to)
  if (amount === 0n)
    return parseEventLogs({ abi: erc721, logs: ofToken }).some(
      ({ args }) => isMove(args) && args.tokenId === id,
    )
  return parseEventLogs({ abi: erc1155, logs: ofToken }).some(({ args }) => {
    if (!isMove(args)) return false
    if ('id' in args) return args.id === id && args.value === amount
    return args.ids.some((one, i) => one === id && args.values[i] === amount)
  })
}

const isSame = (a: string, b: string) => isAddressEqual(a as Address, b as Address)
