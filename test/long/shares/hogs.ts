/** Attackers who take as much as they can get: of the database, the chain, the queues and of time. */
import { aPng } from '../../avatars/pictures.ts'
import { type Attacker, type Credentials, pickFrom } from '../../fuzz/hostile/attackers.ts'
import {
  type Attack,
  browser,
  byToken,
  type Combination,
  form,
  request,
  signMessage,
} from '../../fuzz/hostile/combinations.ts'
import type { Sale } from '../../fuzz/hostile/victims.ts'
import { billingData } from '../../orders/shop.ts'
import type { Dice } from '../../support/delivery/campaign/dice.ts'
import { aWallet } from '../../support/visitor.ts'
import { MAX_OPEN } from './growth.ts'
import { misbehaviours } from './receivers.ts'

/** What there is to waste. */
export type Goods = {
  /** What each seller sells: what can be delivered, and what cannot. */
  salesOf: Map<Attacker, Sale[]>
  /** Buyers whose wallets refuse, or burn gas. */
  burners: { id: number }[]
  /** Has an account with a wallet and an e-mail address. */
  waiter: Attacker
}

const times = <T>(count: number, value: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => value(i))

/** As much text as an order may have. */
const custom = Object.fromEntries(times(15, (i) => [`key-${i}`, 'x'.repeat(250)]))

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })

let strangers = 0

/** Somebody whom nobody knows. */
const aStranger = ({ dice }: Attack) =>
  dice.chance(0.5)
    ? { email: `stranger-${++strangers}@elsewhere.test` }
    : { wallet: `0x${(++strangers).toString(16).padStart(40, '9')}` }

/** What the attacker sells, or somebody else. */
const drawSale = ({ attacker, dice }: Attack, { salesOf }: Goods): Sale =>
  pickFrom(dice, salesOf.get(attacker) ?? [...salesOf.values()].flat())

type Buyer = (attack: Attack, goods: Goods) => object

const buyers: Record<string, Buyer> = {
  'orders for those who refuse': ({ dice }, { burners }) => ({
    buyerUserId: pickFrom(dice, burners).id,
  }),
  'orders for victims': ({ dice, world }) => ({
    buyerUserId: pickFrom(dice, world.victims.buyers).id,
  }),
  'orders for strangers': (attack) => ({ buyer: aStranger(attack) }),
  'orders for other attackers': ({ dice, world }, { waiter }) => {
    const ids = world.attackers.flatMap(({ userIds }) => [...userIds])
    const [waiterId = 0] = waiter.userIds
    return { buyerUserId: dice.chance(0.5) ? waiterId : pickFrom(dice, ids) }
  },
}

type Ordering = { buyer: Buyer; count: number; credentials?: Credentials }

/** Places orders for buyers of one kind. */
async function order(
  attack: Attack,
  goods: Goods,
  { buyer, count, credentials = byToken(attack) }: Ordering,
): Promise<void> {
  const { attacker, dice, send } = attack
  const sale = drawSale(attack, goods)
  // What fails is asked about once for each number of pieces.
  const element = () => ({
    ...{ nftId: sale.nftId, listingId: sale.listingId, quantity: 1 + dice.upTo(50) },
    ...{ custom, buyerBillingData: billingData, ...buyer(attack, goods) },
  })
  const json = times(count, element)
  const content = { json, headers: newKey() }
  const answer = await send(request('POST /api/externalOrders', content), credentials)
  if (answer.status !== 200) return
  const { orders }: { orders: { id: number }[] } = JSON.parse(answer.text)
  attacker.orderIds.push(...orders.map(({ id }) => id))
}

/** Places as many orders as are left of the limit, with the newest token. */
export async function fillQueue(attack: Attack, goods: Goods): Promise<void> {
  const authorization = `Bearer ${attack.attacker.tokens.at(-1)}`
  const credentials = { headers: { authorization }, isCrossSite: false }
  for (let call = 0; call < MAX_OPEN / 100; call++) {
    const buyer = pickFrom(attack.dice, Object.values(buyers))
    await order(attack, goods, { buyer, count: 100, credentials })
  }
}

