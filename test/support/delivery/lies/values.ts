/** Hostile values, by what a field holds. Each has the text that describes it. */
import type { Answer, Call, Kind } from './calls.ts'

/** Stands for a field that is left out. */
export const MISSING = Symbol('missing')

/** What a value may depend on. */
export type Facts = {
  /** Asks the node, without lies. */
  ask: (method: string, ...params: unknown[]) => Promise<unknown>
  /** Contracts and accounts of the chain. */
  addresses: readonly string[]
  /** A number that the case has drawn. */
  draw: number
  call: Call
  /** The other answers of the same request. */
  answers: readonly Answer[]
}

type Value = (truth: unknown, facts: Facts) => unknown

/** Seconds of a year, a billion times. */
const YEAR_BILLION = 31_556_952n * 10n ** 9n

const numbers: Record<string, bigint> = {
  '0': 0n,
  '2': 2n,
  '2^31': 2n ** 31n,
  '2^32': 2n ** 32n,
  '2^53': 2n ** 53n,
  '2^64 - 1': 2n ** 64n - 1n,
  '2^256 - 1': 2n ** 256n - 1n,
}

const shifts: Record<string, bigint> = {
  'one more': 1n,
  'one less': -1n,
  'five more': 5n,
  'a thousand more': 1000n,
  'a thousand less': -1000n,
}

const times: Record<string, bigint> = {
  'an hour later': 3600n,
  'a day earlier': -86_400n,
  'a year later': 31_556_952n,
}

const hex = (value: bigint) => `0x${(value < 0n ? 0n : value).toString(16)}`
const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const huge = `0x${'f'.repeat(1_000_000)}`

const isHex = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
const numberOf = (truth: unknown): bigint => (isHex(truth) ? BigInt(truth) : 0n)

const constants = (values: Record<string, unknown>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, () => value]))

/** Values of a wrong type. */
const shapeless = constants({
  null: null,
  'nothing (the field is missing)': MISSING,
  true: true,
  '[]': [],
  'an empty text': '',
  'a text of a million characters': huge,
})

/** Texts that are almost a number. */
const malformed = constants({
  '0x': '0x',
  '-0x1': '-0x1',
  '0xg': '0xg',
  'the number 1 as a decimal text': '1',
  'the JSON number -1': -1,
  'the JSON number 1.5': 1.5,
  '1 with a hundred zeros before it': `0x${'0'.repeat(100)}1`,
})

const number: Record<string, Value> = {
  ...constants(Object.fromEntries(Object.entries(numbers).map(([name, n]) => [name, hex(n)]))),
  ...Object.fromEntries(
    Object.entries(shifts).map(([name, shift]) => [
      name,
      (truth: unknown) => hex(numberOf(truth) + shift),
    ]),
  ),
  ...malformed,
  ...shapeless,
}

const time: Record<string, Value> = {
  ...number,
  ...Object.fromEntries(
    Object.entries(times).map(([name, shift]) => [
      name,
      (truth: unknown) => hex(numberOf(truth) + shift),
    ]),
  ),
  'the year 10^9': () => hex(YEAR_BILLION),
  milliseconds: (truth) => hex(numberOf(truth) * 1000n),
  'the last time of JavaScript': () => hex(8_640_000_000_000n),
  'a second after the last time of JavaScript': () => hex(8_640_000_000_001n),
}

/** A real block, some blocks before the newest one. */
async function neighbour({ ask, draw }: Facts): Promise<{ number: string; hash: string }> {
  const newest = numberOf(await ask('eth_blockNumber'))
  const wanted = hex(newest - BigInt(draw % 4))
  return Object(await ask('eth_getBlockByNumber', wanted, false))
}

const hash: Record<string, Value> = {
  'the hash of another block': async (_, facts) => (await neighbour(facts)).hash,
  zeros: () => `0x${word(0n)}`,
  ones: () => `0x${word(-1n)}`,
  'another last digit': (truth) => `${truth}`.slice(0, -1) + (`${truth}`.endsWith('0') ? '1' : '0'),
  'the same in upper case': (truth) => `0x${`${truth}`.slice(2).toUpperCase()}`,
  '31 bytes': (truth) => `${truth}`.slice(0, -2),
  '33 bytes': (truth) => `${truth}00`,
  '0x': () => '0x',
  ...shapeless,
}

const address: Record<string, Value> = {
  'another contract or account': (_, { addresses, draw }) => addresses[draw % addresses.length],
  'the zero address': () => `0x${'0'.repeat(40)}`,
  'the last address': () => `0x${'f'.repeat(40)}`,
  'the same in upper case': (truth) => `0x${`${truth}`.slice(2).toUpperCase()}`,
  '19 bytes': (truth) => `${truth}`.slice(0, -2),
  '21 bytes': (truth) => `${truth}00`,
  '0x': () => '0x',
  ...shapeless,
}

