import type { Account } from '../../auth/session.ts'

type Identity = Pick<Account, 'email' | 'ethereumPublicAddr'>

/** Returns the e-mail address of an account, or else its shortened wallet address. */
export const contactName = ({ email, ethereumPublicAddr }: Identity): string =>
  email || shortAddress(ethereumPublicAddr)

/** Returns the name that a user has chosen, or else the identity. */
export const displayName = (user: Identity & Pick<Account, 'name' | 'username'>): string =>
  user.name || user.username || contactName(user)

/** Returns the beginning and the end of an address or a hash. */
export const shortAddress = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`
