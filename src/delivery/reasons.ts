/** Why deliveries wait or failed: a code for programs, and a sentence for people. */
import type { ReasonCode } from '../db/schema/delivery.ts'

export const sentences: Record<ReasonCode, string> = {
  cancelled: 'cancelled',
  contract_paused: 'the delivery contract is paused',
  contract_unavailable: 'the delivery contract does not answer',
  gas_burned:
    'the token or the recipient used up the gas of two transfers: an operator has to retry',
  gas_limit_exceeded: 'the transfer needs more gas than gasPerItem allows',
  holder_has_no_token: 'the holder does not have the token',
  holder_not_approved: 'the holder has not approved the delivery contract',
  invalid_quantity: 'the quantity is not a number of pieces',
  invalid_recipient: 'the recipient is not a wallet',
  invalid_token_address: 'the NFT has no valid contract address',
  invalid_token_id: 'the NFT has no valid token id',
  key_used_for_other_delivery: 'the delivery key was used for another delivery',
  mint_not_exact: 'the mint would make other pieces than the one that was sold',
  mint_refused: 'the token refuses the mint',
  minter_role_missing: 'the delivery contract may not mint this token',
  network_not_configured: 'the network of the NFT is not configured',
  no_relayer: 'the delivery contract has no relayer',
  node_unavailable: 'the node does not tell whether the item can be delivered',
  quantity_above_limit: 'the quantity is above what a relayer may deliver at once',
  recipient_not_deployed: 'the contract wallet of the recipient is not deployed',
  recipient_on_other_chain: 'the recipient is a contract on another chain than the NFT',
  recipient_rejects: 'the recipient did not accept the token',
  relayer_limit_reached: 'the relayers have reached their limit',
  seller_has_no_wallet: 'the seller has no wallet',
  seller_on_other_chain: "the seller's wallet is a contract on another chain than the NFT",
  simulation_failed: 'the transfer fails in a simulation',
  single_piece_token: 'an ERC-721 token has one piece, so the quantity must be 1',
  token_limit_missing: 'the token has no limit in the delivery contract, which a mint requires',
  token_limit_reached: 'the token has reached its limit in the delivery contract',
  token_moved_nothing: 'the token accepted the transfer but recorded none',
  token_not_deployed: 'the token contract has no code',
  token_not_supported: 'the token contract is neither ERC-721 nor ERC-1155',
  token_not_transferable: 'the token cannot be transferred at present',
  transaction_not_found: 'the node does not tell which transaction used the key',
  transfer_failed: 'the transfer failed in a transaction',
}

/** Reasons for which a key is used up although the item is not delivered, in a final block. */
export const finalReasons: readonly ReasonCode[] = [
  'key_used_for_other_delivery',
  'token_moved_nothing',
]

const corrected = 'the NFT is corrected in the catalogue'
const buyerMoved = 'the buyer links another wallet'

/** Reasons for which a retry fails again at once, unless this happens before. */
export const retryNeeds: Partial<Record<ReasonCode, string>> = {
  invalid_quantity: corrected,
  invalid_recipient: buyerMoved,
  invalid_token_address: corrected,
  invalid_token_id: corrected,
  recipient_on_other_chain: buyerMoved,
  seller_has_no_wallet: 'the seller links a wallet',
  seller_on_other_chain: 'the seller links a wallet of the chain',
}

/** `reason`: the sentence of the code and, after a colon, what differs from item to item. */
export type Reason = { reasonCode: ReasonCode; reason: string }

/** Returns a code with its sentence. */
export const explain = (reasonCode: ReasonCode, detail?: string): Reason => ({
  reasonCode,
  reason: detail ? `${sentences[reasonCode]}: ${detail}` : sentences[reasonCode],
})
