/**
 * The listings of the demo whose deliveries end in a known way, because of what the catalogue and the
 * chain have. NFT and listing share the external id `outcome-<name>`. Their rows: outcome-rows.ts.
 */
import { type Address, getAddress } from 'viem'
import * as z from 'zod'
import { fulfilments } from '../../../src/db/schema/catalogue.ts'
import { localAccount } from '../chain/accounts.ts'
import type { Collectibles } from '../chain/collectibles.ts'
import list from './outcomes.json' with { type: 'json' }

/** Deploys the tokens, and holds those of `outcome-waits`. Anvil signs for it. */
export const approver = localAccount(8)

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
/** The accounts that have pieces. The first one approves the Delivery contract. */
export const holders: readonly Address[] = [holder, unapproved, approver.address]

/** The seller of most. */
export const SELLER = 'outcome-seller'

const Outcome = z.strictObject({
  /** The reason code, except for the last three. */
  name: z.string(),
  /** Why it ends so, as the guide says it. */
  cause: z.string(),
  /** What happens, and when. `advance`: by how much the clock has to go forward for it. */
  end: z.union([
    z.strictObject({
      event: z.literal('order.failed'),
      advance: z.enum(['11m', '25h']).optional(),
    }),
    z.strictObject({ event: z.literal('order.delivered'), isRepeated: z.boolean().optional() }),
    z.strictObject({ event: z.null(), waitsFor: z.string() }),
  ]),
  /** What an order must have for it. */
  order: z.strictObject({ quantity: z.int(), buyerEmail: z.string() }).partial().optional(),
  /** The external id of the seller. */
  seller: z.string().default(SELLER),
  nft: z.strictObject({
    contract: z.enum(['erc721', 'erc1155', 'delivery', 'outcome', 'limited', 'burning', 'nothing']),
    /** One of `OutcomeToken` is for one NFT, because a token has one record. */
    tokenId: z.string().nullable(),
    fulfilment: z.enum(fulfilments).default('transfer'),
    network: z.string().default('localhost'),
  }),
})
export type Outcome = z.infer<typeof Outcome>

export const outcomes = z.array(Outcome).parse(list)

/** Returns the id of the token of an outcome. */
export const tokenIdOf = (name: string) =>
  outcomes.find((outcome) => outcome.name === name)?.nft.tokenId

/** The columns of an NFT that say what is delivered. */
export function assetOf({ nft }: Outcome, contracts: OutcomeContracts) {
  const { contract, network, tokenId, fulfilment } = nft
  const addresses = { ...contracts, nothing: accountOf('d') }
  return { contractNetwork: network, contractAddr: addresses[contract], tokenId, fulfilment }
}

export const externalIdOf = ({ name }: Outcome) => `outcome-${name}`
