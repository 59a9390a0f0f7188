/** What the transfers of one network need next, and the transactions that are to be signed for it. */
import type { Address } from 'viem'
import type { Network } from '../env.ts'
import { log } from '../log.ts'
import { allot, obstacles, type Step } from './allot.ts'
import { observe } from './chain.ts'
import { attemptsOf, decide } from './decide.ts'
import type { Account, Transfer } from './state.ts'

/** Steps on one network; null when it is not configured. */
export type Plan = { network: Network | null; steps: Step[] }

export async function plan(
  name: string,
  network: Network | undefined,
  signer: Address,
  account: Account | undefined,
  transfers: readonly Transfer[],
  now: Date,
): Promise<Plan> {
  if (!network || !account) return { network: null, steps: transfers.map(withoutNetwork) }
  const { chainId } = network
  const facts = await observe(network, signer, transfers)
  if ('trouble' in facts) {
    const reason = facts.trouble
    log.error('network_trouble', { network: name, chainId, transfers: transfers.length, reason })
    return { network, steps: transfers.map((transfer) => stay(transfer, reason)) }
  }
  const needs = transfers.map((transfer) => ({
    transfer,
    action: decide(transfer, facts, network, now),
  }))
  const steps = allot(needs, facts, account, network, signer)
  tellObstacles(name, chainId, steps)
  const unknown = [...facts.usedBy.values()].filter((hash) => hash === null).length
  if (unknown > 0) log.error('nonce_use_unknown', { network: name, chainId, transfers: unknown })
  return { network, steps }
}

const stay = (transfer: Transfer, reason: string): Step => ({
  transfer,
  action: { do: 'wait', reason },
  draft: null,
})

/** With a nonce it waits for the configuration to come back; without one there is no transfer. */
function withoutNetwork(transfer: Transfer): Step {
  const reason = `the network ${transfer.contractNetwork} is not configured`
  if (attemptsOf(transfer).length > 0) return stay(transfer, reason)
  return { transfer, action: { do: 'fail', reason, hash: null }, draft: null }
}

function tellObstacles(network: string, chainId: number, steps: readonly Step[]): void {
  for (const reason of Object.values(obstacles)) {
    const held = steps.filter(({ action }) => 'reason' in action && action.reason === reason)
    if (held.length > 0)
      log.error('signing_held_up', { network, chainId, transfers: held.length, reason })
  }
}
