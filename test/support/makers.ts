/** Small makers: each writes one thing with sensible fields, and says only what matters. */
import { env } from 'cloudflare:workers'
import { connect } from '../../src/db/client.ts'
import { ADMINISTRATOR, addresses, listings, nfts, tokens, users } from '../../src/db/schema.ts'
import { settingsOf } from '../../src/env.ts'
import { API_TOKEN_LIFE, newToken, signToken } from '../../src/identity/tokens.ts'

export const db = connect(env.DB)

const NOW = '2026-01-01T00:00:00.000Z'
const changes = { createdAt: NOW, updatedAt: NOW }

let made = 0
/** 20 bytes that no other call gives. */
const uniqueAddress = () => `0xaa${(++made).toString(16).padStart(38, '0')}`

async function first<T>(rows: Promise<T[]>): Promise<T> {
  const [row] = await rows
  if (row === undefined) throw new Error('nothing was written')
  return row
}

export const aUser = (values: Partial<typeof users.$inferInsert> = {}) =>
  first(
    db
      .insert(users)
      .values({ provider: 'wallet', ethereumPublicAddr: uniqueAddress(), ...changes, ...values })
      .returning(),
  )

export const anAdministrator = () => aUser({ roleId: ADMINISTRATOR })

export const issuer = {
  url: settingsOf(env).PUBLIC_URL,
  keys: settingsOf(env).JWT_KEYS.keys,
}

/** A stored, live token of the user, and its JWT. */
export async function aToken(
  user: { id: number },
  role: 'user' | 'master' = 'user',
  kind: 'api' | 'session' = 'api',
) {
  const record = newToken(issuer, { userId: user.id, role }, API_TOKEN_LIFE, new Date())
  await db.insert(tokens).values({ ...record, kind, name: 'test' })
  return signToken(issuer, record)
}

/** The token of a user who is signed in. */
export const aSession = (user: { id: number }) => aToken(user, 'user', 'session')

/** The master token of a new administrator. */
export const aMasterToken = async () => aToken(await anAdministrator(), 'master')

export const anAddress = (
  owner: { id: number },
  values: Partial<typeof addresses.$inferInsert> = {},
) =>
  first(
    db
      .insert(addresses)
      .values({ kind: 'billing', userId: owner.id, ...changes, ...values })
      .returning(),
  )

type AmountType = 'unique' | 'limited' | 'unlimited'

export const anNft = (
  creator: { id: number; ethereumPublicAddr: string },
  {
    amountType = 'limited',
    ...values
  }: Partial<typeof nfts.$inferInsert> & { amountType?: AmountType } = {},
) =>
  first(
    db
      .insert(nfts)
      .values({
        amount: 10,
        availableAmount: values.amount ?? 10,
        creatorId: creator.id,
        creatorPublicAddr: creator.ethereumPublicAddr,
        contractAddr: uniqueAddress(),
        contractName: 'Collectible',
        contractNetwork: 'localhost',
        payload: { amountType },
        price: 1000,
        priceEths: '0.005',
        priceCurrency: 'EUR',
        title: 'A picture',
        tokenId: '1',
        status: 'released',
        releaseAt: NOW,
        ...changes,
        ...values,
      })
      .returning(),
  )

export const aListing = (
  nft: { id: number; creatorId: number },
  values: Partial<typeof listings.$inferInsert> = {},
) =>
  first(
    db
      .insert(listings)
      .values({
        nftId: nft.id,
        sellerId: nft.creatorId,
        active: true,
        type: 'regular',
        priceCents: 1000,
        priceCurrency: 'EUR',
        priceEths: '0.005',
        priceWei: '5000000000000000',
        ...changes,
        ...values,
      })
      .returning(),
  )