/** What a seller does. */
const sellerHogs = (goods: Goods): Record<string, Combination> => ({
  ...Object.fromEntries(
    Object.entries(buyers).map(([name, buyer]) => [
      name,
      async (attack: Attack) => {
        await order(attack, goods, { buyer, count: pickFrom(attack.dice, [1, 10, 30, 100]) })
      },
    ]),
  ),

  async 'cancels what it has ordered'(attack) {
    const { attacker, send } = attack
    for (const id of attacker.orderIds.slice(-8))
      await send(
        {
          ...request('POST /api/externalOrders/:order_id/cancel'),
          path: `/api/externalOrders/${id}/cancel`,
        },
        byToken(attack),
      )
  },

  async 'holds all pieces again and again'(attack) {
    const { dice, send } = attack
    const sale = drawSale(attack, goods)
    const ttl = 1 + dice.upTo(1800)
    const json = times(pickFrom(dice, [1, 20, 100]), () => ({
      ...{ listingId: sale.listingId, quantity: 1, ttl },
    }))
    const credentials = byToken(attack)
    const answer = await send(
      request('POST /api/reservations', { json, headers: newKey() }),
      credentials,
    )
    if (answer.status !== 200) return
    const { reservations }: { reservations: { id: string }[] } = JSON.parse(answer.text)
    for (const { id } of reservations.slice(0, 20))
      await send(
        {
          ...request('DELETE /api/reservations/:reservation_id'),
          path: `/api/reservations/${id}`,
        },
        credentials,
      )
  },
})

/** Signs in to the first account of the attacker, or still is. */
async function beSignedIn(attack: Attack): Promise<Credentials> {
  const isNew = attack.attacker.sessions.length === 0 || attack.dice.chance(0.3)
  return isNew ? signIn(attack) : browser(attack)
}

/** Signs in to the first account of the attacker. */
async function signIn(attack: Attack): Promise<Credentials> {
  const json = await signMessage(attack, attack.attacker.wallets[0]?.address ?? '', 'sign-in')
  await attack.send(request('POST /sign-in/wallet', { json }), browser(attack))
  return browser(attack)
}

/** What anybody with an account does. */
const hogs: Record<string, Combination> = {
  async 'fills the address book and empties it'(attack) {
    const { dice, send } = attack
    const credentials = await beSignedIn(attack)
    const path = `/api/public/${pickFrom(dice, ['delivery', 'billing'])}Address`
    for (let i = 0; i < 40; i++) {
      const json = { street: 'x'.repeat(255), city: 'x'.repeat(255), isDefault: dice.chance(0.5) }
      const answer = await send(request(`POST ${path}`, { json }), credentials)
      const id = /"id":(\d+)/.exec(answer.text)?.[1]
      if (dice.chance(0.9) && id)
        await send({ ...request(`DELETE ${path}`), path: `${path}?id=${id}` }, credentials)
    }
  },

  async 'signs up with another wallet, and has webhooks'(attack) {
    const wallet = aWallet()
    attack.attacker.wallets.push(wallet)
    const json = await signMessage(attack, wallet.address, 'sign-in')
    const answer = await attack.send(request('POST /sign-in/wallet', { json }), browser(attack))
    if (answer.status < 400) for (let i = 0; i < 6; i++) await addWebhook(attack)
  },

  async 'signs in again and again'(attack) {
    for (let i = 0; i < 3; i++) await signIn(attack)
  },

  async 'makes, rolls and revokes tokens'(attack) {
    const { dice, send } = attack
    // Tokens of each session are limited.
    const credentials = await signIn(attack)
    for (let i = 0; i < 5; i++) {
      const fields = { name: `token ${dice.upTo(1e9)}`, role: 'user', scope: 'write' }
      const generate = request('POST /settings/api-access/tokens', form(fields))
      const made = await send(generate, credentials)
      const path = made.headers.get('location') ?? ''
      if (made.status !== 303) continue
      for (const action of ['roll', 'revoke'])
        await send(
          {
            ...request(`POST /settings/api-access/tokens/:id/${action}`, form({})),
            path: `${path}/${action}`,
          },
          credentials,
        )
    }
  },

  async 'creates, tests and deletes webhooks'(attack) {
    const { dice, send, attacker } = attack
    const credentials = await beSignedIn(attack)
    for (let i = 0; i < 5; i++) {
      const id = await addWebhook(attack)
      const path = '/api/webhooks/:webhook_id'
      const other = dice.chance(0.5) ? id : pickFrom(dice, [id, ...attacker.webhookIds])
      const test = request(`POST ${path}/test`)
      await send({ ...test, path: `/api/webhooks/${other}/test` }, credentials)
      if (dice.chance(0.7))
        await send({ ...request(`DELETE ${path}`), path: `/api/webhooks/${id}` }, credentials)
    }
  },

  async 'gets everything again'(attack) {
    const { dice, send, attacker } = attack
    if (attacker.webhookIds.length === 0) return
    const path = `/api/webhooks/${pickFrom(dice, attacker.webhookIds)}`
    const json = { since: new Date(Date.now() - 30 * 24 * 3600 * 1000).toISOString() }
    await send(
      { ...request('POST /api/webhooks/:webhook_id/replay', { json }), path: `${path}/replay` },
      browser(attack),
    )
    await send(
      {
        ...request('GET /api/webhooks/:webhook_id/messages'),
        path: `${path}/messages?state=failed&limit=100`,
      },
      browser(attack),
    )
  },

  async 'reads what costs most'(attack) {
    const { attacker, dice, send } = attack
    const ids = attacker.orderIds.slice(-100).join() || '1'
    const path = pickFrom(dice, [
      '/api/externalOrders?limit=100&deliveryStatus=failed',
      '/api/externalOrders?limit=100&updatedFrom=2000-01-01T00:00:00Z',
      '/api/externalOrders?limit=100&createdFrom=2000-01-01T00:00:00Z&deliveryStatus=pending',
      `/api/externalOrders/${ids}`,
      '/api/events?since=2000-01-01T00:00:00Z&source=nobody',
      '/api/public/nfts?limit=100&q=x',
      '/api/public/listings?limit=100&updatedSince=2000-01-01T00:00:00Z',
    ])
    const [pathname = ''] = path.split('?')
    const declared = pathname.replace(/Orders\/.*/, 'Orders/:order_ids')
    for (let i = 0; i < 3; i++) await send({ ...request(`GET ${declared}`), path }, byToken(attack))
  },

  async 'asks for mails and messages'(attack) {
    const { dice, send } = attack
    for (let i = 0; i < 3; i++) {
      const email = `nobody-${dice.upTo(1e6)}@elsewhere.test`
      await send(request('POST /sign-in/email', form({ email })), browser(attack))
      await signMessage(attack, aWallet().address, 'sign-in')
    }
  },

  async 'changes the picture'(attack) {
    const path = '/api/public/user/me/profile/updateAvatarBytes'
    const endpoint = 'PUT /api/public/user/:user_id/profile/updateAvatarBytes'
    await attack.send({ ...request(endpoint, { body: aPng() }), path }, byToken(attack))
  },
}

