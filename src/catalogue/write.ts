/** Writes the staged records. The statements run in this order, in one transaction. */
import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { NEVER, pieceObstacles } from '../db/schema/catalogue.ts'
import { isGuestText } from '../db/schema/users.ts'
import { raw, type Statement } from '../db/statements.ts'
import { queueAwaiting, storedWallet } from '../delivery/wallet.ts'
import { writeFiles } from './content.ts'
import { isForSale, listingRecord, matchedUsers, storedNft, value, withLines } from './sql.ts'

const nfts = `r LEFT JOIN nfts n ON n.externalId = r.externalId
  LEFT JOIN users u ON u.id = n.creatorId`
const listings = `r LEFT JOIN listings l ON l.externalId = r.externalId
  LEFT JOIN nfts n ON n.id = l.nftId LEFT JOIN users u ON u.id = l.sellerId`

const isRenamed = (user: string) =>
  `(${user}.name IS NOT ${value('name')} OR ${user}.username IS NOT ${value('username')})`

/** Whether the record has another `shopUrl`. Only the catalogue says it, so it changes that of everybody. */
const hasNewShop = (user: string) => `${user}.shopUrl IS NOT ${value('shopUrl')}`

/**
 * Counts what happens to each record, as JSON such as `{"nft.created": 3}`. Users who have signed in
 * keep their names.
 */
export const countRecords = (importId: string) => sql`(${withLines(importId)}
  SELECT json_group_object(key, total) FROM (
    SELECT type || '.' || action AS key, count(*) AS total FROM (${sql.raw(`
      SELECT r.type, CASE WHEN p.id IS NULL THEN 'created' WHEN u.id IS NULL THEN 'updated'
        WHEN u.lastAccessAt IS NULL AND ${isRenamed('u')} OR ${hasNewShop('u')} THEN 'updated'
        ELSE 'unchanged' END AS action
      FROM ${matchedUsers} WHERE r.type = 'user'
      UNION ALL
      SELECT r.type, CASE WHEN n.id IS NULL THEN 'created'
        WHEN r.record = ${storedNft} THEN 'unchanged' ELSE 'updated' END
      FROM ${nfts} WHERE r.type = 'nft'
      UNION ALL
      SELECT r.type, CASE WHEN l.id IS NULL THEN 'created'
        WHEN r.record = ${listingRecord} THEN 'unchanged' ELSE 'updated' END
      FROM ${listings} WHERE r.type = 'listing'`)})
    GROUP BY key))`

/**
 * Gives a user without an id that of the record with the same identity. A guest gets the other
 * identity of the record as well: before, an order had named only one.
 */
const link = (field: string, other: string, isSame: string) => `UPDATE users
  SET externalId = r.externalId, ${other} = iif(users.${other} = '' AND ${isGuestText('users')},
    coalesce(${value(other)}, ''), users.${other}),
    walletChainId = iif(users.ethereumPublicAddr = '' AND ${isGuestText('users')},
      ${value('walletChainId')}, users.walletChainId),
    approved = 1, approvedAt = coalesce(users.approvedAt, r.now)
  FROM r WHERE r.type = 'user' AND users.externalId IS NULL
    AND users.${field} <> '' AND users.${field} = ${value(field)} AND ${isSame}
    AND NOT EXISTS (SELECT 1 FROM users u WHERE u.externalId = r.externalId)`

const extendedHash = `iif(EXISTS (SELECT 1 FROM users u WHERE u.identityHash = r.derived),
  r.derived || '-' || lower(hex(randomblob(8))), r.derived)`

const insertUsers = `INSERT INTO users (externalId, name, username, email, ethereumPublicAddr,
    walletChainId, shopUrl, provider, identityHash, approved, approvedAt, removedAt, createdAt, updatedAt)
  SELECT r.externalId, ${value('name')}, ${value('username')}, coalesce(${value('email')}, ''),
    coalesce(${value('ethereumPublicAddr')}, ''), ${value('walletChainId')}, ${value('shopUrl')},
    iif(${value('ethereumPublicAddr')} IS NULL, 'email', 'wallet'),
    coalesce(${extendedHash}, lower(hex(randomblob(32)))), NOT ${value('removed')},
    iif(${value('removed')}, NULL, r.now),
    iif(${value('removed')}, r.now, NULL), r.now, r.now
  FROM r
  WHERE r.type = 'user' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.externalId = r.externalId)
  ORDER BY r.line`

