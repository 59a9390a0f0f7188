/**
 * One of two nodes lies, then is honest. While it lies, no shop is told what the chain contradicts, no key
 * is paid for again and again, and deliveries and sales go on. Ten minutes later everything is delivered,
 * exactly once, and no wrong value is left. lies.long.test.ts draws lies from seeds.
 */
import { describe, it, vi } from 'vitest'
import { firstCases } from '../support/cases.ts'
import type { Moment } from '../support/delivery/lies/calls.ts'
import { aCase, describeCase, type LieCase } from '../support/delivery/lies/cases.ts'
import type { Lie } from '../support/delivery/lies/liar.ts'
import { play } from '../support/delivery/lies/play.ts'
import type { StoryName } from '../support/delivery/lies/stories.ts'
import type { TransportName } from '../support/delivery/lies/transport.ts'
import { aLiarsStage } from '../support/delivery/lies/world.ts'

vi.setConfig({ testTimeout: 300_000 })

const stage = aLiarsStage()

const ALWAYS = { skip: 0, times: Number.POSITIVE_INFINITY }
/** Minutes in which a good item has to be sent, and one more. */
const LONG = 16

const aStory = (name: StoryName): Lie => ({ story: name, draw: 0 })

/** A case in which a node tells a story from this moment on. */
const tells = (moment: Moment, name: StoryName, more: Partial<LieCase> = {}): LieCase =>
  aCase({ moment, lies: [aStory(name)], ...more })

/** The same, until what was ordered when it began is late. */
const insists = (name: StoryName, more: Partial<LieCase> = {}): LieCase =>
  tells('before signing', name, { minutes: LONG, blockTime: 30, ...more })

/** A case in which a node answers in this way. */
const answers = (name: TransportName, more: Partial<LieCase> = {}): LieCase =>
  aCase({ moment: 'before signing', lies: [{ transport: name, ...ALWAYS }], ...more })

/** Something about the newest block. */
const newest = (path: 'number' | 'timestamp', value: string): Lie => ({
  target: 'eth_getBlockByNumber latest',
  path,
  kind: path === 'number' ? 'number' : 'time',
  value,
  draw: 0,
  ...ALWAYS,
})

const hashless: Lie = {
  target: 'eth_getTransactionByHash',
  path: 'hash',
  kind: 'hash',
  value: 'null',
  draw: 0,
  ...ALWAYS,
}

const IN_FLIGHT = 'while in flight'
const SEARCH = 'while transactions are searched'
const DAILY = 'at the daily comparison'
const oneByOne = { itemsPerTransaction: 1, transactionsInFlight: 1 }
const disagreement = { alarm: 'nodes_disagree' }

/** The same, if only the node that leads is asked: the other one contradicts nobody. */
const disagreementOfLeader = { ...disagreement, isOfLeader: true }

