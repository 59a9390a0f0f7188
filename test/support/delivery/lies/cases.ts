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
  finality: number
  itemsPerTransaction: number
  transactionsInFlight: number
  /** Number of keys of signers. */
  signers: 1 | 2
  /** Whether more is ordered while the lie is told. */
  isOrdering: boolean
  /** Whether somebody else uses the key of a signer while the lie is told. */
  hasThief: boolean
}

const ONCE = { skip: 0, times: 1 }

/** A case of which only what matters is told. */
export const aCase = (values: Partial<LieCase> & Pick<LieCase, 'lies' | 'moment'>): LieCase => ({
  liar: 0,
  minutes: 3,
  finality: 1,
  itemsPerTransaction: 5,
  transactionsInFlight: 4,
  signers: 1,
  isOrdering: true,
  hasThief: false,
  ...values,
})

/** Returns the case of a seed. */
export function drawCase(seed: number): LieCase {
  const dice = aDice(seed)
  const moment = dice.pick(...moments)
  return {
    liar: dice.pick(0, 1),
    moment,
    lies: drawLies(dice, moment),
    minutes: dice.pick(1, 2, 2, 4, 7, 12, 16),
    finality: dice.pick(1, 1, 2, 3),
    itemsPerTransaction: dice.pick(1, 3, 20),
    transactionsInFlight: dice.pick(1, 2, 8),
    signers: dice.pick(1, 2),
    isOrdering: dice.chance(0.6),
    hasThief: dice.chance(0.1),
  }
}

function drawLies(dice: Dice, moment: Moment): Lie[] {
  const kind = dice.random()
  if (kind < 0.1) return [drawTransport(dice)]
  if (kind < 0.34) return [drawStory(dice)]
  if (kind < 0.4) return [drawStory(dice), drawLie(dice, moment)]
  const count = kind < 0.8 ? 1 : 2 + dice.upTo(2)
  return Array.from({ length: count }, () => drawLie(dice, moment))
}

function drawLie(dice: Dice, moment: Moment): Lie {
  const names = Object.keys(targets) as TargetName[]
  const asked = names.filter((name) => (targets[name].at as readonly Moment[]).includes(moment))
  const target = anyOf(dice, asked)
  const { path, kind } = anyOf<Field>(dice, targets[target].fields)
  return {
    target,
    path,
    kind,
    value: anyOf(dice, Object.keys(values[kind])),
    draw: dice.upTo(1000),
    ...drawOccasions(dice),
    ...(kind === 'broadcast' && { isSwallowed: dice.chance(0.5) }),
  }
}

const drawTransport = (dice: Dice): Lie => ({
  transport: anyOf(dice, Object.keys(transports) as TransportName[]),
  ...drawOccasions(dice),
})

const drawStory = (dice: Dice): Lie => ({
  story: anyOf(dice, Object.keys(stories) as StoryName[]),
  draw: dice.upTo(1000),
})

const drawOccasions = (dice: Dice) =>
  dice.chance(0.3)
    ? ONCE
    : {
        skip: dice.pick(0, 0, 0, 1, 2, 5),
        times: dice.pick(1, 2, 5, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      }

function anyOf<T>(dice: Dice, list: readonly T[]): T {
  const one = list[dice.upTo(list.length)]
  if (one === undefined) throw new Error('nothing can be drawn')
  return one
}

/** Describes a case in words. */
export function describeCase(one: LieCase): string {
  const { liar, moment, lies, minutes, finality, itemsPerTransaction, transactionsInFlight } = one
  const orders = one.isOrdering ? ', while more is ordered' : ''
  const thief = one.hasThief ? ', while a thief uses a key' : ''
  return `node ${liar} lies ${moment}, for ${minutes} min${orders}${thief}: ${lies.map(describeLie).join('; and ')} [finality ${finality}, ${itemsPerTransaction} items in each of ${transactionsInFlight} transactions, signers: ${one.signers}]`
}
