/** What tokens say of mints that the Delivery contract does not make, because they have no limit. */
import { findTwo } from '../../chain/claims.ts'
import { askOne } from '../../chain/nodes.ts'
import { contractAmount } from '../../ethereum/token.ts'
import { makeTrialKeys } from '../key.ts'
import type { Delivery } from '../model.ts'
import type { Reason } from '../reasons.ts'
import { chooseStandard, isWithoutLimit, type Requested, type Tokens } from '../rules/compose.ts'
import { tryItem } from './refusal.ts'
import type { Tester } from './tokens.ts'

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
  { network, nodes, relayer }: Tester,
  requested: readonly Requested[],
  tokens: Omit<Tokens, 'troubles'>,
  { secret, now }: { secret: string; now: Date },
): Promise<Map<Delivery, Reason>> {
  const asked = requested
    .filter((request) => isWithoutLimit(request, tokens.limits))
    .flatMap((request) => {
      const { delivery, contract, transfer } = request
      const token = chooseStandard(request, tokens.standards, now)
      if (!token || 'reason' in token) return []
      const call = {
        ...transfer,
        key: delivery.key,
        amount: contractAmount(transfer, token.standard),
      }
      return { delivery, call, by: { relayer, contract, gasPerItem: network.gasPerItem } }
    })
    .slice(0, MAX_ASKED)
  const ownKeys = asked.map(({ delivery }) => delivery.key)
  const keys = await makeTrialKeys(secret, ownKeys, now)
  const told = await Promise.all(
    asked.map(async ({ by, call }, i) => {
      const tried = { ...call, key: keys[i] ?? call.key }
      const answers = await Promise.all(
        nodes.map((node) => tryItem((requests) => askOne(node, requests), by, tried)),
      )
      return answers.flatMap((reason) => (reason && isLasting(reason) ? reason : []))
    }),
  )
  const isOnly = network.rpcUrls.length === 1
  return new Map(
    asked.flatMap(({ delivery }, i) => {
      const reasons = told[i] ?? []
      const two = findTwo('reason', reasons, ({ reasonCode }) => reasonCode)
      const reason = isOnly ? reasons[0] : two?.[0]
      return reason ? [[delivery, reason] as const] : []
    }),
  )
}