const renameUsers = `UPDATE users SET name = ${value('name')}, username = ${value('username')},
    updatedAt = r.now
  FROM r WHERE r.type = 'user' AND users.externalId = r.externalId AND users.lastAccessAt IS NULL
    AND ${isRenamed('users')}`

/** Lists tell it of the listings that are bought there. */
const moveListings = `UPDATE listings SET updatedAt = r.now
  FROM r JOIN users u ON u.externalId = r.externalId
  WHERE r.type = 'user' AND ${hasNewShop('u')}
    AND listings.sellerId = u.id AND listings.shopUrl IS NULL`

const moveShops = `UPDATE users SET shopUrl = ${value('shopUrl')}, updatedAt = r.now
  FROM r WHERE r.type = 'user' AND users.externalId = r.externalId AND ${hasNewShop('users')}`

/** Whether lists have shown an NFT before this import. */
const wasReleased = `wasReleased OR (status = 'released' AND releaseAt <= excluded.updatedAt)`

const releaseAt = `coalesce(${value('releaseAt')}, n.releaseAt, r.now)`

/** Codes that an NFT has had before. It gets codes again only if nothing of it is sold. */
const poolSize = '(SELECT count(*) FROM codes WHERE nftId = nfts.id)'

/** Pieces that are added to an edition can be sold; what is sold stays sold. */
const upsertNfts = `INSERT INTO nfts (externalId, creatorId, creatorPublicAddr, contractNetwork,
    contractAddr, contractName, tokenId, amount, availableAmount, fulfilment, recipients, heldBySeller, status,
    releaseAt, price, priceEths, priceCurrency, coverKey, category, fee, feeRecipient, salesContractUrl,
    downloadable, redeemable, upgradeable, fractionalized, contentRelease, secretPhrase, hasCodes,
    title, payload, createdAt, updatedAt, changedAt)
  SELECT r.externalId, c.id, c.ethereumPublicAddr, ${value('network')}, ${value('contract')},
    ${value('contractName')}, ${value('tokenId')}, coalesce(${value('amount')}, 0), coalesce(${value('amount')}, 0),
    ${value('fulfilment')}, ${value('recipients')}, ${value('heldBySeller')}, ${value('status')},
    ${releaseAt}, ${value('priceCents')},
    ${value('priceEths')}, ${value('priceCurrency')}, ${value('coverKey')}, ${value('category')},
    ${value('fee')}, ${value('feeRecipient')}, ${value('salesContractUrl')},
    ${value('downloadable')}, ${value('redeemable')}, ${value('upgradeable')},
    ${value('fractionalized')}, ${value('content.release')}, ${value('content.phrase')},
    coalesce(${value('content.codes')}, 0), ${value('metadata.name')},
    json_set(r.record -> 'payload', '$.title', ${value('metadata.name')},
      '$.amountType', ${value('amountType')}, '$.metadata', r.record -> 'metadata'),
    r.now, r.now, max(r.now, ${releaseAt})
  FROM ${nfts} JOIN users c ON c.externalId = ${value('creator')}
  WHERE r.type = 'nft' AND (n.id IS NULL OR r.record <> ${storedNft}) ORDER BY r.line
  ON CONFLICT (externalId) DO UPDATE SET creatorId = excluded.creatorId,
    creatorPublicAddr = excluded.creatorPublicAddr, contractNetwork = excluded.contractNetwork,
    contractAddr = excluded.contractAddr, contractName = excluded.contractName,
    tokenId = excluded.tokenId, heldBySeller = excluded.heldBySeller,
    amount = CASE WHEN NOT excluded.hasCodes THEN excluded.amount WHEN hasCodes THEN amount
      ELSE ${poolSize} END,
    availableAmount = CASE WHEN NOT excluded.hasCodes THEN availableAmount + excluded.amount - amount
      WHEN hasCodes THEN availableAmount ELSE ${poolSize} END,
    hasCodes = excluded.hasCodes,
    fulfilment = excluded.fulfilment, recipients = excluded.recipients, status = excluded.status,
    releaseAt = excluded.releaseAt,
    price = excluded.price, priceEths = excluded.priceEths,
    priceCurrency = excluded.priceCurrency, coverKey = excluded.coverKey,
    wasReleased = ${wasReleased}, category = excluded.category, fee = excluded.fee,
    feeRecipient = excluded.feeRecipient, salesContractUrl = excluded.salesContractUrl,
    downloadable = excluded.downloadable, redeemable = excluded.redeemable,
    upgradeable = excluded.upgradeable, fractionalized = excluded.fractionalized,
    contentRelease = excluded.contentRelease, secretPhrase = excluded.secretPhrase,
    title = excluded.title, payload = excluded.payload, updatedAt = excluded.updatedAt,
    changedAt = iif(${wasReleased}, excluded.updatedAt, excluded.changedAt)`

