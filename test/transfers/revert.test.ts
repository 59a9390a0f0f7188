import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { isRevert, revertReason, unheard } from '../../src/transfers/revert.ts'

const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
])
const wallet = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const reverted = (data: unknown) => ({ code: 3, message: 'execution reverted', data })
const text = encodeErrorResult({ abi, errorName: 'Error', args: ['no more pieces'] })

describe('the reason of a revert', () => {
  it.each([
    ['is the contract’s sentence', text, 'no more pieces'],
    ['is found where a node wraps it', { data: text }, 'no more pieces'],
    [
      'is the name of a standard error, with its numbers',
      encodeErrorResult({
        abi,
        errorName: 'ERC1155InsufficientBalance',
        args: [wallet, 1n, 2n, 7n],
      }),
      'ERC1155InsufficientBalance (balance: 1, needed: 2, tokenId: 7)',
    ],
    [
      'names no wallet',
      encodeErrorResult({ abi, errorName: 'ERC721InvalidReceiver', args: [wallet] }),
      'ERC721InvalidReceiver',
    ],
    [
      'names no wallet that the contract has written into its sentence',
      encodeErrorResult({ abi, errorName: 'Error', args: [`account ${wallet} is barred`] }),
      'account 0x3C44… is barred',
    ],
    [
      'is the number of a panic',
      encodeErrorResult({ abi, errorName: 'Panic', args: [17n] }),
      'Panic (code: 17)',
    ],
    ['is the selector of an error that is not known', '0x12345678', 'error 0x12345678'],
    ['is what the node says when there are no data', undefined, 'no reason given'],
  ])('%s', (_, data, reason) => {
    expect(revertReason(reverted(data))).toBe(reason)
  })
})

it.each([
  [true, { code: 3, message: 'execution reverted: no' }],
  [true, { code: -32000, message: 'execution reverted' }],
  [true, { code: -32603, message: 'VM Exception: reverted with reason string' }],
  [true, { code: -32000, message: 'invalid opcode: INVALID' }],
  [true, { code: -32000, message: 'gas required exceeds allowance (50000000)' }],
  [false, { code: -32005, message: 'limit exceeded' }],
  [false, { code: -32603, message: 'internal error' }],
  [false, { code: -32000, message: 'header not found' }],
  [false, { code: -32601, message: 'the method does not exist' }],
])('is it a revert? %s: %j', (expected, error) => {
  expect(isRevert(error)).toBe(expected)
  expect(unheard({ error }) === null).toBe(expected)
})

it('never takes silence for an answer', () => {
  expect(unheard({ fault: 'the node cannot be reached' })).toBe('the node cannot be reached')
  expect(unheard({ result: '0x' })).toBeNull()
})
