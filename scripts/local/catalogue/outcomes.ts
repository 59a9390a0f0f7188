/**
 * The listings of the demo whose deliveries end in a known way, because of what the catalogue and the
 * chain have. NFT and listing share the external id `outcome-<name>`. Their rows: outcome-rows.ts.
 */
import { type Address, getAddress } from 'viem'
import type { nfts } from '../../../src/db/schema/catalogue.ts'
import { localAccount } from '../chain/accounts.ts'
import type { Collectibles } from '../chain/collectibles.ts'

/** Deploys the tokens, and holds those of `outcome-waits`. Anvil signs for it. */
export const approver = localAccount(8)

/**
 * Token ids of `contracts/OutcomeToken.sol`, one for each NFT, because a token has one record. Those
 * that the contract does not name can be transferred.
 */
export const tokenIds = {
  delivered: '1',
  slow: '2',
  reorganised: '3',
  membersOnly: '4',
  expensive: '5',
  silent: '6',
  frozen: '7',
  failsInBlock: '8',
  burnsInBlock: '9',
  notMintable: '10',
  notApproved: '11',
  toNoContract: '12',
  toOtherChain: '13',
  ofNobody: '14',
  ofOtherChain: '15',
  waiting: '16',
} as const

/** What the outcomes need on the chain. */
export type OutcomeContracts = Collectibles & {
  /** The Delivery contract. */
  delivery: Address
  /** Instances of `OutcomeToken`. */
  outcome: Address
  /** Of this one, the Delivery contract may move nothing. */
  limited: Address
  /** Tokens that have burned gas wait for an operator, so this one is alone. */
  burning: Address
}

/** The account with a digit in every place. Nobody has its key, and no contract is there. */
export const accountOf = (digit: string): Address => getAddress(`0x${digit.repeat(40)}`)
export const holder = accountOf('1')
export const unapproved = accountOf('2')
export const holders: readonly Address[] = [holder, unapproved, approver.address]

/** The sellers. */
export const externalIds = {
  holder: 'outcome-seller',
  approver: 'outcome-seller-waits',
  unapproved: 'outcome-seller-not-approved',
  noWallet: 'outcome-seller-without-wallet',
  elsewhere: 'outcome-seller-on-other-chain',
} as const

export type Outcome = {
  name: string
  /** Why it ends so, as the guide says it. */
  cause: string
  /** What happens, and when. `advance`: by how much the clock has to go forward for it. */
  end:
    | { event: 'order.failed'; advance?: '11m' | '25h' }
    | { event: 'order.delivered'; isRepeated?: true }
    /** It waits for this. */
    | { event: null; waitsFor: 'an operator' | "the seller's approval, for 24 hours" }
  /** What an order must have for it. */
  order?: { quantity?: number; buyerEmail?: string }
  seller?: keyof typeof externalIds
  nft: (contracts: OutcomeContracts) => Partial<typeof nfts.$inferInsert>
}

const failed = { event: 'order.failed' } as const
const failsSoon = { ...failed, advance: '11m' } as const
const failsLate = { ...failed, advance: '25h' } as const
const delivered = { event: 'order.delivered' } as const
const needsOperator = { event: null, waitsFor: 'an operator' } as const

const ofToken =
  (token: keyof typeof tokenIds): Outcome['nft'] =>
  ({ outcome }) => ({ contractAddr: outcome, tokenId: tokenIds[token] })

export const buyer = (name: string) => ({ buyerEmail: `outcome-${name}@example.com` })

