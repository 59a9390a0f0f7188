/**
 * Why a delivery waits or failed. docs/guides/delivery.md shows this table (`npm run openapi`).
 *
 * A delivery stops waiting and fails in three ways, and in no other:
 * 1. It has waited for a reason for as long as `waits` says, and two nodes, where there are two, tell it
 *    (`waitOrFail` in `delivery/rules/delivery-changes.ts`); one is enough for reasons with
 *    `needsNoSecondNode`. A delivery that is to be cancelled does not fail so. After a failed transaction,
 *    the time of a reason counts from that failure.
 * 2. Its transfer has failed in three transactions (`failInTransaction` there), or in one, and
 *    simulations of two nodes then give a reason with `isOwnFault`. Failures by a limit of the contract
 *    do not count.
 * 3. A final block has its key (`delivery/rules/settle.ts`): used for something else, or for this delivery
 *    although the token has moved nothing. It can be written off only, unless a fork drops that block
 *    (`delivery/compare.ts`): then its reason becomes one that can be retried.
 * An operator can retry what has failed in the first two ways.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { ReasonCode } from '../db/schema/delivery.ts'
import type { Network } from '../env.ts'
import { DAY, MINUTE } from '../time.ts'
import { treasuryOf } from './holder.ts'
import type { Delivery } from './model.ts'

/** Milliseconds for which the transaction that used a key is searched for. */
export const SEARCH_TIME = 10 * MINUTE

type Rule = {
  /** For people. */
  sentence: string
  /**
   * Milliseconds that a delivery waits before it ends: 0 if it fails once it is looked at, Infinity if it
   * waits until the cause is removed. Absent if no delivery waits for this: `ends` says when it ends.
   * `transaction_not_found` has both, because its wait ends with what the record of the key says.
   */
  waits?: number
  /** How it ends. Default: it fails. */
  ends?: string
  /**
   * Whether nothing but the delivery is the cause: if its transfer has failed in a transaction, it fails now.
   */
  isOwnFault?: true
  /** Whether the delivery fails although a second node has not told the cause. */
  needsNoSecondNode?: true
  /** Who can remove the cause. Default: the operators. */
  removedBy?: 'seller' | 'buyer' | 'network' | undefined
  /**
   * Whether the delivery can be retried once it has ended. False: its key is used up, in a final block. A
   * sentence says what has to happen before. Default: yes, and it fails again if the cause is still there.
   */
  retry?: false | string
}

const corrected = 'the NFT is corrected in the catalogue'
const buyerMoved = 'the buyer links another wallet'

/** The order itself shows that it cannot be delivered. */
const atOnce = (sentence: string, retry: string, removedBy?: Rule['removedBy']): Rule => ({
  sentence,
  waits: 0,
  needsNoSecondNode: true,
  removedBy,
  retry,
})
/** A final block has the key, so no delivery waits for this. */
const byRecord = (sentence: string): Rule => ({ sentence, ends: 'fails at once', retry: false })
/** Nobody corrects that. */
const ownFault = (sentence: string): Rule => ({ sentence, waits: 10 * MINUTE, isOwnFault: true })
/** The holder of the token often corrects that. */
const untilNextDay = (sentence: string): Rule => ({ sentence, waits: DAY, removedBy: 'seller' })
/** Nothing is wrong with the delivery. */
const untilRemoved = (sentence: string, removedBy?: Rule['removedBy']): Rule => ({
  sentence,
  waits: Infinity,
  removedBy,
})

