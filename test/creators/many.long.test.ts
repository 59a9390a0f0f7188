/** What lists read of the database: with a thousand creators of a thousand NFTs no more than with one. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import app from '../../src/app.ts'
import { listings } from '../../src/db/schema/catalogue.ts'
import { requestOf } from '../support/api.ts'
import { aToken, db, execute } from '../support/makers.ts'
import { measured } from '../support/measured.ts'

const NFTS_OF_EACH = 1000

/** Adds creators with these ids, who have NFTs and sell each of them. The n-th NFTs of all have ids in a row. */
async function addCreators(from: number, to: number) {
  const withCreators = `WITH RECURSIVE creators(userId) AS
    (SELECT ${from} UNION ALL SELECT userId + 1 FROM creators WHERE userId < ${to})`
  const at = "'2026-01-01T00:00:00.000Z'"
  const releaseAt = "strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || n || ' minutes')"
  await execute(`INSERT INTO users (id, provider, identityHash, name, createdAt, updatedAt) ${withCreators}
    SELECT userId, 'wallet', 'identity ' || userId, 'Creator ' || userId, ${at}, ${at} FROM creators`)
  await execute(`INSERT INTO nfts (externalId, amount, availableAmount, creatorPublicAddr, contractAddr,
      contractName, contractNetwork, payload, price, priceEths, priceCurrency, title, creatorId, tokenId, status,
      releaseAt, createdAt, updatedAt, changedAt) ${withCreators},
      numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${NFTS_OF_EACH})
    SELECT 'user-' || userId || '/' || n, 5, 5, '0x', '0x', 'Waves', 'localhost', '{"amountType":"limited"}',
      2500, '0.01', 'EUR', 'Wave ' || n, userId, n, 'released', ${releaseAt}, ${at}, ${at}, ${releaseAt}
    FROM numbers CROSS JOIN creators`)
  await execute(`INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type,
      priceCurrency, sellerId, nftId, createdAt, updatedAt)
    SELECT id, externalId, price, priceEths, '10000000000000000', 1, 'regular', priceCurrency, creatorId, id,
      createdAt, updatedAt FROM nfts WHERE creatorId BETWEEN ${from} AND ${to}`)
}

/** Reads a list. Returns how many elements it has, and the rows of the database that were read. */
async function costOf(path: string, token: string) {
  const { database, trips } = measured(env.DB)
  const request = requestOf('GET', path, { ...(path.includes('mine') && { token }) })
  const response = await app.fetch(request, { ...env, DB: database }, createExecutionContext())
  const [elements = []] = Object.values(await response.json<Record<string, unknown[]>>())
  const rowsRead = trips.reduce((sum, trip) => sum + trip.rowsRead, 0)
  return { path, shown: elements.length, rowsRead }
}

it('costs a list with 1,000 creators of 1,000 NFTs what it costs with one creator', async () => {
  await addCreators(1, 1)
  const token = await aToken({ id: 1 })
  const readLists = async () => [
    await costOf('/api/nfts?mine=true', token),
    await costOf('/api/listings?mine=true', token),
    await costOf('/api/public/nfts?creatorId=1', token),
    await costOf('/api/public/nfts', token),
    await costOf('/api/public/creators?limit=1', token),
  ]
  // The first call stores when the token was used.
  await readLists()
  const ofOne = await readLists()
  expect(ofOne.map(({ shown }) => shown)).toEqual([20, 20, 20, 20, 1])

  await addCreators(2, 1000)
  expect(await db.$count(listings)).toBe(1_000_000)
  expect(await readLists()).toEqual(ofOne)
}, 900_000)
