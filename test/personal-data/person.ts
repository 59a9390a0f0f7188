/** A person who has left data everywhere. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { batch } from '../../src/db/batch.ts'
import { mintPermissions, proposals, reports } from '../../src/db/schema/creators.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { emailLinks, phoneLinks, tokens, users } from '../../src/db/schema/users.ts'
import { setWords, wordsOf } from '../../src/db/words.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import { aPng } from '../avatars/pictures.ts'
import { uploadBytes } from '../avatars/uploads.ts'
import { CONTRACT } from '../catalogue/records.ts'
import { aShop, placed } from '../orders/shop.ts'
import { cancelled, end } from '../support/ended.ts'
import {
  aListing,
  anAddress,
  anNft,
  aToken,
  aWebhook,
  aWebhookMessage,
  db,
  setRow,
} from '../support/makers.ts'

let people = 0

/** Texts that identify the person. They are nowhere else. */
const textsOf = (n: number) => ({
  name: `Pia Person ${n}`,
  username: `pia${n}`,
  email: `pia${n}@example.com`,
  street: `Pia street ${n}`,
  mobilePhone: `+4900${n}`,
  webhook: `https://pia${n}.example.com/hook`,
  shopUrl: `https://shop.pia${n}.example.com/`,
  listingUrl: `https://pia${n}.example.com/{listingId}`,
  ip: `198.51.100.${n}`,
  report: `Pia says that it is hers ${n}`,
  proposal: `Pia proposes ${n}`,
  browser: `Pia browser ${n}`,
})

/** Bought and sold things, with addresses, tokens, a webhook and an avatar. */
export async function aPerson() {
  const texts = textsOf(++people)
  const { name, username, email, street, mobilePhone, ip, browser, shopUrl } = texts
  const shop = await aShop()
  const { buyer: user, token: master } = shop
  const now = new Date().toISOString()
  await setRow(users, user.id, {
    name,
    username,
    email,
    shopUrl,
    ipAddress: ip,
    externalId: `pia-${people}`,
  })
  await batch(db, { words: setWords(db, 'user', user.id, wordsOf(name, username)) })
  const token = await aToken(user)
  await db.update(tokens).set({ browser }).where(eq(tokens.userId, user.id))
  await anAddress(user, { kind: 'delivery', name, email, mobilePhone, country: 'NO' })
  await anAddress(user, { street, deletedAt: now })
  await uploadBytes(aPng(), { token })
  await db.insert(emailLinks).values({
    ...{ secretHash: `secret of ${username}`, email, mailbox: email, client: ip },
    ...{ identityHash: hashIdentity('email', email), createdAt: now, expiresAt: now },
  })
  await db.insert(phoneLinks).values({
    ...{ userId: user.id, secretHash: `phone of ${username}`, expiresAt: now },
  })
  const listed = { kind: 'nft', subjectId: shop.input.nftId, userId: user.id } as const
  await db.insert(proposals).values({
    ...listed,
    ...{ state: 'rejected', reason: 'Blurred.', version: crypto.randomUUID(), submittedAt: now },
    fields: JSON.stringify({ metadata: { name: texts.proposal } }),
  })
  await db
    .insert(reports)
    .values({ nftId: listed.subjectId, userId: user.id, text: texts.report, createdAt: now })
  await db
    .insert(mintPermissions)
    .values({ userId: user.id, network: 'localhost', contract: CONTRACT, createdAt: now })
  await aWebhookMessage(await aWebhook(user, { url: texts.webhook, events: ['order.created'] }))

  const place = { street, city: 'Oslo', country: 'NO', postal: '0150' }
  const input = { ...shop.input, buyerBillingData: place }
  const bought = await placed(master, [input, input])
  const nft = await anNft(user)
  const listing = await aListing(nft, { shopUrl: texts.listingUrl })
  const other = await aShop()
  const sale = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: other.buyer.id }
  const elsewhere = { ...place, street: 'Other street' }
  const sold = await placed(token, [{ ...sale, buyerBillingData: elsewhere }])
  await end(bought.slice(0, 1))
  await end([...bought.slice(1), ...sold], cancelled)
  await placed(other.token, [other.input])
  const key = crypto.randomUUID()
  const [today] = await placed(master, [input], { 'idempotency-key': key })
  await setRow(deliveries, today?.orderItems[0]?.id, cancelled)
  const books = { bought, sold, today, listing, other }
  return { user, texts, master, token, key, keyed: [input], ...books, input: shop.input }
}

/** Every text that the instance stores, in the database and the bucket. */
export async function everything(): Promise<string> {
  const { results: tables } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'`,
  ).all<{ name: string }>()
  const rows = await Promise.all(
    tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).all()),
  )
  const { objects } = await env.AVATARS.list()
  const texts = await Promise.all(
    objects.map(async ({ key }) => `${key} ${await (await env.AVATARS.get(key))?.text()}`),
  )
  return JSON.stringify([rows.map(({ results }) => results), texts])
}
