/** Somebody who lists what the seller of a chain holds, and calls of the API on that chain. */
import { beforeAll, beforeEach } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { answerOf, callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { networksOf } from '../support/delivery/engine.ts'
import { aMasterToken, aToken, aUser, db, execute } from '../support/makers.ts'

type Creators = 'off' | 'invited' | 'open'
type Waiting = { kind: string; number: number; version: string; userId: number }
type Answer = {
  code?: string
  error?: string
  issues?: { path: string; code: string }[]
  ref: string | null
  number: number
  state: string
  available: number | null
  proposal: { state: string; reason: string | null; fields: Record<string, unknown> } | null
  record: Record<string, unknown>
}

/**
 * Starts a chain for the tests of a file, whose seller has five pieces. What earlier tests have listed is on
 * other networks then.
 */
export function aSharedChain() {
  let chain: Chain
  beforeAll(async () => {
    let end = async () => {}
    chain = await aChain({ erc1155: 5, mints: true }, (stop) => {
      end = stop
    })
    return () => end()
  })
  beforeEach(() => execute(`UPDATE nfts SET contractNetwork = 'earlier ' || id`))
  return () => chain
}

/** `wallet`: an account of the chain. By default the user is not approved, and everybody may list. */
export async function aCreator(
  chain: Chain,
  {
    wallet = chain.seller as string,
    approved = false,
    creators = 'open' as Creators,
    treasury = '',
  } = {},
) {
  // The accounts of the chain have the same address in each test.
  await db.update(users).set({ ethereumPublicAddr: '' })
  const user = await aUser({
    ethereumPublicAddr: wallet,
    approved,
    identityHash: crypto.randomUUID(),
    lastAccessAt: '2026-01-01T00:00:00.000Z',
  })
  const token = await aToken(user)
  const NETWORKS = networksOf([chain], treasury ? ({ treasury } as never) : {}) as never
  const bindings = { NETWORKS, CREATORS: creators as never }
  const send = (method: string, path: string, json?: unknown, by = token) =>
    answerOf<Answer>(
      callWith(bindings, method, path, { token: by, ...(json !== undefined && { json }) }),
    )
  const master = await aMasterToken()
  const waiting = async () =>
    (
      await answerOf<{ proposals: Waiting[] }>(
        callWith(bindings, 'GET', '/api/admin/proposals?limit=100', { token: master }),
      )
    ).proposals.filter(({ userId }) => userId === user.id)
  return {
    chain,
    user,
    token,
    bindings,
    master,
    send,
    putNft: (ref: string, json: object, query = '') =>
      send('PUT', `/api/nfts/${encodeURIComponent(ref)}${query}`, json),
    putListing: (ref: string, json: object, query = '') =>
      send('PUT', `/api/listings/${encodeURIComponent(ref)}${query}`, json),
    waiting,
    async firstWaiting() {
      const [proposal] = await waiting()
      if (!proposal) throw new Error('nothing waits')
      return proposal
    },
    decide: (
      { kind, number, version }: { kind: string; number: number; version: string },
      decision: 'approve' | 'reject',
      json = {},
    ) =>
      send(
        'POST',
        `/api/admin/proposals/${kind}/${number}/${decision}`,
        { version, ...json },
        master,
      ),
  }
}

/** A record of an NFT of the chain. */
export const anNftBody = (chain: Chain, values: Record<string, unknown> = {}) => ({
  network: chain.name,
  contract: chain.contracts.erc1155,
  contractName: 'Waves',
  tokenId: '1',
  amountType: 'limited',
  amount: 1,
  priceCents: 2500,
  priceEths: '0.01',
  priceCurrency: 'EUR',
  metadata: { name: 'Sunrise', description: 'A morning' },
  ...values,
})

export const aListingBody = (nft: string, values: Record<string, unknown> = {}) => ({
  nft,
  priceCents: 2500,
  priceEths: '0.01',
  priceCurrency: 'EUR',
  ...values,
})