/** The NFTs and users of the records with their words. Users who have signed in may have other names. */
const withWords = `SELECT 'nft' AS kind, n.id, r.words
    FROM r CROSS JOIN nfts n ON n.externalId = r.externalId WHERE r.type = 'nft'
  UNION ALL SELECT 'user', u.id, r.words FROM r CROSS JOIN users u ON u.externalId = r.externalId
    WHERE r.type = 'user' AND NOT ${isRenamed('u')}`

/** `setWords` for many. */
const deleteWords = `DELETE FROM words WHERE (kind, word, subjectId) IN (
  SELECT w.kind, w.word, w.subjectId FROM (${withWords}) s
    CROSS JOIN words w ON w.kind = s.kind AND w.subjectId = s.id
  WHERE w.word NOT IN (SELECT value FROM json_each(s.words)))`

const insertWords = `INSERT INTO words (kind, word, subjectId)
  SELECT s.kind, w.value, s.id FROM (${withWords}) s CROSS JOIN json_each(s.words) w
  WHERE TRUE ON CONFLICT DO NOTHING`

/** How long a listing is not sold that was never tried, unless nodes tell before that it can be. */
const untriedUntil = `strftime('%Y-%m-%dT%H:%M:%fZ', r.now, '2 minutes')`

const upsertListings = `INSERT INTO listings (externalId, nftId, sellerId, type, priceCents,
    priceEths, priceWei, priceCurrency, amount, active, activeTill, shopUrl, untriedUntil, checkAt,
    createdAt, updatedAt)
  SELECT r.externalId, o.id, s.id, ${value('saleType')}, ${value('priceCents')},
    ${value('priceEths')}, r.derived, ${value('priceCurrency')}, ${value('amount')},
    ${value('active')}, ${value('activeTill')}, ${value('shopUrl')}, ${untriedUntil}, r.now, r.now,
    r.now
  FROM ${listings} JOIN nfts o ON o.externalId = ${value('nft')}
    JOIN users s ON s.externalId = ${value('seller')}
  WHERE r.type = 'listing' AND (l.id IS NULL OR r.record <> ${listingRecord}) ORDER BY r.line
  ON CONFLICT (externalId) DO UPDATE SET type = excluded.type, priceCents = excluded.priceCents,
    priceEths = excluded.priceEths, priceWei = excluded.priceWei,
    priceCurrency = excluded.priceCurrency, amount = excluded.amount, active = excluded.active,
    activeTill = excluded.activeTill, shopUrl = excluded.shopUrl, checkAt = excluded.checkAt,
    updatedAt = excluded.updatedAt,
    untriedUntil = iif(untriedUntil IS NULL OR listings.active, untriedUntil, excluded.untriedUntil)`

/**
 * One that was tried once is not held again; what was never tried is, as it may have been a draft. Of what
 * only some may get, a trial says nothing.
 */
const checkChanged = `UPDATE listings SET checkAt = r.now,
    untriedUntil = iif(listings.untriedUntil IS NULL OR n.recipients = 'verified', NULL, ${untriedUntil})
  FROM r JOIN nfts n ON n.externalId = r.externalId
  WHERE r.type = 'nft' AND listings.nftId = n.id AND n.updatedAt = r.now`

/**
 * The first of each contract and its last token are tried before the others. The last token of a batch of
 * ERC721A needs most gas. The condition of `untriedUntil` is that of the index.
 */