const data: Record<string, Value> = {
  '0x': () => '0x',
  'the first half': (truth) => `${truth}`.slice(0, 2 + 2 * Math.floor(`${truth}`.length / 4)),
  'a zero word more': (truth) => `${truth}${word(0n)}`,
  'one digit less': (truth) => `${truth}`.slice(0, -1),
  'a word of zeros': () => `0x${word(0n)}`,
  'a word of ones': () => `0x${word(-1n)}`,
  'a word that is 1': () => `0x${word(1n)}`,
  ...shapeless,
}

/** Replaces one word. */
function replaceWord(truth: unknown, { draw }: Facts, change: (old: bigint) => bigint): string {
  const list = `${truth}`.slice(2).match(/.{64}/g) ?? []
  const at = list.length === 0 ? 0 : draw % list.length
  list[at] = word(change(BigInt(`0x${list[at] ?? '0'}`)))
  return `0x${list.join('')}`
}

const words: Record<string, Value> = {
  ...Object.fromEntries(
    Object.entries(numbers).map(([name, n]) => [
      `a word that is ${name}`,
      (truth: unknown, facts: Facts) => replaceWord(truth, facts, () => n),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(shifts).map(([name, shift]) => [
      `a word that is ${name}`,
      (truth: unknown, facts: Facts) => replaceWord(truth, facts, (old) => old + shift),
    ]),
  ),
  'a word that is another address': (truth, facts) =>
    replaceWord(truth, facts, () =>
      BigInt(facts.addresses[facts.draw % facts.addresses.length] ?? 0),
    ),
  'a word that is the number of another block': async (truth, facts) => {
    const { number } = await neighbour(facts)
    return replaceWord(truth, facts, () => BigInt(number))
  },
  'a word that is a made-up hash': (truth, facts) =>
    replaceWord(truth, facts, (old) => old ^ (0xffffn << 200n)),
  ...data,
}

/** Stands for an answer with an error instead of a result. */
export class Refusal {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

const refusals = constants({
  'an error: reverted': new Refusal({ code: 3, message: 'execution reverted', data: '0x' }),
  'an error: reverted with a reason of other types': new Refusal({
    code: 3,
    message: 'execution reverted',
    data: { nested: [1] },
  }),
  'an error: internal': new Refusal({ code: -32603, message: 'internal error' }),
  'an error: header not found': new Refusal({ code: -32000, message: 'header not found' }),
  'an error: limit exceeded': new Refusal({ code: -32005, message: 'limit exceeded' }),
  'an error without a message': new Refusal({ code: 1 }),
  'an error that is a text': new Refusal('no'),
  'an error with half a character, and with a zero': new Refusal({
    code: 3,
    message: '\ud800\u0000',
  }),
  'an error with a message of a million characters': new Refusal({ code: 1, message: huge }),
})

const answer: Record<string, Value> = {
  ...shapeless,
  ...refusals,
  'a list of nulls': () => [null, null],
  'the answer to another call of the request': (_, { answers, draw }) =>
    answers[draw % Math.max(1, answers.length)]?.result,
  'the list twice': (truth) => (Array.isArray(truth) ? [...truth, ...truth] : truth),
  'the list without its last': (truth) => (Array.isArray(truth) ? truth.slice(0, -1) : truth),
  'the list backwards': (truth) => (Array.isArray(truth) ? truth.toReversed() : truth),
  'a list of 100,000': (truth) => Array.from({ length: 100_000 }, () => Object(truth)[0] ?? null),
}

const place: Record<string, Value> = {
  'number and hash of another block': async (truth, facts) => {
    const { number: blockNumber, hash: blockHash } = await neighbour(facts)
    return truth && { ...Object(truth), blockNumber, blockHash }
  },
  'block 2^31': (truth) => truth && { ...Object(truth), blockNumber: hex(2n ** 31n) },
  'a failed transaction without events': (truth) =>
    truth && { ...Object(truth), status: '0x0', logs: [] },
  'no events': (truth) => truth && { ...Object(truth), logs: [] },
  ...answer,
}

const broadcast: Record<string, Value> = {
  'another hash': () => `0x${word(12345n)}`,
  'an error: nonce too low': () => new Refusal({ code: -32000, message: 'nonce too low' }),
  'an error: already known': () => new Refusal({ code: -32000, message: 'already known' }),
  'an error: insufficient funds': () =>
    new Refusal({ code: -32000, message: 'insufficient funds for gas * price + value' }),
  ...answer,
}

export const values: Record<Kind, Readonly<Record<string, Value>>> = {
  number: { ...number, ...refusals },
  time,
  hash,
  address,
  data: { ...data, ...refusals },
  words: { ...words, ...refusals },
  answer,
  place,
  broadcast,
}