/** By what the lie is about. `npm test` plays the first of two of them, which are soon over. */
const kinds: Record<string, readonly LieCase[]> = {
  'has other blocks': [
    tells('before signing', 'has the newest block as the final one', { finality: 'finalized' }),
    tells('before signing', 'is 63 blocks ahead, and its records are', { finality: 3 }),
    insists('is 63 blocks ahead, and its records are', { finality: 3, blockTime: 75 }),
    insists('has a final block that stands still', { finality: 'finalized', alarm: 'node_behind' }),
    insists('stands still', { alarm: 'node_behind' }),
    insists('stands still', { ...oneByOne, minutes: 45, alarm: 'node_behind' }),
    insists('has one block number for ever, with new times, and swallows transactions', {
      alarm: 'node_behind',
    }),
    insists('lags three blocks'),
    insists('answers every second request as of ten blocks ago'),
    insists('is on another fork since 50 blocks', oneByOne),
    aCase({ moment: 'before signing', lies: [newest('number', '2^64 - 1')], minutes: 12 }),
    aCase({ moment: 'before signing', lies: [newest('timestamp', 'the year 10^9')] }),
    aCase({ moment: DAILY, lies: [{ ...newest('number', '0'), times: 1 }], finality: 3 }),
  ],
  'accuses the honest node': [
    tells(
      'before signing',
      'says that the contract is not paused, and that every transfer succeeds',
      {
        minutes: 6,
        paused: 4,
      },
    ),
    tells('before signing', 'says that every transfer succeeds', { minutes: 5 }),
  ],
  'makes up or hides events': [
    tells(IN_FLIGHT, 'says that every transfer failed'),
    tells(IN_FLIGHT, 'hides events', disagreement),
    tells(IN_FLIGHT, 'says that tokens came from another holder', disagreement),
    tells(IN_FLIGHT, 'hides receipts and events'),
    tells(IN_FLIGHT, 'says that every transaction reverted'),
    tells(IN_FLIGHT, 'has the events of all transfers'),
    tells(SEARCH, 'has the events of all transfers'),
    tells(SEARCH, 'has events of another contract'),
    tells(IN_FLIGHT, 'has events without data'),
    tells(SEARCH, 'has events without data'),
    tells(SEARCH, 'hides events', disagreement),
    tells(SEARCH, 'hides receipts and events', { minutes: 12 }),
    tells(SEARCH, 'names the first transaction of the chain'),
    tells(SEARCH, 'names made-up transactions, and has no receipts', { minutes: 13 }),
    tells(SEARCH, 'names made-up transactions, and has receipts of them', { minutes: 13 }),
    insists('says that every transfer succeeds, and hides receipts and events', {
      ...oneByOne,
      minutes: 45,
    }),
  ],
  'makes up transactions': [
    tells('before signing', 'swallows a transaction, and has a receipt of it, without events'),
    insists('counts five transactions more'),
    insists('has no receipts and counts a transaction more'),
    insists('swallows transactions, and has a receipt of each with all events'),
    insists('counts no transactions', { moment: SEARCH }),
    tells(SEARCH, 'has mined transactions in block 2^31'),
    tells(SEARCH, 'has mined transactions with the nonce 10^9'),
    aCase({ moment: SEARCH, lies: [hashless], minutes: 12 }),
  ],
  'says that used keys are unused': [
    tells(IN_FLIGHT, 'says that no key is used, and that every transfer succeeds'),
    tells(IN_FLIGHT, 'says that no key is used, and that every transfer failed'),
    tells(IN_FLIGHT, 'says that no key is used, and that every transaction reverted'),
    tells(
      'in a block that is not final',
      'says that no key is used, and that every transfer succeeds',
    ),
    tells(IN_FLIGHT, 'says every second time that no key is used'),
    tells(SEARCH, 'says that no key is used, and that every transfer succeeds'),
    tells(DAILY, 'says that no key is used', { minutes: 12 }),
    tells('before signing', 'is a block behind, and an hour slow', { minutes: 5 }),
    tells('before signing', 'says that transfers need no gas', { itemsPerTransaction: 20 }),
  ],
  'says that unused keys are used': [
    insists('says that every key is used for its delivery'),
    insists('has records in blocks to come'),
    insists('says that every key is used up'),
    insists('says that every key is used for its delivery', { moment: SEARCH }),
    aCase({
      moment: 'before signing',
      lies: [
        newest('number', 'a thousand more'),
        aStory('says that every key is used for its delivery'),
      ],
      minutes: LONG,
    }),
  ],
  'says that nothing can be sent': [
    insists('says that the signers have no funds', disagreement),
    insists('has a base fee of 10^6 gwei', disagreement),
    insists('has a base fee of 240 gwei', { funds: 0.1, ...disagreement }),
    insists('says that calls need 2^60 gas'),
    insists('says that the contract is paused', disagreement),
    insists('says that the contract is retired', disagreement),
    insists('says that the signers are no relayers', disagreement),
    insists('says that relayers have no room', disagreement),
    insists('says that a relayer may deliver one piece at once', disagreement),
    insists('says that relayers have room for everything, but for one piece at once', disagreement),
    insists('says that transfers need 10^7 gas', { funds: 0.1 }),
    insists('says that nothing may be minted', disagreement),
    insists('says that tokens have reached their limits', disagreement),
    insists('has mined transactions in block 2^31', oneByOne),
    tells('before signing', 'has another contract as the predecessor'),
  ],
  'says that transfers fail': [
    insists('says that every transfer fails', disagreementOfLeader),
    insists('says that tokens have the other standard', disagreement),
    insists('says that tokens have the other standard, and tries nothing', disagreement),
    insists('says that calls of the contract revert', disagreementOfLeader),
    insists('does not simulate'),
    insists('says that no call of the contract reaches an item'),
    insists('says that no token has code'),
    insists('says that every transfer uses up its gas'),
    insists('says that nobody holds a token'),
    insists('says that nobody has approved the contract'),
    insists('says that there is no code'),
    insists('says that tokens have no standard'),
    insists('says of what fails that its token has no code'),
  ],
  'refuses a part': [
    insists('fails every second call of a request'),
    insists('limits calls of contracts'),
    insists('does not tell records'),
    insists('does not tell receipts'),
    insists('does not tell events'),
    insists('does not tell code'),
    insists('takes no transactions'),
    answers('an answer of 300 MB of spaces'),
    answers('an answer that stands still after its first bytes'),
    answers('an answer after nine seconds', { minutes: LONG, callsPerBatch: 4 }),
    answers('HTTP 429, and a year to wait', { minutes: LONG }),
  ],
  'stops sales': [
    tells('after all is final', 'says that nobody holds a token', { minutes: 5, silent: 3 }),
    tells('after all is final', 'says that nobody has approved the contract', {
      minutes: 5,
      silent: 3,
    }),
    tells('after all is final', 'says that nobody holds a token', { minutes: 80, isUnsold: true }),
  ],
  'is believed alone': [
    tells('before signing', 'swallows transactions, and has receipts, events and records of them', {
      minutes: 13,
      silent: 12,
    }),
    tells(IN_FLIGHT, 'says that no key is used, and that every transfer failed', {
      minutes: 13,
      silent: 12,
    }),
    tells('before signing', 'says that every key is used for its delivery', {
      minutes: 25,
      silent: 24,
    }),
    tells(
      'before signing',
      'swallows transactions, and has receipts in which all gas was used up',
      {
        minutes: 13,
        silent: 12,
        ...oneByOne,
      },
    ),
  ],
  'hides a theft': [
    tells('after all is final', 'has fresh blocks and old state', {
      minutes: 5,
      isOrdering: false,
      hasThief: true,
    }),
  ],
}

const liars = firstCases(1, [0, 1] as const)

describe.each(firstCases(2, Object.entries(kinds)))('%s', (_, cases) => {
  const played = liars.flatMap((liar) =>
    firstCases(1, cases).map((one) => ({
      ...{ ...one, liar },
      alarm: one.isOfLeader && liar === 1 ? null : one.alarm,
    })),
  )

  it.each(played.map((one) => [describeCase(one), one] as const))('%s', async (_, one) => {
    await play(stage, one)
  })
})