/** What whoever has a second way to sign in does. */
const waiterHogs: Record<string, Combination> = {
  async 'unlinks and links the wallet that things wait for'(attack) {
    const { attacker, send } = attack
    const credentials = await beSignedIn(attack)
    const unlink = request('POST /settings/account/wallet/unlink', form({}))
    for (let i = 0; i < 5; i++) {
      await send(unlink, credentials)
      const json = await signMessage(attack, attacker.wallets[0]?.address ?? '', 'link')
      await send(request('POST /settings/account/wallet', { json }), browser(attack))
    }
  },
}

/** Creates a webhook with a receiver of an attacker. Returns its id. */
async function addWebhook(attack: Attack): Promise<unknown> {
  const { attacker, dice, send } = attack
  const url = `https://${pickFrom(dice, misbehaviours)}.evil.example.com/${dice.upTo(1e9)}`
  const json = { url, events: ['order.created', 'order.awaiting_wallet', 'order.failed'] }
  const answer = await send(request('POST /api/webhooks', { json }), browser(attack))
  if (answer.status !== 200) return pickFrom(dice, [...attacker.webhookIds, 'none'])
  const { webhook }: { webhook: { id: string } } = JSON.parse(answer.text)
  attacker.webhookIds.push(webhook.id)
  return webhook.id
}

export type Hog = { attacker: Attacker; play: Combination }

/** Returns everything that may be done, each by one who can, in any order. */
export function drawHogs(dice: Dice, goods: Goods, attackers: readonly Attacker[]): Hog[] {
  const of = (combinations: Record<string, Combination>, able: readonly Attacker[]) =>
    Object.values(combinations).map((play) => ({ attacker: pickFrom(dice, able), play }))
  return dice.shuffled([
    ...of(hogs, attackers),
    ...of(sellerHogs(goods), [...goods.salesOf.keys()]),
    ...of(waiterHogs, [goods.waiter]),
  ])
}
