/** A case: who lies, when, how and for how long. A seed draws one. */
import { aDice, type Dice } from '../campaign/dice.ts'
import { type Field, type Moment, moments, type TargetName, targets } from './calls.ts'
import { describeLie, type Lie } from './liar.ts'
import { type StoryName, stories } from './stories.ts'
import { type TransportName, transports } from './transport.ts'
import { values } from './values.ts'

export type LieCase = {
  /** The position of the liar in `rpcUrls`. */
  liar: 0 | 1
  /** When the lie begins. */
  moment: Moment
  lies: readonly Lie[]
  /** How long it is told, unless it is over before. */
  minutes: number
  finality: number | 'finalized'
  callsPerBatch: number
  itemsPerTransaction: number
  transactionsInFlight: number
  /** Number of keys of signers. */
  signers: 1 | 2
  /** Whether more is ordered while the lie is told. */
  isOrdering: boolean
  /** Whether somebody else uses the key of a signer while the lie is told. */
  hasThief: boolean
  /** Seconds between two blocks. */
  blockTime: number
  /** Minutes for which the owner has paused the contract, from the second minute of the lie on. */
  paused: number
  /** Minutes for which the honest node does not answer, from the beginning of the lie on. */
  silent: number
  /** The ether that each signer has; null: more than enough. */
  funds: number | null
  /** Whether a listing is not on sale when the lie begins, although nothing is wrong with it any more. */
  isUnsold: boolean
  /** The alarm that has to be raised while the lie lasts. */
  alarm: string | null
  /** Whether it is raised only if the liar is the node that leads. */
  isOfLeader: boolean
}

/** Seconds between two blocks, usually. */
const BLOCK_TIME = 15

/** A case of which only what matters is told. */
export const aCase = (values: Partial<LieCase> & Pick<LieCase, 'lies' | 'moment'>): LieCase => ({
  liar: 0,
  minutes: 3,
  finality: 1,
  callsPerBatch: 100,
  itemsPerTransaction: 5,
  transactionsInFlight: 4,
  signers: 1,
  isOrdering: true,
  hasThief: false,
  blockTime: BLOCK_TIME,
  paused: 0,
  silent: 0,
  funds: null,
  isUnsold: false,
  alarm: null,
  isOfLeader: false,
  ...values,
})

/** Every field of every answer. */
const fields = (Object.keys(targets) as TargetName[]).flatMap((target) =>
  targets[target].fields.map((field: Field) => ({ target, ...field })),
)
type TargetField = (typeof fields)[number]
const storyNames = Object.keys(stories) as StoryName[]
const transportNames = Object.keys(transports) as TransportName[]

/**
 * Returns the case of a seed. Of ten seeds in a row, four lie about a field, one below JSON-RPC and
 * two in a story: each time the next one of the list, so that many seeds have all of them.
 */
export function drawCase(seed: number): LieCase {
  const dice = aDice(seed)
  const ten = Math.floor(seed / 10)
  const one = seed % 10
  let moment = dice.pick(...moments)
  let lies: Lie[]
  if (one < 4) {
    const field = nth(fields, ten * 4 + one)
    moment = anyOf(dice, targets[field.target].at)
    lies = [drawLie(dice, field)]
  } else if (one < 6) lies = [drawStory(dice, nth(storyNames, ten * 2 + one))]
  else if (one < 7) lies = [drawTransport(dice, nth(transportNames, ten))]
  else {
    const asked = fields.filter(({ target }) => targets[target].at.some((at) => at === moment))
    const drawn = () => drawLie(dice, anyOf(dice, asked))
    lies = [one === 7 ? drawStory(dice, anyOf(dice, storyNames)) : drawn(), drawn()]
    if (dice.chance(0.3)) lies.push(drawn())
  }
  return aCase({
    liar: dice.pick(0, 1),
    moment,
    lies,
    minutes: dice.pick(1, 2, 2, 4, 7, 12, 16),
    finality: dice.pick<LieCase['finality']>(1, 1, 2, 3, 'finalized'),
    callsPerBatch: dice.pick(100, 100, 4, 1),
    itemsPerTransaction: dice.pick(1, 3, 20),
    transactionsInFlight: dice.pick(1, 2, 8),
    signers: dice.pick(1, 2),
    isOrdering: dice.chance(0.6),
    hasThief: dice.chance(0.1),
    blockTime: dice.pick(BLOCK_TIME, BLOCK_TIME, BLOCK_TIME, 75),
    paused: dice.chance(0.1) ? dice.pick(1, 3, 6) : 0,
    silent: dice.chance(0.1) ? dice.pick(1, 3, 12) : 0,
  })
}

const drawLie = (dice: Dice, { target, path, kind }: TargetField): Lie => ({
  target,
  path,
  kind,
  value: anyOf(dice, Object.keys(values[kind])),
  draw: dice.upTo(1000),
  ...drawOccasions(dice),
  ...(kind === 'broadcast' && { isSwallowed: dice.chance(0.5) }),
})

const drawTransport = (dice: Dice, transport: TransportName): Lie => ({
  transport,
  ...drawOccasions(dice),
})

const drawStory = (dice: Dice, story: StoryName): Lie => ({ story, draw: dice.upTo(1000) })

const drawOccasions = (dice: Dice) =>
  dice.chance(0.3)
    ? { skip: 0, times: 1 }
    : {
        skip: dice.pick(0, 0, 0, 1, 2, 5),
        times: dice.pick(1, 2, 5, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      }

const anyOf = <T>(dice: Dice, list: readonly T[]): T => nth(list, dice.upTo(list.length))

function nth<T>(list: readonly T[], position: number): T {
  const one = list[position % list.length]
  if (one === undefined) throw new Error('the list is empty')
  return one
}

/** Describes a case in words. */
export function describeCase(one: LieCase): string {
  const { liar, moment, lies, minutes, finality, itemsPerTransaction } = one
  const orders = one.isOrdering ? ', while more is ordered' : ''
  const thief = one.hasThief ? ', while a thief uses a key' : ''
  const paused = one.paused > 0 ? `, ${one.paused} of them with a paused contract` : ''
  const silent = one.silent > 0 ? `, ${one.silent} of them while the other is silent` : ''
  return `node ${liar} lies ${moment}, for ${minutes} min${paused}${silent}${orders}${thief}: ${lies.map(describeLie).join('; and ')} [finality ${finality}, a block in ${one.blockTime} s, ${one.callsPerBatch} calls a batch, ${itemsPerTransaction} items in each of ${one.transactionsInFlight} transactions, signers: ${one.signers}]`
}
