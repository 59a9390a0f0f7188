/** Attacks that take several requests, which random requests would hardly ever send in that order. */
import { decodeJwt } from 'jose'
import { billingData } from '../../orders/shop.ts'
import type { Dice } from '../../support/delivery/campaign/dice.ts'
import { CHAIN_ID } from '../../support/visitor.ts'
import { type Attacker, asBrowser, type Credentials, drawTokenId, pickFrom } from './attackers.ts'
import type { Answer } from './judge.ts'
import type { HostileRequest } from './requests.ts'
import type { World } from './world.ts'

type Send = (request: HostileRequest, credentials: Credentials) => Promise<Answer>
export type Attack = { world: World; dice: Dice; attacker: Attacker; send: Send }
type Combination = (attack: Attack) => Promise<void>

/** `param`: the path parameter of the endpoint. */
const request = (
  endpoint: string,
  { param, ...content }: Partial<HostileRequest> & { param?: unknown } = {},
): HostileRequest => {
  const [method = '', path = ''] = endpoint.split(' ')
  return { endpoint, method, path: path.replace(/:\w+/, `${param}`), ...content }
}

/** The newest session in a browser of the attacker, or the stolen one. */
function browser({ dice, attacker, world }: Attack): Credentials {
  const isStolen = attacker.name === 'thief' && dice.chance(0.8)
  const session = isStolen ? world.victims.stolenSession : attacker.sessions.at(-1)
  return { headers: asBrowser(attacker, session), isCrossSite: false }
}

/** Mostly a token of the account that has the listing. */
function byToken({ attacker: { tokens, sessions, sale }, dice }: Attack): Credentials {
  const jwts = [...tokens, ...sessions]
  const sellers = jwts.filter((jwt) => decodeJwt(jwt).sub === String(sale?.sellerId))
  const own = sellers.length > 0 && dice.chance(0.8) ? sellers : jwts
  const headers = own.length > 0 ? { authorization: `Bearer ${pickFrom(dice, own)}` } : {}
  return { headers, isCrossSite: false }
}

const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) })

/** Gets a message for a wallet and signs it with a key of the attacker. */
async function signMessage(attack: Attack, address: string, purpose: 'sign-in' | 'link') {
  const { attacker, dice, send } = attack
  const json = { address, chainId: CHAIN_ID, purpose }
  const answer = await send(request('POST /sign-in/wallet/message', { json }), browser(attack))
  const { message = '' }: { message?: string } = JSON.parse(answer.text)
  const wallet =
    attacker.wallets.find((own) => own.address === address) ?? pickFrom(dice, attacker.wallets)
  return { message, signature: await wallet.signMessage({ message }) }
}

/** Asks for a link that adds an address, and confirms with the newest link that has arrived. */
async function linkEmail(attack: Attack, email: string): Promise<void> {
  const { attacker, send } = attack
  await send(request('POST /settings/account/email', form({ email })), browser(attack))
  const secret = attacker.secrets.at(-1)
  if (secret)
    await send(request('POST /settings/account/email/confirm', form({ secret })), browser(attack))
}

/** Tries to get into accounts, and to stay there. */
const entries: Record<string, Combination> = {
  async 'signs in with a wallet'(attack) {
    const { attacker, dice, world, send } = attack
    const { address } = pickFrom(dice, attacker.wallets)
    const victim = pickFrom(dice, world.victims.all).wallet
    const json = await signMessage(attack, dice.chance(0.8) ? address : victim, 'sign-in')
    await send(request('POST /sign-in/wallet', { json }), browser(attack))
  },

  async 'signs in with a message that a victim has signed'(attack) {
    const { dice, world, send } = attack
    const { signed } = pickFrom(dice, world.victims.all)
    await send(request('POST /sign-in/wallet', { json: signed }), browser(attack))
  },

  async 'signs in by mail'(attack) {
    const { attacker, dice, world, send } = attack
    const email = dice.pick(
      pickFrom(dice, attacker.emails),
      pickFrom(dice, world.victims.all).email,
    )
    await send(request('POST /sign-in/email', form({ email })), browser(attack))
    const secret = attacker.secrets.at(-1)
    if (!secret) return
    const path = `/sign-in/email?secret=${secret}`
    await send({ ...request('GET /sign-in/email'), path }, browser(attack))
    await send(request('POST /sign-in/email/confirm', form({ secret })), browser(attack))
  },

  async 'links a wallet'(attack) {
    const { attacker, dice, world, send } = attack
    const { address } = pickFrom(dice, attacker.wallets)
    const victim = pickFrom(dice, world.victims.all).wallet
    const json = await signMessage(attack, dice.chance(0.7) ? address : victim, 'link')
    const claim = { ...request('POST /claim/:id/wallet', { json }), path: '/claim/1/wallet' }
    const target = dice.chance(0.5) ? claim : request('POST /settings/account/wallet', { json })
    await send(target, browser(attack))
  },

  async 'links an e-mail address'(attack) {
    const { attacker, dice, world } = attack
    const victim = pickFrom(dice, world.victims.all).email
    await linkEmail(attack, dice.pick(pickFrom(dice, attacker.emails), victim))
  },

  async 'takes over what was bought for an address'(attack) {
    const { attacker, dice, world, send } = attack
    const { nftId, listingId } = attacker.sale ?? pickFrom(dice, world.sales)
    const email = pickFrom(dice, [...attacker.emails, pickFrom(dice, world.victims.all).email])
    const order = { nftId, listingId, quantity: 1, buyer: { email }, buyerBillingData: billingData }
    await send(request('POST /api/externalOrders', { json: [order] }), byToken(attack))
    await linkEmail(attack, email)
  },

  async 'unlinks the sign-in methods'(attack) {
    const { attacker, send } = attack
    // A seller would lose the account with the listing.
    if (attacker.sale) return
    for (const method of ['email', 'wallet'])
      await send(request(`POST /settings/account/${method}/unlink`, form({})), browser(attack))
  },

  async 'generates a token'(attack) {
    const { dice, send } = attack
    const fields = {
      name: dice.pick('shop', `token ${dice.upTo(1000)}`),
      role: dice.chance(0.2) ? 'master' : 'user',
      scope: dice.chance(0.2) ? 'read' : 'write',
    }
    const credentials = browser(attack)
    const answer = await send(
      request('POST /settings/api-access/tokens', form(fields)),
      credentials,
    )
    const path = answer.headers.get('location') ?? ''
    if (answer.status === 303)
      await send({ ...request('GET /settings/api-access/tokens/:id'), path }, credentials)
    else if (answer.status === 409)
      for (const id of ownIds(attack))
        await send(
          request('POST /settings/api-access/tokens/:id/revoke', { ...form({}), param: id }),
          credentials,
        )
  },

  async 'shows, rolls and revokes a token of a victim, and ends a session'(attack) {
    const { attacker, dice, world, send } = attack
    const id = drawTokenId(dice, attacker, world.victims)
    const credentials = browser(attack)
    await send(request('GET /settings/api-access/tokens/:id', { param: id }), credentials)
    for (const action of ['roll', 'revoke'])
      await send(
        request(`POST /settings/api-access/tokens/:id/${action}`, { ...form({}), param: id }),
        credentials,
      )
    await send(request('POST /settings/sessions/:id/end', { param: id }), credentials)
  },
}

