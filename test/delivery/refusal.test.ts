import { encodeFunctionResult, type Hex, numberToHex, toFunctionSelector, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { relayerAbi } from '../../contracts/relayer-abi.ts'
import { trialAbi } from '../../contracts/trial.ts'
import {
  acceptanceRequest,
  askRefusals,
  readAcceptance,
  readRefusal,
  refusalRequests,
} from '../../src/delivery/chain/refusal.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { ContractItem } from '../../src/ethereum/contract.ts'
import type { Reply, RpcRequest } from '../../src/ethereum/requests.ts'

const [token, holder, buyer, stranger] = [1, 2, 3, 4].map((n) => numberToHex(n, { size: 20 })) as [
  Hex,
  Hex,
  Hex,
  Hex,
]
const KEY: Hex = `0x${'11'.repeat(32)}`
const unique: ContractItem = { key: KEY, token, from: holder, to: buyer, tokenId: 7n, amount: 0n }
const edition: ContractItem = { ...unique, amount: 3n }
const mint: ContractItem = { ...unique, from: zeroAddress }

const by = { relayer: stranger, contract: stranger, gasPerItem: 300_000 }
/** What the token says: EnforcedPause. */
const PAUSED = '0xd93c0665'
const failure = { said: PAUSED } as const

/**
 * `replies`: to the trials for a plain account and the recipient, calls of contract and holder, permission,
 * holding, code, and what the Delivery contract does.
 */
async function refusalOf(item: ContractItem, replies: readonly Reply[], said: object = failure) {
  const requests = refusalRequests(by, item).map((request) => JSON.stringify(request))
  const rpc = async (asked: readonly RpcRequest[]) => {
    const isAsked = new Set(asked.map((request) => JSON.stringify(request)))
    return (request: RpcRequest): Reply => {
      const text = JSON.stringify(request)
      const position = requests.indexOf(text)
      const reply = replies[position < 0 ? requests.length : position]
      return (isAsked.has(text) && reply) || { fault: 'not asked' }
    }
  }
  return readRefusal(by, item, said, await askRefusals(rpc, [{ by, item }]))
}

const word = (value: bigint): Reply => ({ result: numberToHex(value, { size: 32 }) })
const [yes, no] = [word(1n), word(0n)]
/** As a call of a token that scans a batch for the owner. */
const outOfGas: Reply = { error: { code: -32000, message: 'out of gas' } }
const reverted: Reply = { error: { code: 3, message: 'execution reverted' } }
/** A node that cannot replace the code of an account. */
const unable: Reply = { error: { code: -32602, message: 'too many arguments, want at most 2' } }
const done: Reply = { result: '0x' }
const trial = (isAccepted: boolean, gasUsed = 50_000n, isTold = true): Reply => ({
  result: encodeFunctionResult({
    abi: trialAbi,
    functionName: 'run',
    result: {
      isTold,
      isAccepted,
      isExact: isAccepted,
      gasUsed,
      reason: isAccepted ? '0x' : PAUSED,
    },
  }),
})
/** What the Delivery contract does with one item: 1 for delivered, 3 for failed. */
const delivery = (outcome: number, reason: Hex = PAUSED, gasUsed = 50_000n): Reply => ({
  result: encodeFunctionResult({
    abi: relayerAbi,
    functionName: 'deliver',
    result: [{ outcome, gasUsed, reason }],
  }),
})

describe('why a token refuses', () => {
  const because = (code: Parameters<typeof explain>[0]) => explain(code, 'EnforcedPause')

  it.each<[string, ContractItem, Reply, Reply, Reply]>([
    ['holder_has_no_token', unique, reverted, yes, word(BigInt(stranger))],
    ['holder_has_no_token', edition, reverted, no, word(2n)],
    // A token that nobody has, has no owner.
    ['holder_has_no_token', unique, reverted, no, reverted],
    ['holder_not_approved', unique, reverted, no, word(BigInt(holder))],
    ['holder_not_approved', unique, reverted, no, outOfGas],
    ['token_not_transferable', edition, reverted, yes, word(3n)],
    ['token_not_transferable', unique, reverted, yes, outOfGas],
    ['token_not_transferable', edition, reverted, unable, unable],
    ['minter_role_missing', mint, reverted, no, reverted],
    ['mint_refused', mint, reverted, yes, reverted],
  ] as const)('is: %s', async (code, item, direct, isPermitted, holding) => {
    const reason = because(code as 'mint_refused')
    const refuses = trial(false)
    const others = [direct, done, isPermitted, holding]
    expect(await refusalOf(item, [refuses, refuses, ...others])).toEqual(reason)
    // The same from a node that cannot try it.
    expect(await refusalOf(item, [unable, unable, ...others])).toEqual(reason)
  })

  const contested = [trial(false), trial(false), done, done, yes, word(BigInt(holder)), done]

  it('is what the Delivery contract meets, if a trial refuses what a call without the relayer may do', async () => {
    const refusal = because('token_not_transferable')
    expect(await refusalOf(unique, [...contested, delivery(3)])).toEqual(refusal)
    expect(await refusalOf(unique, [...contested, delivery(1)])).toBeNull()
  })

  it.each([
    ['is paused', reverted],
    ['has a limit', delivery(3, toFunctionSelector('TokenLimitReached()'), 0n)],
    ['has used the key', delivery(2)],
    ['does not answer', unable],
  ])('is not known of such a transfer while the Delivery contract %s', async (_, reply) => {
    expect(await refusalOf(unique, [...contested, reply])).toBeUndefined()
  })

  it('is what the trial says of a mint, whatever a call without the relayer may do', async () => {
    const replies = [trial(false), trial(false), done, done, yes, reverted]
    expect(await refusalOf(mint, replies)).toEqual(because('mint_refused'))
  })

  const silent: Reply = {
    result: encodeFunctionResult({
      abi: trialAbi,
      functionName: 'run',
      result: { isTold: true, isAccepted: false, isExact: false, gasUsed: 5_000n, reason: '0x' },
    }),
  }

  /** The code of a token with these functions. */
  const codeWith = (...functions: string[]): Reply => ({
    result: `0x${functions.map((name) => `63${toFunctionSelector(name).slice(2)}14`).join('')}`,
  })
  const role = 'hasRole(bytes32,address)'

  it.each<[string, ContractItem, string]>([
    ['safeMint', mint, 'safeMint(address,uint256)'],
    ['mint', { ...mint, amount: 1n }, 'mint(address,uint256,uint256,bytes)'],
  ])('is that a token with roles has no %s, with or without the role', async (_, item, name) => {
    const of = (hasRole: Reply, code: Reply) =>
      refusalOf(item, [silent, silent, reverted, reverted, hasRole, reverted, code], {})
    const refused = explain('mint_refused', 'no reason given')
    for (const hasRole of [yes, no])
      expect(await of(hasRole, codeWith(role))).toEqual(
        explain('mint_not_exact', `the token has no ${name}`),
      )
    // It refuses without a word, or is a proxy. One without roles says itself what it wants.
    for (const code of [codeWith(role, name), codeWith(), unable])
      expect(await of(yes, code)).toEqual(refused)
    expect(await of(reverted, codeWith(role))).toEqual(refused)
  })

  it('is what its holder would meet, if the contract is not approved', async () => {
    const locked: Reply = { error: { code: 3, message: 'execution reverted', data: '0xd93c0665' } }
    const replies = [trial(false), trial(false), reverted, locked, no, word(BigInt(holder))]
    expect(await refusalOf(unique, replies)).toEqual(because('token_not_transferable'))
  })

  it('is that other pieces arrive than those that were sold', async () => {
    const inexact: Reply = {
      result: encodeFunctionResult({
        abi: trialAbi,
        functionName: 'run',
        result: { isTold: true, isAccepted: true, isExact: false, gasUsed: 1n, reason: '0x' },
      }),
    }
    expect(readAcceptance(by, mint, inexact)).toEqual(explain('mint_not_exact'))
    expect(readAcceptance(by, unique, inexact)).toEqual(explain('token_moved_nothing'))
    // A delivery that reverts has another cause, which its simulation shows.
    expect(await refusalOf(unique, [inexact, inexact, done, done, yes, yes])).toBeNull()
  })

  it('is nothing of an item that arrives, and not known at once of one that does not', () => {
    expect(readAcceptance(by, unique, trial(true))).toBeNull()
    expect(readAcceptance(by, unique, trial(true, 900_000n))?.reasonCode).toBe('gas_limit_exceeded')
    for (const reply of [trial(false), unable, trial(true, 50_000n, false)])
      expect(readAcceptance(by, unique, reply)).toBeUndefined()
  })

  it('is not known of a mint that only a trial could see through', async () => {
    expect(await refusalOf(mint, [unable, unable, done, done, yes, yes])).toBeUndefined()
    const edition = { ...mint, amount: 1n }
    expect(await refusalOf(edition, [unable, unable, done, done, yes, yes])).toBeNull()
  })

  it('is asked with an account and a price that nobody can compute without the key', () => {
    const other = { ...unique, key: `0x${'12'.repeat(32)}` } as const
    const [one, two] = [unique, other].map((item) => acceptanceRequest(by, item).params[0])
    for (const name of ['data', 'maxPriorityFeePerGas'])
      expect(Object(one)[name]).not.toBe(Object(two)[name])
    expect(acceptanceRequest(by, unique)).toEqual(acceptanceRequest(by, unique))
  })

  it.each([
    ['the token', trial(true, 900_000n), trial(true, 900_000n), 1_000_000],
    ['the recipient', trial(true, 90_000n), trial(true, 1_234_567n), 1_380_000],
    ['forwarded calls', trial(true, 290_000n), trial(true, 290_000n), 330_000],
  ])('is the gas that %s needs', async (_, plain, own, needed) => {
    const detail = `it needs ${needed}, so raise gasPerItem of the network, which is 300000`
    expect(await refusalOf(unique, [plain, own, done, done, yes, yes])).toEqual(
      explain('gas_limit_exceeded', detail),
    )
  })
})
