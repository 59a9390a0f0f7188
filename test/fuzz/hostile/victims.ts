/** The people and shops that nobody may take anything from. */
import { env } from 'cloudflare:workers'
import { eq, inArray } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { BillingFields, DeliveryFields } from '../../../src/addresses/schema.ts'
import { deliveries } from '../../../src/db/schema/delivery.ts'
import { orderItems, orders, reservations } from '../../../src/db/schema/orders.ts'
import {
  ADMINISTRATOR,
  addresses,
  addressKinds,
  tokens,
  users,
} from '../../../src/db/schema/users.ts'
import { webhookEndpoints } from '../../../src/db/schema/webhooks.ts'
import { readSettings } from '../../../src/env.ts'
import { randomHex, webhookSecret } from '../../../src/events/secret.ts'
import { aPng } from '../../avatars/pictures.ts'
import { type Call, callWith } from '../../support/api.ts'
import {
  aListing,
  anAddress,
  anNft,
  aReadOnlyToken,
  aToken,
  aUser,
  aWebhook,
  aWebhookMessage,
  db,
} from '../../support/makers.ts'
import {
  ageSession,
  aVisitor,
  aWallet,
  mailedLink,
  requestMessage,
  secretOf,
  signInByEmail,
  type Visitor,
} from '../../support/visitor.ts'

/** An NFT and a listing that sells it. */
export type Sale = {
  nftId: number
  listingId: number
  /** The operator's own ids. */
  nft: string
  listing: string
  sellerId: number
}

export type Victim = {
  id: number
  email: string
  wallet: string
  /** API tokens. */
  token: string
  reader: string
  /** A fresh session. */
  session: string
  webhookId: string
  /** A message of the webhook. */
  messageId: string
  /** The secret of a sign-in link that waits in the mailbox. */
  linkSecret: string
  /** A signed sign-in message. The secret of its nonce stays in the victim's browser. */
  signed: { message: string; signature: string }
}

/**
 * A text that no attacker may see. `shown` is what a session shows to its owner: a thief with that
 * session sees it. `logged` may be in the log.
 */
export type Marker = { text: string; ownerId: number; shown?: true; logged?: true }

/** The queues drop their messages, because a consumer would write to the database meanwhile. */
const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
const queue = {
  send: async () => sent,
  sendBatch: async () => sent,
  metrics: async () => sent.metadata.metrics,
}
export const bindings = { DELIVERIES: queue, WEBHOOKS: queue, MASTER_WEBHOOKS: queue }

const isPrivate = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('private-')

const cookieOf = ({ cookies }: Visitor, name: string) => cookies.get(name) ?? ''

let victimCount = 0

