/** Who is who among the accounts of anvil. */
import { localAccount } from '../../scripts/local/chain/accounts.ts'

export const owner = localAccount(0).address
export const relayer = localAccount(1).address
export const otherRelayer = localAccount(2).address
export const holder = localAccount(3).address
/** Has tokens, but has not approved the contract. */
export const otherHolder = localAccount(4).address
export const stranger = localAccount(5).address
/** May pause and retire the contract. */
export const guardian = localAccount(6).address
