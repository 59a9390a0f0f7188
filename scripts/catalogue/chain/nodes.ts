/** The nodes of a network, asked in turn until one answers. */
import { setTimeout } from 'node:timers/promises'
import {
  type Block,
  block,
  blockAt,
  chainId,
  integer,
  read,
  unheard,
} from '../../../src/ethereum/questions.ts'
import { type Ask, nodeAt, type Question, type Reply } from '../../../src/ethereum/rpc.ts'
import type { Network } from '../../contract/networks.ts'
import { CommandError } from '../../shell/command.ts'

/** Waits for a number of milliseconds. */
export type Wait = (milliseconds: number) => Promise<unknown>

export const wait: Wait = (milliseconds) => setTimeout(milliseconds)

/** Milliseconds. Each wait is twice as long as the one before. */
const FIRST_DELAY = 250
const MAX_DELAY = 30_000
export const delayAfter = (failures: number): number =>
  Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (failures - 1))

/** Failures in a row after which a node that cannot be reached is given up: about a minute. */
export const MAX_FAILURES = 8
/** Errors in a row after which an error that a node answers with is taken for its answer. */
const MAX_ERRORS = 3
/** As in the settings of the Worker. */
const CALLS_PER_BATCH = 20

export const unreachable = ({ name }: Network, reason: string) =>
  new CommandError(
    `No node of ${name} answers: ${reason}. Run the command again: it continues where it stopped.`,
  )

/**
 * Asks one node. After failures with fewer calls in a request: together they may take longer than
 * the node or the client waits.
 */
function askOnce(network: Network, questions: readonly Question[], failures = 0) {
  const { rpcUrls, callsPerBatch = CALLS_PER_BATCH, callsPerSecond } = network
  const url = rpcUrls[failures % rpcUrls.length] ?? ''
  const limit = Math.max(1, Math.floor(callsPerBatch / 2 ** failures))
  return nodeAt(url, { callsPerBatch: limit, callsPerSecond })(questions)
}

/**
 * Returns a function that asks the nodes of a network. It repeats what a node did not answer, and
 * throws a `CommandError` when none has answered for about a minute. A call that a node alone does
 * not answer, while it answers others, stays without an answer.
 */
export function asking(network: Network, wait: Wait): Ask {
  return async (questions) => {
    const replies = new Map<Question, Reply>()
    let missing = questions
    for (let failures = 0; ; ) {
      const answer = await askOnce(network, missing, failures)
      for (const question of missing) replies.set(question, answer(question))
      missing = missing.filter((question) => mayChange(answer(question), failures))
      const [first] = missing
      if (!first) break
      if (++failures <= MAX_FAILURES) {
        await wait(delayAfter(failures))
        continue
      }
      const isAlive = (await askOnce(network, [chainId], failures - 1))(chainId)
      if (unheard(isAlive) === null) break
      throw unreachable(network, unheard(answer(first)) ?? '')
    }
    return (question) => replies.get(question) ?? { fault: 'not asked' }
  }
}

/** Whether to ask again: the node was not heard, or has answered with an error of its own. */
const mayChange = (reply: Reply, failures: number): boolean =>
  unheard(reply) !== null && !('error' in reply && failures >= MAX_ERRORS - 1)

/** Throws a `CommandError` if no node answers, or if one is on another chain than configured. */
export async function checkChain(network: Network): Promise<void> {
  const replies = await Promise.all(
    network.rpcUrls.map(async (_, i) => (await askOnce(network, [chainId], i))(chainId)),
  )
  const ids = replies.flatMap((reply) => read(integer, reply) ?? [])
  const other = ids.find((id) => id !== network.chainId)
  if (other !== undefined)
    throw new CommandError(
      `A node of ${network.name} has chain id ${other}. Configured is ${network.chainId}.`,
    )
  if (ids.length === 0)
    throw unreachable(network, replies.flatMap((reply) => unheard(reply) ?? [])[0] ?? 'no chain id')
}

/** Returns the newest final block. Throws a `CommandError` if there is none. */
export async function readFinalBlock(ask: Ask, { name, finality = 'finalized' }: Network) {
  const newest = blockAt(finality === 'finalized' ? finality : 'latest')
  const found = await readBlock(ask, newest)
  if (!found) throw new CommandError(`The node of ${name} does not tell the final block.`)
  if (finality === 'finalized' || finality === 1) return found
  const final = await readBlock(ask, blockAt(Math.max(0, found.number - finality + 1)))
  if (!final) throw new CommandError(`The node of ${name} does not tell the final block.`)
  return final
}

export async function readBlock(ask: Ask, question: Question): Promise<Block | null> {
  return read(block, (await ask([question]))(question))
}
