/** The users, NFTs and listings of the forced outcomes. */
import { type SQL, sql } from 'drizzle-orm'
import type { users } from '../../../src/db/schema/users.ts'
import { hashIdentity } from '../../../src/identity/namespace.ts'
import { LOCAL_CHAIN_ID } from '../chain/collectibles.ts'
import { collectible, forSale, timestamps } from './demo.ts'
import {
  accountOf,
  approver,
  assetOf,
  buyer,
  externalIdOf,
  externalIds,
  holder,
  type OutcomeContracts,
  outcomes,
  unapproved,
} from './outcomes.ts'

const userBy = (externalId: string): SQL<number> =>
  sql`(SELECT id FROM users WHERE externalId = ${externalId})`
const nftBy = (externalId: string): SQL<number> =>
  sql`(SELECT id FROM nfts WHERE externalId = ${externalId})`

type NewUser = Pick<typeof users.$inferInsert, 'email' | 'ethereumPublicAddr' | 'walletChainId'>

const user = (externalId: string, name: string, identity: NewUser) => ({
  externalId,
  name,
  provider: identity.email ? 'email' : 'wallet',
  identityHash: hashIdentity('email', identity.email || `${externalId}@example.com`),
  ...identity,
  ...timestamps,
})

const outcomeUsers: (typeof users.$inferInsert)[] = [
  {
    ...user(externalIds.holder, 'Outcomes (test)', { ethereumPublicAddr: holder }),
    username: 'outcomes',
  },
  user(externalIds.approver, 'Seller who approves later (test)', {
    ethereumPublicAddr: approver.address,
  }),
  user(externalIds.unapproved, 'Seller who approves nothing (test)', {
    ethereumPublicAddr: unapproved,
  }),
  user(externalIds.noWallet, 'Seller without a wallet (test)', {
    email: `${externalIds.noWallet}@example.com`,
  }),
  user(externalIds.elsewhere, 'Seller on another chain (test)', {
    ethereumPublicAddr: accountOf('3'),
    walletChainId: 1,
  }),
  user('outcome-recipient-not-deployed', 'Buyer without a contract (test)', {
    email: buyer('recipient-not-deployed').buyerEmail,
    ethereumPublicAddr: accountOf('4'),
    walletChainId: LOCAL_CHAIN_ID,
  }),
  user('outcome-recipient-on-other-chain', 'Buyer on another chain (test)', {
    email: buyer('recipient-on-other-chain').buyerEmail,
    ethereumPublicAddr: accountOf('5'),
    walletChainId: 1,
  }),
]

/** Returns the rows of the outcomes. The database assigns the ids, in this order. */
export function outcomeRows(contracts: OutcomeContracts) {
  const nftRows = outcomes.map((outcome) => ({
    ...collectible,
    externalId: externalIdOf(outcome),
    title: externalIdOf(outcome),
    creatorId: userBy(externalIds.holder),
    creatorPublicAddr: holder,
    contractName: 'Outcome',
    amount: 1_000_000,
    availableAmount: 1_000_000,
    payload: { title: externalIdOf(outcome), amountType: 'unlimited' },
    status: 'unlisted',
    releaseAt: timestamps.createdAt,
    ...assetOf(outcome, contracts),
  }))
  const listingRows = outcomes.map((outcome) => ({
    ...forSale,
    externalId: externalIdOf(outcome),
    sellerId: userBy(externalIds[outcome.seller ?? 'holder']),
    nftId: nftBy(externalIdOf(outcome)),
    // Never tried: they are sold although they cannot be delivered.
    checkAt: '9999',
  }))
  const addressRows = outcomeUsers
    .filter(({ email }) => email)
    .map(({ externalId }) => ({
      kind: 'billing' as const,
      userId: userBy(externalId ?? ''),
      street: 'Road 1',
      postal: '0150',
      city: 'Oslo',
      country: 'NO',
      ...timestamps,
    }))
  return { users: outcomeUsers, nfts: nftRows, listings: listingRows, addresses: addressRows }
}
