/**
 * Whose word suffices. What a node answers is a claim: it may lie, lag behind or be on another fork. Every
 * answer that stops something, fails, signs again, closes or proves is decided here, by the rule of its
 * kind. A node that is left out or accused is asked as well: it is still a witness.
 */
import type { Network } from '../env.ts'
import { log } from '../log.ts'

/**
 * `any`: one yes suffices. `all that answer`: one no suffices. `all configured`: as before, and a node
 * that is silent leaves it open. `two`: two nodes give the same answer.
 */
type Rule = 'any' | 'all that answer' | 'all configured' | 'two'

/**
 * What is asked, and whose word suffices for a yes. docs/architecture.md shows this table (`npm run
 * openapi`).
 */
export const claims = {
  // A wrong yes costs a transaction without effect, which is counted.
  can_go_on: {
    suffices: 'any',
    asked:
      'Whether deliveries can go on: funds, fees, limits, a relayer that is set, a contract that is not paused, a simulation that passes, a trial by one of two standards',
  },
  shown: {
    suffices: 'any',
    asked: 'What is shown to somebody who chooses tokens to list: the first node that answers',
  },
  is_proven: {
    suffices: 'all that answer',
    asked:
      'Whether a contract accepts a signature, has code, makes just the pieces that were sold, or asks for this royalty',
  },
  is_for_all: {
    suffices: 'all configured',
    asked:
      'Whether a listing cannot be delivered, and whether somebody holds a token or owns its contract',
  },
  is_wrong: {
    suffices: 'all configured',
    asked: 'Whether what is stored of blocks, nonces and contracts is wrong',
  },
  record: {
    suffices: 'two',
    asked: 'The record of a delivery key, unless the key was never carried (`mergeRecords`)',
  },
  receipt: { suffices: 'two', asked: 'The receipt of a transaction, and each of its events' },
  transaction: { suffices: 'two', asked: 'A transaction that the rows do not know' },
  nonce: { suffices: 'two', asked: 'The nonces that a signer has used: as many as two nodes have' },
  final: { suffices: 'two', asked: 'The final block: the highest that two nodes have' },
  standard: {
    suffices: 'two',
    asked: 'The standard of a token, or why it has none (`readStandards`)',
  },
  reason: {
    suffices: 'two',
    asked: 'Why a delivery cannot be made. If they give different reasons, the longer wait holds',
  },
} as const satisfies Record<string, { suffices: Rule; asked: string }>

type Kind = keyof typeof claims
type KindOf<R extends Rule> = {
  [K in Kind]: (typeof claims)[K]['suffices'] extends R ? K : never
}[Kind]

/** What nodes say, in the order of `rpcUrls`. Null: a node does not tell. */
export type Told<T> = readonly (T | null)[]

type Nodes = Pick<Network, 'chainId'>

/**
 * Returns what nodes say together of a question that is answered with yes or no; null if that is open.
 * Nodes that contradict each other are logged.
 */
export function believe(
  kind: Exclude<Kind, KindOf<'two'>>,
  { chainId }: Nodes,
  told: Told<boolean>,
): boolean | null {
  const given = told.filter((answer) => answer !== null)
  if (new Set(given).size > 1) log.error('nodes_disagree', { chainId, kind, answers: told })
  if (given.length === 0) return null
  const { suffices } = claims[kind]
  if (suffices === 'any') return given.includes(true)
  if (given.includes(false)) return false
  return suffices === 'all that answer' || given.length === told.length ? true : null
}

/**
 * Asks nodes one after the other, and returns what the first one tells that tells anything; null if none does.
 * `kind`: the row of the table.
 */
export async function findFirst<N, T>(
  _kind: KindOf<'any'>,
  nodes: readonly N[],
  ask: (node: N) => Promise<T | null>,
): Promise<T | null> {
  for (const node of nodes) {
    const told = await ask(node)
    if (told !== null) return told
  }
  return null
}

/**
 * Returns what two nodes or more tell alike, as each of them tells it. `told`: what the nodes say that answer,
 * `textOf`: what has to be the same, `kind`: the row of the table. Null: no two agree.
 */
export function findTwo<T>(
  _kind: KindOf<'two'>,
  told: readonly T[],
  textOf: (value: T) => string,
): [T, T, ...T[]] | null {
  for (const [first, second, ...others] of Map.groupBy(told, textOf).values())
    if (first !== undefined && second !== undefined) return [first, second, ...others]
  return null
}

/** Whether nodes contradict each other. */
export const isContradicted = <T>(told: readonly T[], textOf: (value: T) => string): boolean =>
  new Set(told.map(textOf)).size > 1

/** Returns the highest that two nodes reach: the lower one of two, and the second highest of more. */
export function findHighest<T>(
  _kind: KindOf<'two'>,
  told: readonly T[],
  heightOf: (value: T) => number,
): T | undefined {
  const sorted = told.toSorted((a, b) => heightOf(b) - heightOf(a))
  return sorted[Math.min(1, sorted.length - 1)]
}
