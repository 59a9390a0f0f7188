import { encodeFunctionResult, type Hex, numberToHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { trialAbi } from '../../contracts/trial.ts'
import { readInexactness, readRefusal, refusalRequests } from '../../src/delivery/chain/diagnose.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { ContractItem } from '../../src/ethereum/contract.ts'
import type { Reply } from '../../src/ethereum/requests.ts'

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

const by = { relayer: stranger, delivery: stranger }
/** What the token said: EnforcedPause. */
const failure = { said: '0xd93c0665', gasPerItem: 300_000 } as const

/** `replies`: to the trials for a plain account and the recipient, calls of contract and holder, permission, holding. */
function answersOf(item: ContractItem, replies: readonly Reply[]) {
  const requests = refusalRequests(by, item).map((request) => JSON.stringify(request))
  const answer = (request: unknown) => replies[requests.indexOf(JSON.stringify(request))]
  return (request: unknown): Reply => answer(request) ?? { fault: 'not asked' }
}
const refusalOf = (item: ContractItem, replies: readonly Reply[]) =>
  readRefusal(by, item, failure, answersOf(item, replies))

const word = (value: bigint): Reply => ({ result: numberToHex(value, { size: 32 }) })
const [yes, no] = [word(1n), word(0n)]
const reverted: Reply = { error: { code: 3, message: 'execution reverted' } }
/** A node that cannot replace the code of an account. */
const unable: Reply = { error: { code: -32602, message: 'too many arguments, want at most 2' } }
const done: Reply = { result: '0x' }
const trial = (isAccepted: boolean, gasUsed = 50_000n, isTold = true): Reply => ({
  result: encodeFunctionResult({
    abi: trialAbi,
    functionName: 'run',
    result: { isTold, isAccepted, isExact: isAccepted, gasUsed, reason: '0x' },
  }),
})

describe('why a token refuses', () => {
  const because = (code: Parameters<typeof explain>[0]) => explain(code, 'EnforcedPause')

  it.each<[string, ContractItem, Reply, Reply, Reply]>([
    ['holder_has_no_token', unique, reverted, yes, word(BigInt(stranger))],
    ['holder_has_no_token', edition, reverted, no, word(2n)],
    ['holder_not_approved', unique, reverted, no, word(BigInt(holder))],
    ['holder_not_approved', edition, reverted, no, word(3n)],
    ['holder_not_approved', unique, reverted, no, reverted],
    ['token_not_transferable', edition, reverted, yes, word(3n)],
    ['token_not_transferable', unique, reverted, yes, reverted],
    ['token_not_transferable', edition, reverted, unable, unable],
    ['minter_role_missing', mint, reverted, no, reverted],
    ['mint_refused', mint, reverted, yes, reverted],
    ['mint_refused', mint, reverted, reverted, reverted],
  ] as const)('is: %s', (code, item, direct, isPermitted, holding) => {
    const reason = because(code as 'mint_refused')
    const refuses = trial(false)
    expect(refusalOf(item, [refuses, refuses, direct, done, isPermitted, holding])).toEqual(reason)
    // The same from a node that cannot try it.
    expect(refusalOf(item, [unable, unable, direct, done, isPermitted, holding])).toEqual(reason)
  })

  it('is what the delivery would meet, not what a call without the relayer would', () => {
    const replies = [trial(false), trial(false), done, done, yes, word(BigInt(holder))]
    expect(refusalOf(unique, replies)).toEqual(because('token_not_transferable'))
  })

  it('is only the recipient, if a plain account could have it', () => {
    expect(refusalOf(unique, [trial(true), trial(false), done, done, yes, yes])).toBeNull()
    expect(refusalOf(unique, [unable, unable, done, done, yes, yes])).toBeNull()
  })

  it('is what its holder would meet, if the contract is not approved', () => {
    const locked: Reply = { error: { code: 3, message: 'execution reverted', data: '0xd93c0665' } }
    const replies = [trial(false), trial(false), reverted, locked, no, word(BigInt(holder))]
    expect(refusalOf(unique, replies)).toEqual(because('token_not_transferable'))
  })

  it('is that other pieces arrive than those that were sold', () => {
    const inexact: Reply = {
      result: encodeFunctionResult({
        abi: trialAbi,
        functionName: 'run',
        result: { isTold: true, isAccepted: true, isExact: false, gasUsed: 1n, reason: '0x' },
      }),
    }
    const replies = [inexact, inexact, done, done, yes, yes]
    const inexactness = (item: ContractItem) => readInexactness(by, item, answersOf(item, replies))
    expect(inexactness(mint)).toEqual(explain('mint_not_exact'))
    expect(inexactness(unique)).toEqual(explain('token_moved_nothing'))
    // A delivery that reverts has another cause, which a trial without a gas price may not show.
    expect(refusalOf(unique, replies)).toBeNull()
  })

  it('is not known of a mint that only a trial could see through', () => {
    expect(refusalOf(mint, [unable, unable, done, done, yes, yes])).toBeUndefined()
    const edition = { ...mint, amount: 1n }
    expect(refusalOf(edition, [unable, unable, done, done, yes, yes])).toBeNull()
  })

  it('is not known, if the node does not answer', () => {
    const fault: Reply = { fault: 'the node cannot be reached' }
    expect(refusalOf(unique, Array(6).fill(fault))).toBeUndefined()
  })

  it.each([
    ['the token', trial(true, 900_000n), trial(true, 900_000n), 1_000_000],
    ['the recipient', trial(true, 90_000n), trial(true, 1_234_567n), 1_380_000],
    ['forwarded calls', trial(true, 290_000n), trial(true, 290_000n), 330_000],
  ])('is the gas that %s needs', (_, plain, own, needed) => {
    const detail = `it needs ${needed}, so raise gasPerItem of the network, which is 300000`
    expect(refusalOf(unique, [plain, own, done, done, yes, yes])).toEqual(
      explain('gas_limit_exceeded', detail),
    )
  })

  it('is not the gas of a trial that had too little', () => {
    const replies = [trial(true), trial(true, 900_000n, false), done, done, yes, yes]
    expect(refusalOf(unique, replies)).toBeNull()
  })
})
