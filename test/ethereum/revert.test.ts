import { encodeErrorResult, type Hex, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { isRevert, loggedMessage, revertReason } from '../../src/ethereum/revert.ts'

const abi = parseAbi([
  'error Error(string reason)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error TokenHasNoCode()',
  'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
])
const wallet = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const sentence = (text: string) => encodeErrorResult({ abi, errorName: 'Error', args: [text] })

describe('the reason of a revert', () => {
  it.each<[string, Hex, string]>([
    ['is the sentence of the contract', sentence('no more pieces'), 'no more pieces'],
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
      'has no wallet of a sentence',
      sentence(`account ${wallet} is barred`),
      'account 0x3C44… is barred',
    ],
    ['is the selector of an unknown error', '0x12345678', 'error 0x12345678'],
    ['is the name of an error of OpenZeppelin 5 without numbers', '0xd93c0665', 'EnforcedPause'],
    [
      'is the name of a role that is missing, with the role',
      encodeErrorResult({
        abi,
        errorName: 'AccessControlUnauthorizedAccount',
        args: [wallet, `0x${'12'.repeat(32)}`],
      }),
      'AccessControlUnauthorizedAccount (neededRole: 0x1212…)',
    ],
    ['is told to be missing', '0x', 'no reason given'],
  ])('%s', (_, data, reason) => {
    expect(revertReason(data)).toBe(reason)
  })

  it('has no half of a surrogate pair where it is cut off', () => {
    expect(revertReason(sentence(`x${'🎁'.repeat(150)}`)).isWellFormed()).toBe(true)
  })
})

it.each([
  [true, { code: 3, message: 'execution reverted: no' }],
  [true, { code: -32603, message: 'VM Exception: reverted with reason string' }],
  [true, { code: -32000, message: 'invalid opcode: INVALID' }],
  [true, { code: -32000, message: 'out of gas' }],
  [true, { code: -32000, message: 'gas required exceeds allowance (50000000)' }],
  [false, { code: -32005, message: 'limit exceeded' }],
  [false, { code: -32603, message: 'internal error' }],
  [false, { code: -32601, message: 'the method does not exist' }],
])('says that the call itself failed: %s for %j', (expected, error) => {
  expect(isRevert(error)).toBe(expected)
})

it.each([
  ['cannot connect to https://node.test/v3/a-secret-key: refused', 'cannot connect to … refused'],
  [`insufficient funds of ${wallet}`, 'insufficient funds of 0x3C44…'],
])('logs the message of a node without URLs and wallets: %s', (message, logged) => {
  expect(loggedMessage(message)).toBe(logged)
})
