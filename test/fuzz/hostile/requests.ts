/**
 * Draws a request to any endpoint of the app: its sample request, with ids, addresses and secrets of
 * others in the place of those that it has, and with fields that it could have.
 */
import type { Endpoint } from '../../../scripts/build/openapi/list.ts'
import type { Call } from '../../support/api.ts'
import type { Dice } from '../../support/delivery/campaign/dice.ts'
import { fieldsOf } from '../../support/json-schema.ts'
import { type Attacker, drawTokenId, pickFrom } from './attackers.ts'
import type { World } from './world.ts'

export type HostileRequest = Pick<Call, 'json' | 'body'> & {
  /** `METHOD /path/:with/parameters`. */
  endpoint: string
  method: string
  path: string
  headers?: Record<string, string>
}

type Draw = { world: World; dice: Dice; attacker: Attacker; endpoint: Endpoint }
type Values = (draw: Draw) => unknown

const pick =
  <T>(...values: T[]): Values =>
  ({ dice }) =>
    pickFrom(dice, values)

const userId: Values = ({ world, dice, attacker }) => {
  const others = [...world.victims.ids, ...world.attackers.flatMap((other) => [...other.userIds])]
  const own = [...attacker.userIds]
  return pickFrom(dice, own.length > 0 && dice.chance(0.2) ? own : others)
}
/** Ids are consecutive, so whoever guesses finds the rows of victims. */
const rowId: Values = ({ dice }) => 1 + dice.upTo(dice.chance(0.8) ? 60 : 400)
const tokenId: Values = ({ world, dice, attacker }) => drawTokenId(dice, attacker, world.victims)
const orderId: Values = ({ dice, attacker: { orderIds } }) =>
  orderIds.length > 0 && dice.chance(0.4) ? pickFrom(dice, orderIds.slice(-50)) : 1 + dice.upTo(50)
const webhookId: Values = ({ world, dice, attacker: { webhookIds } }) =>
  dice.chance(0.4) && webhookIds.length > 0
    ? pickFrom(dice, webhookIds.slice(-5))
    : pickFrom(dice, world.victims.all).webhookId
const messageId: Values = ({ world, dice, attacker: { messageIds } }) =>
  dice.chance(0.4) && messageIds.length > 0
    ? pickFrom(dice, messageIds.slice(-5))
    : pickFrom(dice, world.victims.all).messageId

/** Addresses of victims, of attackers and of nobody, in any case. */
const anyIdentity =
  (own: keyof Pick<Attacker, 'emails' | 'wallets'>) =>
  ({ world, dice }: Draw): string => {
    const isEmail = own === 'emails'
    const { email, wallet } = pickFrom(dice, world.victims.all)
    const { emails, wallets } = pickFrom(dice, world.attackers)
    const n = dice.upTo(50)
    return dice.pick(
      isEmail ? email : wallet,
      isEmail ? email.toUpperCase() : wallet.toLowerCase(),
      isEmail ? pickFrom(dice, emails) : pickFrom(dice, wallets).address,
      isEmail ? `guest-${n}@elsewhere.test` : `0x${String(n).padStart(40, '7')}`,
    )
  }
const [anyEmail, anyWallet] = [anyIdentity('emails'), anyIdentity('wallets')]

const reservationId: Values = ({ world, dice, attacker: { reservationIds } }) =>
  reservationIds.length > 0 && dice.chance(0.5)
    ? pickFrom(dice, reservationIds.slice(-5))
    : dice.pick(pickFrom(dice, world.victims.reservationIds), crypto.randomUUID())

const providerId: Values = ({ world, dice }) =>
  dice.pick(
    `number-${dice.upTo(2)}-${pickFrom(dice, world.victims.buyers).id}`,
    `number ${dice.upTo(dice.chance(0.3) ? 10 : 10_000)}`,
  )

const secret: Values = ({ dice, attacker }) =>
  pickFrom(dice, ['0'.repeat(64), ...attacker.secrets.slice(-3)])

const evilUrl = pick(null, 'https://evil.example.com/')