const checkSamples = `UPDATE listings SET checkAt = '' WHERE id IN (SELECT id FROM (
  SELECT l.id, row_number() OVER (PARTITION BY n.contractNetwork, n.contractAddr, n.fulfilment,
      n.heldBySeller, l.sellerId ORDER BY l.id) AS first,
    row_number() OVER (PARTITION BY n.contractNetwork, n.contractAddr, n.fulfilment, n.heldBySeller, l.sellerId
      ORDER BY length(n.tokenId) DESC, n.tokenId DESC) AS last
  FROM listings l JOIN nfts n ON n.id = l.nftId
  WHERE l.active AND (l.untriedUntil IS NULL) IN (0, 1) AND l.checkAt = (SELECT now FROM r))
  WHERE first = 1 OR last = 1)`

/** Whether `n` and `l` are an NFT of the contract and a listing of the seller of `g`. */
const isOfGroup = `n.contractAddr = g.contractAddr AND n.contractNetwork = g.contractNetwork
  AND n.fulfilment = g.fulfilment AND n.heldBySeller = g.heldBySeller
  AND l.sellerId = g.sellerId`

/**
 * The obstacle of a contract holds for what was never tried of it, if its seller sells nothing of it. It
 * ends once one of those that have it was tried (`check-listings.ts`), if trials see it. SQLite takes the
 * other columns of `known` from a row that has the maximum.
 */
const shareObstacles = `, untried AS MATERIALIZED (
    SELECT l.id, l.sellerId, n.contractNetwork, n.contractAddr, n.fulfilment, n.heldBySeller
    FROM r CROSS JOIN listings l ON l.externalId = r.externalId CROSS JOIN nfts n ON n.id = l.nftId
    WHERE r.type = 'listing' AND l.untriedUntil IS NOT NULL AND l.obstacle IS NULL
      AND n.recipients = 'anybody'),
  known AS MATERIALIZED (SELECT g.*, max(l.checkAt = '${NEVER}') AS isLasting, l.obstacle, l.foundBy
    FROM (SELECT DISTINCT sellerId, contractNetwork, contractAddr, fulfilment, heldBySeller FROM untried) g
      CROSS JOIN listings l ON l.sellerId = g.sellerId AND l.obstacle IS NOT NULL
        AND l.obstacle NOT IN ('${pieceObstacles.join(`', '`)}')
      CROSS JOIN nfts n ON n.id = l.nftId AND ${isOfGroup}
    GROUP BY 1, 2, 3, 4, 5)
  UPDATE listings SET obstacle = shared.obstacle, obstacleSince = shared.now, foundBy = shared.foundBy,
    isShared = 1,
    checkAt = CASE WHEN shared.isLasting THEN '${NEVER}' WHEN listings.checkAt = '' THEN ''
      ELSE strftime('%Y-%m-%dT%H:%M:%fZ', shared.now, '1 day') END
  FROM (SELECT untried.id, g.obstacle, g.foundBy, g.isLasting, (SELECT now FROM r LIMIT 1) AS now
    FROM known g JOIN untried USING (sellerId, contractNetwork, contractAddr, fulfilment, heldBySeller)
    WHERE NOT EXISTS (SELECT 1 FROM nfts n CROSS JOIN listings l ON l.nftId = n.id
      WHERE ${isOfGroup} AND l.obstacle IS NULL AND l.untriedUntil IS NULL AND n.recipients = 'anybody'
        AND ${isForSale('(SELECT now FROM r LIMIT 1)')})) shared
  WHERE listings.id = shared.id`

const isWallet = `users.walletChainId = ${value('walletChainId')}`

/** Selects the users of the records who have a wallet. Deliveries wait only for one that was a guest. */
const withWallet = (importId: string) => sql`${withLines(importId)} SELECT u.id
  FROM r JOIN users u ON u.externalId = r.externalId
  WHERE r.type = 'user' AND u.ethereumPublicAddr <> ''`

/** Returns the statements. Every record must be free of problems. */
export const writeRecords = (db: Database, importId: string, now: Date): Statement[] => [
  ...[
    link('email', 'ethereumPublicAddr', '1'),
    link('ethereumPublicAddr', 'email', isWallet),
    insertUsers,
    renameUsers,
    moveListings,
    moveShops,
    upsertNfts,
    ...writeFiles,
    deleteWords,
    insertWords,
    upsertListings,
    checkChanged,
    checkSamples,
    shareObstacles,
  ].map((statement) => raw(db)`${withLines(importId, now.toISOString())} ${sql.raw(statement)}`),
  ...Object.values(queueAwaiting(db, withWallet(importId), storedWallet, now)).flat(),
]
