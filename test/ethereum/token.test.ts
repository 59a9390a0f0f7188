import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import type { ContractItem, Log } from '../../src/ethereum/contract.ts'
import type { Reply } from '../../src/ethereum/requests.ts'
import {
  cancelItem,
  contractAmount,
  type OrderedToken,
  parseTransfer,
  readStandard,
  standardRequests,
  takeTransfer,
} from '../../src/ethereum/token.ts'

const address = (digit: string): Address => getAddress(`0x${digit.repeat(40)}`)
const token = address('a')
const holder = address('b')
const buyer = address('c')
const stranger = address('d')
const KEY: Hex = `0x${'07'.repeat(32)}`

describe('an order', () => {
  const order: OrderedToken = {
    contractAddr: token.toLowerCase(),
    tokenId: '7',
    quantity: 3,
    holder: holder.toLowerCase(),
    recipient: buyer.toLowerCase(),
  }

  it('becomes a transfer in the types of the chain', () => {
    const transfer = { token, from: holder, to: buyer, tokenId: 7n, quantity: 3n }
    expect(parseTransfer(order)).toEqual(transfer)
  })

  const MAX = 2n ** 256n - 1n

  it('may have any token id that a chain has', () => {
    expect(parseTransfer({ ...order, tokenId: `${MAX}` })).toMatchObject({ tokenId: MAX })
    expect(parseTransfer({ ...order, tokenId: '0' })).toMatchObject({ tokenId: 0n })
  })

  it.each<[string, Partial<OrderedToken>]>([
    ['invalid_token_address', { contractAddr: '' }],
    ['invalid_token_id', { tokenId: null }],
    ['invalid_token_id', { tokenId: '-1' }],
    ['invalid_token_id', { tokenId: `${MAX + 1n}` }],
    ['invalid_recipient', { recipient: null }],
    ['seller_has_no_wallet', { holder: '' }],
    ['invalid_quantity', { quantity: 0 }],
    ['invalid_quantity', { quantity: 1.5 }],
  ])('cannot be delivered because %s: %o', (reason, wrong) => {
    expect(parseTransfer({ ...order, ...wrong })).toBe(reason)
  })

  it('has the amount 0 for the contract if the token is ERC-721', () => {
    const transfer = { token, from: holder, to: buyer, tokenId: 7n, quantity: 1n }
    expect(contractAmount(transfer, 'erc721')).toBe(0n)
    expect(contractAmount(transfer, 'erc1155')).toBe(1n)
  })
})

it('cancels with an item that has nothing but its key', () => {
  const none = { token: zeroAddress, from: zeroAddress, to: zeroAddress, tokenId: 0n, amount: 0n }
  expect(cancelItem(KEY)).toEqual({ key: KEY, ...none })
})

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

const logOf = (topics: readonly unknown[], data: Hex): Log => ({
  address: token,
  topics: topics.filter((topic): topic is Hex => typeof topic === 'string'),
  data,
})
type Parties = { from?: Address; to?: Address }
const transfer = (id: bigint, { from = holder, to = buyer }: Parties = {}): Log =>
  logOf(encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to, id } }), '0x')
const single = (id: bigint, value: bigint, { from = holder, to = buyer }: Parties = {}): Log =>
  logOf(
    encodeEventTopics({ abi, eventName: 'TransferSingle', args: { operator: stranger, from, to } }),
    encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [id, value]),
  )
const batch = (ids: bigint[], values: bigint[], { from = holder, to = buyer }: Parties = {}): Log =>
  logOf(
    encodeEventTopics({ abi, eventName: 'TransferBatch', args: { operator: stranger, from, to } }),
    encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, values]),
  )
const unique: ContractItem = { key: KEY, token, from: holder, to: buyer, tokenId: 7n, amount: 0n }
const edition: ContractItem = { ...unique, amount: 3n }

describe('the event that proves a transfer', () => {
  it.each<[string, ContractItem, Log]>([
    ['Transfer for ERC-721', unique, transfer(7n)],
    ['TransferSingle for ERC-1155', edition, single(7n, 3n)],
    ['TransferBatch for ERC-1155', edition, batch([7n], [3n])],
    ['TransferBatch with other tokens', edition, batch([6n, 7n, 8n], [1n, 3n, 1n])],
    ['of a token in another spelling', unique, { ...transfer(7n), address: `0x${'a'.repeat(40)}` }],
  ])('is %s', (_, item, log) => {
    const other = transfer(99n)
    const logs = [other, log]
    expect(takeTransfer(logs, item)).toBeDefined()
    expect(logs).toEqual([other])
  })

  it.each<[string, ContractItem, Log]>([
    ['of another token contract', unique, { ...transfer(7n), address: stranger }],
    ['from another wallet', unique, transfer(7n, { from: stranger })],
    ['to another wallet', unique, transfer(7n, { to: stranger })],
    ['of another token', unique, transfer(8n)],
    ['of an edition, if the item is unique', unique, single(7n, 0n, { from: stranger })],
    ['of a unique token, if the item is an edition', edition, transfer(7n)],
    ['single, to another wallet', edition, single(7n, 3n, { to: stranger })],
    ['single, of fewer pieces', edition, single(7n, 2n)],
    ['single, of more pieces', edition, single(7n, 4n)],
    ['single, with data that are cut off', edition, { ...single(7n, 3n), data: '0x07' }],
    ['in a batch, from another wallet', edition, batch([7n], [3n], { from: stranger })],
    ['in a batch, with the pieces of another token', edition, batch([7n, 8n], [1n, 3n])],
    ['in a batch, with data that are cut off', edition, { ...batch([7n], [3n]), data: '0x' }],
    ['with too few topics', unique, { ...transfer(7n), topics: transfer(7n).topics.slice(0, 3) }],
    [
      'of another kind',
      unique,
      { ...transfer(7n), topics: [KEY, ...transfer(7n).topics.slice(1)] },
    ],
  ])('is not an event %s', (_, item, log) => {
    const logs = [log]
    expect(takeTransfer(logs, item)).toBeUndefined()
    expect(logs).toEqual([log])
  })

  it('proves one item only', () => {
    const logs = [single(7n, 3n), single(7n, 3n)]
    expect(
      [edition, edition, edition].map((item) => takeTransfer(logs, item) !== undefined),
    ).toEqual([true, true, false])
  })
})

const word = (value: bigint): Reply => ({ result: `0x${value.toString(16).padStart(64, '0')}` })
const reverted: Reply = { error: { code: 3, message: 'execution reverted' } }

describe('the standard of a token', () => {
  const [isErc721] = standardRequests(token)
  const read = (erc721: Reply, erc1155: Reply) =>
    readStandard(token, (request) =>
      JSON.stringify(request) === JSON.stringify(isErc721) ? erc721 : erc1155,
    )

  it.each<[string | null, Reply, Reply]>([
    ['erc721', word(1n), word(0n)],
    ['erc1155', reverted, word(1n)],
    [null, reverted, reverted],
    // A contract that accepts every call, and an account without code.
    [null, word(2n), word(2n)],
    [null, { result: '0x' }, { result: '0x' }],
    [null, { fault: 'no answer' }, { fault: 'no answer' }],
  ])('is %s if the token says %o and %o', (standard, erc721, erc1155) => {
    expect(read(erc721, erc1155)).toBe(standard)
  })
})