const file = { name: 'track.mp3', type: 'audio/mpeg', bytes: 1000, sha256: '0'.repeat(64) }
const invoice = { currency: 'EUR', invoiceNumber: '=1+1', taxCents: 144, discountCents: null }

/** What attackers try, by `<part>.<name>` or by the name of a field. Other fields are those of the sample. */
const valuesOf: Record<string, Values> = {
  'param.user_id': (draw) => (draw.dice.chance(0.1) ? 'me' : userId(draw)),
  'param.id': (draw) =>
    /^\/settings\/(api-access|sessions)/.test(draw.endpoint.path) ? tokenId(draw) : rowId(draw),
  'param.webhook_id': webhookId,
  'param.message_id': messageId,
  'param.order_ids': (draw) =>
    Array.from({ length: 1 + draw.dice.upTo(4) }, () => orderId(draw)).join(),
  'param.order_id': orderId,
  'param.reservation_id': reservationId,
  'param.providerId': providerId,
  'param.ids': rowId,
  'param.nft': rowId,
  'param.number': rowId,
  'param.creator': rowId,
  'param.ref': pick('mine', 'dawn-1'),
  'query.id': rowId,
  'query.deleted': rowId,
  'query.q': ({ world, dice, endpoint }) => {
    // The page shows it again.
    if (endpoint.path === '/nfts') return dice.pick('a', 'nft')
    const { id, email, wallet } = pickFrom(dice, world.victims.all)
    return dice.pick(String(id), email, wallet, `0x${'0'.repeat(64)}`)
  },
  'query.buyerId': userId,
  'query.seller': userId,
  'query.creator': userId,
  'query.source': pick('shop', 'session'),
  'query.after': messageId,
  'query.secret': secret,
  'header.idempotency-key': ({ dice }) => `key-${dice.upTo(dice.chance(0.5) ? 5 : 500)}`,
  'json.email': ({ dice, attacker }) => pickFrom(dice, attacker.emails),
  'json.address': ({ world, dice, attacker }) =>
    pickFrom(dice, [
      ...attacker.wallets.map(({ address }) => address),
      ...world.victims.all.map(({ wallet }) => wallet),
    ]),
  'json.shopUrl': evilUrl,
  'json.publish': pick(true, false),
  'json.content': pick(null, { release: 'delivered', phrase: 'pwned', files: [file] }),
  'form.email': ({ world, dice, attacker, endpoint }) => {
    // An address shows it again, and only private texts that the attacker has sent may be shown.
    if (endpoint.path.includes('/addresses/')) return pickFrom(dice, attacker.emails)
    const [name = '', host = ''] = pickFrom(dice, world.victims.all).email.split('@')
    return dice.pick(
      pickFrom(dice, attacker.emails),
      `${name}@${host}`,
      `${name}+${dice.upTo(3)}@${host}`,
      `${name}@${host}`.toUpperCase(),
    )
  },
  'form.wallet': anyWallet,
  'form.name': ({ dice }) => dice.pick('shop', 'session', `token ${dice.upTo(1000)}`),
  'form.username': ({ world, dice }) =>
    dice.pick('', `mallory${dice.upTo(20)}`, `VICTIM${1 + dice.upTo(world.victims.all.length)}`),
  'form.secret': secret,
  'form.shopUrl': evilUrl,
  'form.action': pick('draft', 'publish'),
  userId,
  buyerUserId: userId,
  sellerId: userId,
  creatorId: userId,
  user: userId,
  buyer: (draw) => {
    const locale = draw.dice.pick('de', 'x'.repeat(10_000), 'de\r\nBcc: x', '<b>')
    const identity = draw.dice.chance(0.5) ? { email: anyEmail(draw) } : { wallet: anyWallet(draw) }
    return { ...identity, ...(draw.dice.chance(0.3) && { locale }) }
  },
  quantity: pick(1, 2, 3),
  reservationId,
  // Listings ask 1000.
  expectedPriceCents: pick(1000, 1000, 900),
  providerId: (draw) => (draw.dice.chance(0.3) ? null : providerId(draw)),
  custom: pick({ cart: 'c-1' }, {}, null),
  paid: pick({ ...invoice, grossCents: 900 }, { ...invoice, grossCents: -1 }),
  cursor: (draw) => {
    if (!draw.endpoint.path.includes('webhook')) return rowId(draw)
    return draw.endpoint.path.includes('/:webhook_id') ? messageId(draw) : webhookId(draw)
  },
  before: rowId,
  message: ({ dice, attacker: { signed } }) => signed[dice.upTo(signed.length)]?.message ?? 'hello',
  signature: ({ dice, attacker: { signed } }) =>
    signed[dice.upTo(signed.length)]?.signature ?? '0x00',
  redirect: pick('/settings/account', 'https://evil.test/'),
  url: pick('https://evil.example.com/hook', 'https://10.0.0.1/'),
}

