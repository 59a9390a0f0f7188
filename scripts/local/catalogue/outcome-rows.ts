/** The users, NFTs and listings of the forced outcomes. */
import { type SQL, sql } from 'drizzle-orm'
import type { users } from '../../../src/db/schema/users.ts'
import { hashIdentity } from '../../../src/identity/namespace.ts'
import { LOCAL_CHAIN_ID } from '../chain/chain-id.ts'
import { collectible, forSale, timestamps } from './demo.ts'
import {
  accountOf,
  approver,
  assetOf,
  externalIdOf,
  holder,
  type OutcomeContracts,
  outcomes,
  SELLER,
  unapproved,
} from './outcomes.ts'

const userBy = (externalId: string): SQL<number> =>
  sql`(SELECT id FROM users WHERE externalId = ${externalId})`
const nftBy = (externalId: string): SQL<number> =>
  sql`(SELECT id FROM nfts WHERE externalId = ${externalId})`

type NewUser = Partial<Omit<typeof users.$inferInsert, 'externalId'>>

const user = (externalId: string, name: string, columns: NewUser) => ({
  externalId,
  name,
  provider: 'wallet',
  identityHash: hashIdentity('email', `${externalId}@example.com`),
  ...columns,
  ...timestamps,
})

const withEmail = (externalId: string, name: string, columns: NewUser = {}) =>
  user(externalId, name, {
    provider: 'email',
    email: `${externalId}@example.com`,
    ...columns,
  })

/** A wallet that is a contract. */
const contractOn = (walletChainId: number, account: string) => ({
  ethereumPublicAddr: accountOf(account),
  walletChainId,
})

const outcomeUsers = [
  user(SELLER, 'Outcomes (test)', { username: 'outcomes', ethereumPublicAddr: holder }),
  user('outcome-seller-waits', 'Seller who approves later (test)', {
    ethereumPublicAddr: approver.address,
  }),
  user('outcome-seller-not-approved', 'Seller who approves nothing (test)', {
    ethereumPublicAddr: unapproved,
  }),
  withEmail('outcome-seller-without-wallet', 'Seller without a wallet (test)'),
  user('outcome-seller-on-other-chain', 'Seller on another chain (test)', contractOn(1, '3')),
  withEmail(
    'outcome-recipient-not-deployed',
    'Buyer without a contract (test)',
    contractOn(LOCAL_CHAIN_ID, '4'),
  ),
  withEmail(
    'outcome-recipient-on-other-chain',
    'Buyer on another chain (test)',
    contractOn(1, '5'),
  ),
]

/** Returns the rows of the outcomes. The database assigns the ids, in this order. */
export function outcomeRows(contracts: OutcomeContracts) {
  const nftRows = outcomes.map((outcome) => ({
    ...collectible,
    externalId: externalIdOf(outcome),
    title: externalIdOf(outcome),
    creatorId: userBy(SELLER),
    creatorPublicAddr: holder,
    contractName: 'Outcome',
    amount: 1_000_000,
    availableAmount: 1_000_000,
    payload: { title: externalIdOf(outcome), amountType: 'unlimited' },
    status: 'unlisted',
    releaseAt: timestamps.createdAt,
    // They are sold untried, and no delivery stops them.
    recipients: 'verified' as const,
    ...assetOf(outcome, contracts),
  }))
  const listingRows = outcomes.map((outcome) => ({
    ...forSale,
    externalId: externalIdOf(outcome),
    sellerId: userBy(outcome.seller),
    nftId: nftBy(externalIdOf(outcome)),
  }))
  const addressRows = outcomeUsers
    .filter(({ email }) => email)
    .map(({ externalId }) => ({
      kind: 'billing' as const,
      userId: userBy(externalId),
      street: 'Road 1',
      postal: '0150',
      city: 'Oslo',
      country: 'NO',
      ...timestamps,
    }))
  return { users: outcomeUsers, nfts: nftRows, listings: listingRows, addresses: addressRows }
}
