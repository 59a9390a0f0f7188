/** What the API answers about records that people list. */
import * as z from 'zod'
import { proposalKinds, proposalStates } from '../db/schema/creators.ts'
import { count, id, model, orNull, text, time } from '../http/fields.ts'
import { recordStates } from './record.ts'

const json = (description: string) => z.record(z.string(), z.unknown()).describe(description)

const proposalFields = () => ({
  state: z.enum(proposalStates).describe('`draft` until it is published.'),
  reason: orNull(text('Why it was rejected.')),
  submittedAt: time('When it was sent.'),
  fields: json('What would change of what is on sale. Empty for what is new.'),
})
const OwnProposal = model('OwnProposal', 'What waits to be approved.', proposalFields)

const ownFields = () => ({
  ref: orNull(text('What you call it; null for what the operator has imported for you.')),
  number: id('The id in the API.'),
  state: z
    .enum(recordStates)
    .describe('Of a listing: the state of its NFT, unless it was withdrawn.'),
  available: orNull(count('Pieces of the NFT that are left; null for no limit.')),
  proposal: orNull(OwnProposal.describe('What waits; null if nothing does.')),
  record: json('The record in the catalogue, as docs/catalogue.md describes it.'),
})
export const OwnRecord = model('OwnRecord', 'Something that you list.', ownFields)

const nextCursor = orNull(id('Send it as `cursor` for the next page; null on the last one.'))
export const OwnNfts = model('OwnNfts', 'A page of the NFTs that you list.', () => ({
  nfts: z.array(OwnRecord).describe('The newest first.'),
  nextCursor,
}))
export const OwnListings = model('OwnListings', 'A page of your listings.', () => ({
  listings: z.array(OwnRecord).describe('The newest first.'),
  nextCursor,
}))

const WaitingProposal = model('WaitingProposal', 'Something that waits to be approved.', () => ({
  kind: z.enum(proposalKinds).describe('What it is.'),
  number: id('The id of the NFT or the listing.'),
  version: z.uuid().describe('Send it with your decision: it is for just this version.'),
  submittedAt: time('When it was sent.'),
  nftId: id('The id of the NFT.'),
  userId: id('The id of who lists it.'),
  record: json('The record in the catalogue. Of what is new, all of it waits.'),
  fields: json('What would change of what is on sale. Empty for what is new.'),
}))
export const WaitingProposals = model('WaitingProposals', 'What waits to be approved.', () => ({
  proposals: z.array(WaitingProposal).describe('The oldest first.'),
  total: count('How much waits.'),
}))
export const Decided = model('DecidedProposal', 'What was decided.', () => ({
  number: id('The id of the NFT or the listing.'),
  state: z.enum(['released', 'rejected']).describe('What it is now.'),
}))