type Part = 'param' | 'query' | 'header' | 'json' | 'form'

/** Draws most fields that a part of a request has, and some that its endpoint declares. */
function redraw(draw: Draw, part: Part, fields: object): Record<string, unknown> {
  const schema = draw.endpoint.input?.[part as 'query']
  const declared = schema ? fieldsOf(schema) : []
  const drawn: Record<string, unknown> = { ...fields }
  for (const name of new Set([...Object.keys(fields), ...declared])) {
    const values = valuesOf[`${part}.${name}`] ?? valuesOf[name]
    if (values && draw.dice.chance(name in fields ? 0.8 : 0.3)) drawn[name] = values(draw)
  }
  return drawn
}

/** Most fields that belong together get values that do. */
function paired({ world, dice, attacker }: Draw, fields: Record<string, unknown>) {
  if (dice.chance(0.15)) return fields
  // Hardly ever the right one.
  if (dice.chance(0.8)) Reflect.deleteProperty(fields, 'reservationId')
  if ('buyer' in fields) Reflect.deleteProperty(fields, 'buyerUserId')
  const newest = attacker.signed.at(-1)
  if ('signature' in fields && newest) return { ...fields, ...newest }
  if (!('listingId' in fields)) return fields
  const { nftId, listingId, nft, listing } =
    attacker.sale && dice.chance(0.8) ? attacker.sale : pickFrom(dice, world.sales)
  const { nftId: isOrder, listingId: _, ...others } = fields
  const ids = dice.chance(0.5) ? { nftId, listingId } : { nft, listing }
  const price = 'expectedPriceCents' in fields ? { expectedCurrency: 'EUR' } : {}
  return { ...others, ...price, ...(isOrder ? ids : { listingId }) }
}

const textsOf = (fields: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === null ? '' : String(value)]),
  )

/** Puts drawn values into the path of a sample. */
function redrawPath(draw: Draw, path: string): string {
  const parts = draw.endpoint.path.split('/')
  const segments = path.split('/').map((segment, i) => {
    const [, name] = /^:(\w+)/.exec(parts[i] ?? '') ?? []
    const values = valuesOf[`param.${name}`]
    if (!values || draw.dice.chance(0.2)) return segment
    return encodeURIComponent(String(values(draw))).replaceAll('%2C', ',')
  })
  return segments.join('/')
}

export async function requestTo(draw: Draw): Promise<HostileRequest> {
  const endpoint = `${draw.endpoint.method} ${draw.endpoint.path}`
  const { method, path, json, body, headers = {} } = await draw.world.sampleRequest(endpoint)
  const [pathname = '', search] = path.split('?')
  const query = redraw(draw, 'query', Object.fromEntries(new URLSearchParams(search)))
  const request: HostileRequest = {
    endpoint,
    method,
    path: `${redrawPath(draw, pathname)}?${new URLSearchParams(textsOf(query))}`,
    headers: { ...headers, ...textsOf(redraw(draw, 'header', {})) },
  }
  const redrawJson = (fields: object) => paired(draw, redraw(draw, 'json', fields))
  if (Array.isArray(json)) request.json = json.map(redrawJson)
  else if (json !== undefined) request.json = redrawJson(Object(json))
  else if (body instanceof URLSearchParams)
    request.body = new URLSearchParams(textsOf(redraw(draw, 'form', Object.fromEntries(body))))
  else if (body) request.body = body
  return request
}