export const rules: Record<ReasonCode, Rule> = {
  cancelled: { sentence: 'cancelled', ends: 'is cancelled', retry: false },
  contract_paused: untilRemoved('the delivery contract is paused'),
  contract_unavailable: untilRemoved('the delivery contract does not answer', 'network'),
  gas_burned: untilRemoved(
    'the token or the recipient used up the gas of two transfers: an operator has to retry',
  ),
  gas_limit_exceeded: ownFault('the transfer needs more gas than gasPerItem allows'),
  holder_has_no_token: untilNextDay('the holder does not have the token'),
  holder_not_approved: untilNextDay('the holder has not approved the delivery contract'),
  invalid_quantity: atOnce('the quantity is not a number of pieces', corrected),
  invalid_recipient: atOnce('the recipient is not a wallet', buyerMoved, 'buyer'),
  invalid_token_address: atOnce('the NFT has no valid contract address', corrected),
  invalid_token_id: atOnce('the NFT has no valid token id', corrected),
  key_used_for_other_delivery: byRecord('the delivery key was used for another delivery'),
  mint_not_exact: ownFault('the mint would make other pieces than the one that was sold'),
  mint_refused: untilNextDay('the token refuses the mint'),
  minter_role_missing: untilNextDay('the delivery contract may not mint this token'),
  network_not_configured: {
    sentence: 'the network of the NFT is not configured',
    waits: DAY,
    needsNoSecondNode: true,
  },
  no_relayer: untilRemoved('the delivery contract has no relayer'),
  node_unavailable: untilRemoved(
    'the node does not tell whether the item can be delivered',
    'network',
  ),
  quantity_above_limit: {
    sentence: 'the quantity is above what a relayer may deliver at once',
    waits: DAY,
  },
  recipient_not_deployed: {
    ...ownFault('the contract wallet of the recipient is not deployed'),
    removedBy: 'buyer',
    retry: 'the buyer signs in with the wallet or deploys it',
  },
  recipient_on_other_chain: atOnce(
    'the recipient is a contract on another chain than the NFT',
    buyerMoved,
    'buyer',
  ),
  recipient_rejects: {
    ...ownFault('the recipient did not accept the token'),
    removedBy: 'buyer',
  },
  relayer_limit_reached: untilRemoved('the relayers have reached their limit'),
  seller_has_no_wallet: atOnce('the seller has no wallet', 'the seller links a wallet', 'seller'),
  seller_on_other_chain: atOnce(
    "the seller's wallet is a contract on another chain than the NFT",
    'the seller links a wallet of the chain',
    'seller',
  ),
  simulation_failed: untilRemoved('the transfer fails in a simulation'),
  single_piece_token: ownFault('an ERC-721 token has one piece, so the quantity must be 1'),
  token_limit_missing: untilRemoved(
    'the token has no limit in the delivery contract, which a mint requires',
  ),
  token_limit_reached: untilRemoved('the token has reached its limit in the delivery contract'),
  token_moved_nothing: {
    ...byRecord('the token accepted the transfer but recorded none'),
    ends: 'fails at once, its sale stops until an import changes the listing',
  },
  token_not_deployed: ownFault('the token contract has no code'),
  token_not_supported: ownFault('the token contract is neither ERC-721 nor ERC-1155'),
  token_not_transferable: untilNextDay('the token cannot be transferred at present'),
  transaction_not_found: {
    sentence: 'the node does not tell which transaction used the key',
    waits: SEARCH_TIME,
    ends: 'ends as the record of its key says',
    removedBy: 'network',
  },
  transfer_failed: {
    sentence: 'the transfer failed in a transaction',
    ends: 'fails in its third transaction',
  },
  transfer_without_effect: untilRemoved(
    'three transactions had no effect: an operator has to retry',
  ),
}

/**
 * Returns who can remove the cause. A treasury holds NFTs of sellers, but does not own their contracts.
 */
export function removerOf(
  code: ReasonCode,
  nft: Parameters<typeof treasuryOf>[0],
  network: Pick<Network, 'treasury'>,
) {
  const remover = rules[code].removedBy ?? 'operator'
  const isHeld = treasuryOf(nft, network) && remover === 'seller' && code !== 'minter_role_missing'
  return isHeld ? 'operator' : remover
}

/** Codes of failed deliveries whose keys are used up. Only an operator can close such deliveries. */
const usedUpReasons: readonly string[] = Object.entries(rules).flatMap(([code, { retry }]) =>
  retry === false && code !== 'cancelled' ? code : [],
)

/**
 * Whether nothing can be done with a failed delivery any more, because its key is used up. `isUsedUpSql` says
 * the same.
 */
export const isUsedUp = ({ state, reasonCode }: Pick<Delivery, 'state' | 'reasonCode'>): boolean =>
  state === 'failed' && reasonCode !== null && usedUpReasons.includes(reasonCode)

/** `delivery`: how the statement calls the row of the delivery. */
export const isUsedUpSql = (delivery: string): SQL =>
  sql`(${sql.raw(delivery)}.state = 'failed'
    AND coalesce(${sql.raw(delivery)}.reasonCode, '') IN ${usedUpReasons})`

/**
 * Whether the pieces of a delivery have returned to the stock: it was cancelled, and a fork has dropped the
 * block that had its key. It keeps this reason until it ends, and does not fail: it is cancelled again, or
 * transferred.
 */
export const hasReturnedPieces = ({ reasonCode }: Pick<Delivery, 'reasonCode'>): boolean =>
  reasonCode === 'cancelled'

/**
 * Why a delivery waits or failed. `reasonDetail`: what differs from delivery to delivery, such as what the
 * chain said.
 */
export type Reason = { reasonCode: ReasonCode; reasonDetail: string | null }

export const explain = (reasonCode: ReasonCode, detail?: string): Reason => ({
  reasonCode,
  reasonDetail: detail || null,
})

type ReasonColumns = { reasonCode: ReasonCode | null; reasonDetail: string | null }

/** Returns a reason as a sentence for people; null if there is none. */
export function describeReason({ reasonCode, reasonDetail }: ReasonColumns): string | null {
  if (reasonCode === null) return null
  const { sentence } = rules[reasonCode]
  return reasonDetail === null ? sentence : `${sentence}: ${reasonDetail}`
}
