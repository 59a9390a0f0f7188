/** What tokens say of mints that the Delivery contract does not make, because they have no limit. */
import type { Address } from 'viem'
import { findTwo } from '../../chain/claims.ts'
import { askOne, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { contractAmount } from '../../ethereum/token.ts'
import type { Item } from '../model.ts'
import type { Reason } from '../reasons.ts'
import { isWithoutLimit, type Requested, type Tokens } from '../rules/compose.ts'
import { tryItem } from './refusal.ts'

/** Mints that a step asks about. More would delay the others. */
const MAX_ASKED = 10

/** What a limit would not change. */
const isLasting = ({ reasonCode }: Reason): boolean =>
  reasonCode === 'mint_not_exact' || reasonCode === 'mint_refused'

/**
 * Returns why tokens do not mint what was ordered, although nobody has set their limits, if two nodes say
 * so, where there are two.
 */
export async function findMintTroubles(
  { network, nodes, relayer }: { network: Network; nodes: readonly Node[]; relayer: Address },
  requested: readonly Requested[],
  tokens: Omit<Tokens, 'troubles'>,
): Promise<Map<Item, Reason>> {
  const asked = requested
    .filter((request) => isWithoutLimit(request, tokens.limits))
    .flatMap(({ item, contract, transfer }) => {
      const token = tokens.standards.get(transfer.token)
      if (!token || !('standard' in token)) return []
      const call = { ...transfer, key: item.key, amount: contractAmount(transfer, token.standard) }
      return { item, call, by: { relayer, delivery: contract, gasPerItem: network.gasPerItem } }
    })
    .slice(0, MAX_ASKED)
  const told = await Promise.all(
    asked.map(async ({ by, call }) => {
      const answers = await Promise.all(
        nodes.map((node) => tryItem((requests) => askOne(node, requests), by, call)),
      )
      return answers.flatMap((reason) => (reason && isLasting(reason) ? reason : []))
    }),
  )
  const isOnly = network.rpcUrls.length === 1
  return new Map(
    asked.flatMap(({ item }, i) => {
      const reasons = told[i] ?? []
      const two = findTwo('reason', reasons, ({ reasonCode }) => reasonCode)
      const reason = isOnly ? reasons[0] : two?.[0]
      return reason ? [[item, reason] as const] : []
    }),
  )
}