/** `secrets` are private texts that the database does not hold. */
async function aVictim(values: Partial<typeof users.$inferInsert> = {}) {
  const n = ++victimCount
  const hidden = (name: string) => `private-${name}-${n}`
  const wallet = aWallet()
  const user = await aUser({
    name: `Victim ${n}`,
    username: `victim${n}`,
    email: `${hidden('mail')}@victims.test`,
    ethereumPublicAddr: wallet.address,
    ...values,
  })
  for (const kind of addressKinds)
    for (const [i, deletedAt] of [null, null, new Date().toISOString()].entries()) {
      const { shape } = kind === 'billing' ? BillingFields : DeliveryFields
      const texts = Object.keys(shape).map((name) => [name, hidden(`${kind}-${name}-${i}`)])
      const isDefault = i === 0
      await anAddress(user, { kind, deletedAt, isDefault, ...Object.fromEntries(texts) })
    }
  const token = await aToken(user, 'user', 'api', hidden('token'))
  const reader = await aReadOnlyToken(user)
  const visitor = aVisitor()
  await signInByEmail(visitor, user.email)
  await visitor.post('/sign-in/email', { form: { email: user.email } })
  const message = await requestMessage(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  await db
    .update(users)
    .set({ ipAddress: hidden('ip') })
    .where(eq(users.id, user.id))
  const path = '/api/public/user/me/profile/updateAvatarBytes'
  await succeed(token, 'PUT', path, { body: aPng() })
  const session = cookieOf(visitor, 'token')
  const linkSecret = secretOf(mailedLink(visitor))
  const secretId = randomHex()
  const webhook = await aWebhook(user, {
    role: values.roleId ? 'master' : 'user',
    url: hidden('hook'),
    secretId,
  })
  const { id: messageId } = await aWebhookMessage(webhook)
  const signingSecret = await webhookSecret(readSettings(env), secretId)
  const walletSecret = cookieOf(visitor, 'wallet')
  const secrets = [token, reader, session, linkSecret, walletSecret, secretId, signingSecret]
  const victim: Victim = {
    id: user.id,
    email: user.email,
    wallet: wallet.address,
    token,
    reader,
    session,
    webhookId: webhook.id,
    messageId,
    linkSecret,
    signed: { message, signature },
  }
  return { victim, secrets }
}

/** Sends a request of a victim, which must succeed. Returns the body. */
async function succeed(
  token: string,
  method: string,
  path: string,
  content: Call,
): Promise<string> {
  const response = await callWith(bindings, method, path, { token, ...content })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text
}

/** The sale of a new listing of a new NFT. */
export async function aSale(seller: { id: number }): Promise<Sale> {
  const creator = { id: seller.id, ethereumPublicAddr: '0x' }
  const nft = await anNft(creator, { amount: 100_000, amountType: 'limited' })
  const listing = await aListing(nft)
  const ids = { nftId: nft.id, listingId: listing.id, sellerId: seller.id }
  return { ...ids, nft: nft.externalId, listing: listing.externalId }
}

/** A call that a shop repeats, and attackers imitate. */
type Placed = { token: string; listingId: number; content: Pick<Call, 'json' | 'headers'> }

export type Victims = Awaited<ReturnType<typeof createVictims>>

/** `attackerSales` are listings of attackers from which the victims have bought. */
export async function createVictims(attackerSales: readonly Sale[]) {
  const made = [
    await aVictim(),
    await aVictim(),
    await aVictim({ ethereumPublicAddr: '' }),
    // Owner of the stolen session.
    await aVictim(),
    // Signs in by mail in each check.
    await aVictim(),
    // An honest seller.
    await aVictim(),
    await aVictim({ roleId: ADMINISTRATOR }),
  ]
  const [first, second, third, robbed, mailed, seller, admin] = made.map(({ victim }) => victim)
  if (!first || !second || !third || !robbed || !mailed || !seller || !admin)
    throw new Error('a victim is missing')
  const buyers = [first, second, third, robbed]

  // Attackers use the same names, keys and numbers.
  const master = await aToken(admin, 'master', 'api', 'shop')
  const shop = await aToken(seller, 'user', 'api', 'shop')
  const sale = await aSale(seller)
  const placed: Placed[] = []
  for (const [i, { id }] of buyers.entries())
    for (const [token, name] of [
      [master, 'master'],
      [shop, 'seller'],
    ] as const) {
      const element = { nftId: sale.nftId, listingId: sale.listingId, quantity: 1, buyerUserId: id }
      const content = { json: [element], headers: { 'idempotency-key': `key-${i}` } }
      placed.push({ token, listingId: sale.listingId, content })
      await succeed(token, 'POST', '/api/externalOrders', content)
      await succeed(token, 'POST', '/api/externalOrders', {
        json: [{ ...element, providerId: `private-number-${name}-${i}` }],
        headers: { 'idempotency-key': `private-key-${name}-${i}` },
      })
    }
  for (const [i, { nftId, listingId }] of attackerSales.entries())
    for (const { id } of buyers) {
      const element = { nftId, listingId, quantity: 1, buyerUserId: id }
      await succeed(master, 'POST', '/api/externalOrders', {
        json: [{ ...element, providerId: `number-${i}-${id}` }],
      })
      const content = { json: [element], headers: { 'idempotency-key': `sale-${i}-${id}` } }
      placed.push({ token: master, listingId, content })
      await succeed(master, 'POST', '/api/externalOrders', content)
    }

  const reservationIds: string[] = []
  for (const token of [master, shop]) {
    const json = [{ listingId: sale.listingId, quantity: 3, ttl: 1800 }]
    const answer: { reservations: { id: string }[] } = JSON.parse(
      await succeed(token, 'POST', '/api/reservations', { json }),
    )
    reservationIds.push(...answer.reservations.map(({ id }) => id))
  }

  const thiefs = aVisitor()
  await signInByEmail(thiefs, robbed.email)
  await ageSession(thiefs, 61)
  await db.update(users).set({ ipAddress: 'private-ip-robbed' }).where(eq(users.id, robbed.id))
  const stolenSession = cookieOf(thiefs, 'token')

  const ids = made.map(({ victim }) => victim.id)
  const secrets = made.flatMap(({ victim, secrets }) =>
    secrets.map((text): Marker => ({ text, ownerId: victim.id })),
  )
  return {
    all: made.map(({ victim }) => victim),
    ids,
    buyers,
    robbed,
    mailed,
    seller,
    admin,
    master,
    shop,
    sale,
    placed,
    reservationIds,
    stolenSession,
    stolenSessionId: decodeJwt(stolenSession).jti ?? '',
    markers: [
      ...secrets,
      { text: master, ownerId: admin.id },
      { text: shop, ownerId: seller.id },
      ...reservationIds.map((text) => ({ text, ownerId: seller.id })),
      ...(await markersOf(ids)),
    ],
  }
}

/** The private values in the rows of these users. */
async function markersOf(ids: readonly number[]): Promise<Marker[]> {
  const [userRows, addressRows, tokenRows, webhookRows, orderRows, deliveryRows] =
    await Promise.all([
      db
        .select()
        .from(users)
        .where(inArray(users.id, [...ids])),
      db
        .select()
        .from(addresses)
        .where(inArray(addresses.userId, [...ids])),
      db
        .select()
        .from(tokens)
        .where(inArray(tokens.userId, [...ids])),
      db
        .select()
        .from(webhookEndpoints)
        .where(inArray(webhookEndpoints.userId, [...ids])),
      db
        .select()
        .from(orders)
        .where(inArray(orders.buyerId, [...ids])),
      db
        .select({ key: deliveries.key, ownerId: orders.buyerId })
        .from(deliveries)
        .innerJoin(orderItems, eq(orderItems.id, deliveries.id))
        .innerJoin(orders, eq(orders.id, orderItems.orderId)),
    ])
  const shown = (ownerId: number, row: object): Marker[] =>
    Object.values(row)
      .filter(isPrivate)
      .map((text) => ({ text, ownerId, shown: true }))
  return [
    ...userRows.flatMap((row) => shown(row.id, row)),
    ...addressRows.flatMap((row) => shown(row.userId, row)),
    ...tokenRows.flatMap((row) => shown(row.userId, row)),
    ...webhookRows.flatMap((row) => shown(row.userId, row)),
    ...tokenRows.map(
      ({ id, userId }) => ({ text: id, ownerId: userId, shown: true, logged: true }) as const,
    ),
    ...orderRows.flatMap((row) => shown(row.buyerId, row)),
    ...orderRows.map((row) => ({ text: row.payprovWebhookToken, ownerId: row.buyerId })),
    ...deliveryRows.map(({ key, ownerId }) => ({ text: key, ownerId })),
  ]
}

let checks = 0

/**
 * Returns what the victims get, by request. A thief may change addresses, names and avatar of the owner of
 * the session, whose answers are left out.
 */
export async function answersOf(victims: Victims): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  const { robbed, mailed, admin, seller, sale } = victims
  async function ask(who: string, method: string, path: string, content: Call) {
    const response = await callWith(bindings, method, path, content)
    const text = await response.text()
    answers[`${who}: ${method} ${path} ${JSON.stringify(content.headers ?? {})}`] =
      `${response.status} ${text}`
    return text
  }
  for (const victim of victims.all.filter((one) => one !== robbed && one !== mailed)) {
    const { id, token, session, linkSecret } = victim
    const who = `victim ${id}`
    for (const kind of addressKinds)
      await ask(who, 'GET', `/api/public/user/me/${kind}Addresses`, { token })
    const avatar = await ask(who, 'GET', '/api/public/user/me/profile/avatar', { token })
    const { avatarUrl }: { avatarUrl: string } = JSON.parse(avatar)
    const picture = await callWith(bindings, 'GET', new URL(avatarUrl).pathname)
    answers[`${who}: picture`] = `${picture.status} ${(await picture.arrayBuffer()).byteLength}`
    const bought = await db
      .select({ id: orders.id })
      .from(orders)
      .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
      .where(eq(orderItems.listingId, sale.listingId))
    const own = await db.select({ id: orders.id }).from(orders).where(eq(orders.buyerId, id))
    const readable = own.filter((one) => bought.some((other) => other.id === one.id))
    if (readable.length > 0)
      await ask(who, 'GET', `/api/externalOrders/${readable.map((one) => one.id).join()}`, {
        token,
      })
    for (const page of ['profile', 'addresses', 'account', 'sessions', 'api-access', 'webhooks'])
      await ask(who, 'GET', `/settings/${page}`, { headers: { cookie: `token=${session}` } })
    await ask(who, 'GET', `/api/webhooks/${victim.webhookId}`, {
      headers: { cookie: `token=${session}` },
    })
    await ask(who, 'GET', `/sign-in/email?secret=${linkSecret}`, {})
  }
  for (const { token, listingId, content } of victims.placed) {
    const response = await callWith(bindings, 'POST', '/api/externalOrders', { token, ...content })
    const text = await response.text()
    // A repeated call shows an attacker's NFT as it is now: its seller may have sold more of it.
    const shown = listingId === sale.listingId ? text : text.replace(/"nft":\{.*?\},/g, '')
    const who = token === victims.master ? 'shop' : 'seller'
    answers[`${who}: repeated ${JSON.stringify(content.headers)}`] = `${response.status} ${shown}`
  }
  answers.reservations = JSON.stringify(
    await db.select().from(reservations).where(inArray(reservations.id, victims.reservationIds)),
  )
  await ask('shop', 'GET', '/api/admin/transfers?limit=16', { token: victims.master })
  for (const { id, token } of [admin, seller])
    await ask(`victim ${id}`, 'GET', '/api/public/user/me/profile/avatar', { token })
  await ask('anybody', 'GET', '/api/public/stats', {})
  const creators = await callWith(bindings, 'GET', '/api/public/creators')
  const { creators: listed }: { creators: { id: number }[] } = await creators.json()
  answers['anybody: creators'] = JSON.stringify(listed.filter(({ id }) => id === seller.id))
  return answers
}

/** Signs a victim in by mail, whatever links others have asked for, and out again. */
export async function expectSignInByMail({ mailed }: Victims): Promise<void> {
  const visitor = aVisitor()
  const headers = { 'cf-connecting-ip': `203.0.113.${++checks % 250}` }
  await visitor.post('/sign-in/email', { form: { email: mailed.email }, headers })
  const secret = secretOf(mailedLink(visitor))
  await visitor.post('/sign-in/email/confirm', { form: { secret }, headers })
  const page = await visitor.get('/settings/account')
  if (!(await page.text()).includes(mailed.email))
    throw new Error('a victim cannot sign in by mail')
  await visitor.post('/sign-out')
}