/** Tries to sell what victims have not bought, and to see and change what they have. */
const orders: Record<string, Combination> = {
  async 'orders for a victim, reads the order, and goes for the addresses'(attack) {
    const { attacker, dice, world, send } = attack
    const sale = attacker.sale ?? pickFrom(dice, world.sales)
    const buyer = pickFrom(dice, world.victims.buyers)
    const element = {
      nftId: sale.nftId,
      listingId: sale.listingId,
      quantity: 1 + dice.upTo(2),
      buyerUserId: buyer.id,
      buyerBillingData: dice.pick(null, {
        street: 'Mallory',
        postal: '1',
        city: 'Mallory',
        country: 'ML',
      }),
    }
    const credentials = byToken(attack)
    const answer = await send(request('POST /api/externalOrders', { json: [element] }), credentials)
    if (answer.status !== 200) return
    const { orders }: { orders: { id: number; billingAddressId: number }[] } = JSON.parse(
      answer.text,
    )
    for (const { id, billingAddressId } of orders) {
      const ids = [...new Set([id, ...(dice.chance(0.5) ? [] : [1 + dice.upTo(16)])])]
      await send(request('GET /api/externalOrders/:order_ids', { param: ids }), credentials)
      const path = `/api/public/billingAddress?id=${billingAddressId}`
      const json = { street: 'Mallory', isDefault: true }
      await send({ ...request('PUT /api/public/billingAddress', { json }), path }, credentials)
      await send({ ...request('DELETE /api/public/billingAddress'), path }, credentials)
      for (const kind of ['billing', 'delivery'])
        await send(
          request(`GET /api/public/user/:user_id/${kind}Addresses`, { param: buyer.id }),
          credentials,
        )
    }
  },

  async 'orders with a reservation'(attack) {
    const { attacker, dice, world, send } = attack
    const { sale } = attacker
    if (!sale) return
    const { nftId, listingId } = sale
    const json = [{ listingId, quantity: 1, ttl: 600 }]
    const credentials = byToken(attack)
    await send(request('POST /api/reservations', { json }), credentials)
    const others = world.attackers.flatMap((other) => other.reservationIds.slice(-1))
    const ids = [...attacker.reservationIds.slice(-2), ...others, ...world.victims.reservationIds]
    const reservationId = pickFrom(dice, ids)
    const order = {
      nftId,
      listingId,
      quantity: 1,
      buyerUserId: pickFrom(dice, world.victims.buyers).id,
    }
    const content = { json: [{ ...order, reservationId }] }
    if (dice.chance(0.8)) await send(request('POST /api/externalOrders', content), credentials)
    await send(
      request('DELETE /api/reservations/:reservation_id', { param: reservationId }),
      credentials,
    )
  },

  async 'repeats an order of a shop'(attack) {
    const { attacker, dice, world, send } = attack
    const { sale } = attacker
    const { placed } = world.victims
    const own = placed.filter(({ listingId }) => listingId === sale?.listingId)
    const { content } = pickFrom(dice, own.length > 0 && dice.chance(0.7) ? own : placed)
    await send(request('POST /api/externalOrders', content), byToken(attack))
  },
}

const ownIds = ({ attacker, dice }: Attack): string[] =>
  dice
    .shuffled(attacker.tokens)
    .slice(0, 3)
    .flatMap((jwt) => decodeJwt(jwt).jti ?? [])

export function playCombination(attack: Attack): Promise<void> {
  const { dice, attacker } = attack
  const combinations = dice.chance(attacker.sale ? 0.6 : 0.1) ? orders : entries
  return pickFrom(dice, Object.values(combinations))(attack)
}