/** Except for the last three, the name is the reason code. */
export const outcomes: readonly Outcome[] = [
  {
    name: 'gas-burned',
    cause: 'The token used up its gas in two transactions',
    end: needsOperator,
    nft: ({ burning }) => ({ contractAddr: burning, tokenId: tokenIds.burnsInBlock }),
  },
  {
    name: 'gas-limit-exceeded',
    cause: 'The transfer needs half a million gas',
    end: failsSoon,
    nft: ofToken('expensive'),
  },
  {
    name: 'holder-has-no-token',
    cause: 'Nobody has minted the token',
    end: failsLate,
    nft: ({ erc1155 }) => ({ contractAddr: erc1155, tokenId: '999' }),
  },
  {
    name: 'holder-not-approved',
    cause: 'The seller has not approved the Delivery contract',
    end: failsLate,
    seller: 'unapproved',
    nft: ofToken('notApproved'),
  },
  {
    name: 'invalid-token-id',
    cause: 'The NFT has no token id',
    end: failed,
    nft: ({ outcome }) => ({ contractAddr: outcome, tokenId: null }),
  },
  {
    name: 'minter-role-missing',
    cause: 'The Delivery contract may not mint the token',
    end: failsLate,
    nft: ({ outcome }) => ({
      contractAddr: outcome,
      tokenId: tokenIds.notMintable,
      fulfilment: 'mint',
    }),
  },
  {
    name: 'network-not-configured',
    cause: 'The NFT is on a network that the instance does not have',
    end: failsLate,
    nft: ({ outcome }) => ({
      contractAddr: outcome,
      tokenId: tokenIds.delivered,
      contractNetwork: 'not-configured',
    }),
  },
  {
    name: 'recipient-not-deployed',
    cause: "The buyer's wallet is a contract, and its address has no code",
    end: failsSoon,
    order: buyer('recipient-not-deployed'),
    nft: ofToken('toNoContract'),
  },
  {
    name: 'recipient-on-other-chain',
    cause: "The buyer's wallet is a contract on another chain",
    end: failed,
    order: buyer('recipient-on-other-chain'),
    nft: ofToken('toOtherChain'),
  },
  {
    name: 'recipient-rejects',
    cause: 'Only members may have the token, and the buyer is not a member',
    end: failsSoon,
    nft: ofToken('membersOnly'),
  },
  {
    name: 'seller-has-no-wallet',
    cause: 'The seller has no wallet',
    end: failed,
    seller: 'noWallet',
    nft: ofToken('ofNobody'),
  },
  {
    name: 'seller-on-other-chain',
    cause: "The seller's wallet is a contract on another chain",
    end: failed,
    seller: 'elsewhere',
    nft: ofToken('ofOtherChain'),
  },
  {
    name: 'single-piece-token',
    cause: 'An ERC-721 token has one piece',
    end: failsSoon,
    order: { quantity: 2 },
    nft: ({ erc721 }) => ({ contractAddr: erc721, tokenId: '999' }),
  },
  {
    name: 'token-limit-missing',
    cause: 'A mint, and the Delivery contract has no limit for the token',
    end: needsOperator,
    nft: ({ erc721 }) => ({ contractAddr: erc721, tokenId: '1000', fulfilment: 'mint' }),
  },
  {
    name: 'token-limit-reached',
    cause: 'The Delivery contract may move no piece of the token',
    end: needsOperator,
    nft: ({ limited }) => ({ contractAddr: limited, tokenId: tokenIds.delivered }),
  },
  {
    name: 'token-moved-nothing',
    cause: 'The token accepts the transfer and does nothing',
    end: failed,
    nft: ofToken('silent'),
  },
  {
    name: 'token-not-deployed',
    cause: 'There is no contract at the address of the token',
    end: failsSoon,
    nft: () => ({ contractAddr: accountOf('d'), tokenId: '1' }),
  },
  {
    name: 'token-not-supported',
    cause: 'The contract at the address is no token',
    end: failsSoon,
    nft: ({ delivery }) => ({ contractAddr: delivery, tokenId: '1' }),
  },
  {
    name: 'token-not-transferable',
    cause: 'The token is frozen',
    end: failsLate,
    nft: ofToken('frozen'),
  },
  {
    name: 'transfer-failed',
    cause: 'The transfer fails in three transactions, and in no simulation',
    end: failed,
    nft: ofToken('failsInBlock'),
  },
  {
    name: 'slow',
    cause: 'No block has the transaction for 30 seconds',
    end: delivered,
    nft: ofToken('slow'),
  },
  {
    name: 'waits',
    cause: 'The seller has not approved the Delivery contract, and you can do it',
    end: { event: null, waitsFor: "the seller's approval, for 24 hours" },
    seller: 'approver',
    nft: ofToken('waiting'),
  },
  {
    name: 'reorganised',
    cause: 'Its block is reorganised away once it is delivered, and it is delivered again',
    end: { event: 'order.delivered', isRepeated: true },
    nft: ofToken('reorganised'),
  },
]

/** The columns of an NFT that say what is delivered. */
export function assetOf(outcome: Outcome, contracts: OutcomeContracts) {
  const asset = { contractNetwork: 'localhost', ...outcome.nft(contracts) }
  return { ...asset, contractAddr: asset.contractAddr ?? contracts.outcome }
}

export const externalIdOf = ({ name }: Outcome) => `outcome-${name}`
