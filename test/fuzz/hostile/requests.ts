/**
 * Draws a request to any endpoint of the app, from what the endpoint declares. The values of a
 * field are found by its name.
 */

import { inject } from 'vitest'
import type { $ZodType } from 'zod/v4/core'
import { describedEndpoints } from '../../../scripts/build/openapi/endpoints.ts'
import type { Endpoint } from '../../../scripts/build/openapi/list.ts'
import { DeliveryFields } from '../../../src/addresses/schema.ts'
import { DEFAULT_PICTURE } from '../../../src/avatars/serve.ts'
import { aPng } from '../../avatars/pictures.ts'
import { aForm } from '../../avatars/uploads.ts'
import type { Call } from '../../support/api.ts'
import type { Dice } from '../../support/delivery/campaign/dice.ts'
import { type JsonSchema, jsonSchemaOf } from '../../support/json-schema.ts'
import { CHAIN_ID } from '../../support/visitor.ts'
import { excludedFields } from '../schemas.ts'
import { type Attacker, drawTokenId, pickFrom } from './attackers.ts'
import type { World } from './world.ts'

export type HostileRequest = Pick<Call, 'json' | 'body'> & {
  /** `METHOD /path/:with/parameters`. */
  endpoint: string
  method: string
  path: string
  headers?: Record<string, string>
}

type Draw = { world: World; dice: Dice; attacker: Attacker; endpoint?: string }
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
const line = pick('Mallory', 'Elsewhere 1', '', null)
const ownEmail: Values = ({ dice, attacker }) => pickFrom(dice, attacker.emails)

/** Addresses of victims, of attackers and of nobody, in any case. */
const anyIdentity =
  (own: keyof Pick<Attacker, 'emails' | 'wallets'>): Values =>
  ({ world, dice }) => {
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

const reservationId: Values = ({ world, dice, attacker: { reservationIds } }) =>
  reservationIds.length > 0 && dice.chance(0.5)
    ? pickFrom(dice, reservationIds.slice(-5))
    : dice.pick(pickFrom(dice, world.victims.reservationIds), crypto.randomUUID())

const providerId: Values = ({ world, dice }) =>
  dice.pick(
    `number-${dice.upTo(2)}-${pickFrom(dice, world.victims.buyers).id}`,
    `number ${dice.upTo(dice.chance(0.3) ? 10 : 10_000)}`,
  )

/** A value is found as `<part>.<name>`, by the name alone, or in the schema. An object is a part. */
const valuesOf: Record<string, Values> = {
  'param.user_id': (draw) => (draw.dice.chance(0.1) ? 'me' : userId(draw)),
  'param.id': rowId,
  'param.webhook_id': webhookId,
  'param.message_id': messageId,
  'param.order_ids': (draw) =>
    Array.from({ length: 1 + draw.dice.upTo(4) }, () => orderId(draw)).join(),
  'param.order_id': orderId,
  'param.reservation_id': reservationId,
  'param.kind': pick('delivery', 'billing'),
  'param.guide': pick('delivery', 'errors'),
  'param.ids': ({ dice }) =>
    dice.chance(0.8) ? 1 + dice.upTo(60) : `externalId:${1 + dice.upTo(60)}`,
  'param.picture': pick(`${DEFAULT_PICTURE}.jpg`, `${'0'.repeat(48)}.jpg`),
  'param.size': pick('card', 'page'),
  'param.nft': ({ dice }) => 1 + dice.upTo(60),
  'param.name': pick('track.mp3', 'other.zip'),
  'param.number': rowId,
  'query.mine': pick('true'),
  'param.key': pick('contract_changed:31337', 'signer_low'),
  'param.ref': pick('mine', 'sun/rise'),
  'param.creator': ({ dice }) => dice.pick('cleo', String(1 + dice.upTo(60))),
  'query.id': rowId,
  'query.deleted': rowId,
  'query.buyerId': userId,
  'query.q': ({ world, dice, endpoint }) => {
    // The page shows it again.
    if (endpoint === 'GET /nfts') return dice.pick('a', 'nft')
    const { id, email, wallet } = pickFrom(dice, world.victims.all)
    return dice.pick(String(id), email, wallet, `0x${'0'.repeat(64)}`)
  },
  'query.ids': pick('1,2,3'),
  'query.changed': pick('3'),
  'query.contract': pick(`0x${'c0'.repeat(20)}`, 'no address'),
  contractName: pick('Waves'),
  amountType: pick('unique', 'limited', 'unlimited'),
  fulfilment: pick('transfer', 'mint'),
  'query.source': pick('shop', 'session'),
  'query.network': pick('localhost'),
  'query.since': pick('2026-01-01'),
  'query.until': pick('2126-01-01'),
  'query.seller': userId,
  'query.sellerId': userId,
  'query.fields': pick('summary'),
  'query.createdFrom': pick('2026-01-01T00:00:00Z'),
  'query.createdTo': pick('2126-01-01T00:00:00Z'),
  'query.updatedFrom': pick('2026-01-01T00:00:00Z'),
  'header.idempotency-key': ({ dice }) => `key-${dice.upTo(dice.chance(0.5) ? 5 : 500)}`,
  'json.version': ({ dice, endpoint }) =>
    endpoint?.includes('/proposals/') ? crypto.randomUUID() : 1 + dice.upTo(7),
  'form.version': pick('1', '7'),
  'json.network': pick('localhost', 'elsewhere'),
  'json.contract': pick(`0x${'c0'.repeat(20)}`, 'no address'),
  'json.tokenId': ({ dice }) => String(dice.upTo(20)),
  'json.amount': pick(1, 3, null),
  'json.releaseAt': pick('2026-01-01T00:00:00Z', null),
  'json.activeTill': pick('2126-01-01T00:00:00Z', null),
  'json.priceCents': pick(1000, 10),
  'json.priceEths': pick('0.01'),
  'json.priceWei': pick('10'),
  'json.priceCurrency': pick('EUR'),
  'json.fee': pick('2.5', null),
  'json.feeRecipient': pick(`0x${'fe'.repeat(20)}`, null),
  'json.salesContractUrl': pick('https://evil.example.com/', null),
  'json.shopUrl': pick('https://evil.example.com/', null),
  'json.payload': pick({ secretPhrase: 'pwned' }, {}),
  'json.reason': line,
  'json.nft': ({ dice }) => `record ${dice.upTo(10)}`,
  'content.phrase': pick('open sesame', null),
  'content.codes': pick(false, false, true),
  'files.name': pick('track.mp3', '../other.zip'),
  'files.type': pick('audio/mpeg'),
  'files.bytes': pick(1000),
  'files.sha256': pick('0'.repeat(64)),
  category: pick('Music', null),
  'records.id': ({ dice }) => String(1 + dice.upTo(60)),
  'json.email': ownEmail,
  'json.address': ({ world, dice, attacker }) =>
    pickFrom(dice, [
      ...attacker.wallets.map(({ address }) => address),
      ...world.victims.all.map(({ wallet }) => wallet),
    ]),
  'buyer.email': anyIdentity('emails'),
  'buyer.wallet': anyIdentity('wallets'),
  'buyer.locale': pick('de', 'PT-br', 'x'.repeat(10_000), 'de\r\nBcc: x', '<b>'),
  'form.email': ({ world, dice, attacker, endpoint }) => {
    // An address shows it again, and only private texts that the attacker has sent may be shown.
    if (endpoint?.includes('/addresses/')) return pickFrom(dice, attacker.emails)
    const [name = '', host = ''] = pickFrom(dice, world.victims.all).email.split('@')
    return dice.pick(
      pickFrom(dice, attacker.emails),
      `${name}@${host}`,
      `${name}+${dice.upTo(3)}@${host}`,
      `${name}@${host}`.toUpperCase(),
    )
  },
  'form.wallet': anyIdentity('wallets'),
  'form.network': pick('localhost', 'elsewhere'),
  'form.contract': pick(`0x${'c0'.repeat(20)}`, 'no address'),
  'form.name': ({ dice }) => dice.pick('shop', 'session', `token ${dice.upTo(1000)}`),
  'form.isDefault': pick('on'),
  'form.username': ({ world, dice }) =>
    dice.pick('', `mallory${dice.upTo(20)}`, `VICTIM${1 + dice.upTo(world.victims.all.length)}`),
  'form.secret': ({ dice, attacker }) =>
    pickFrom(dice, ['0'.repeat(64), ...attacker.secrets.slice(-3)]),
  'query.secret': ({ dice, attacker }) =>
    pickFrom(dice, ['0'.repeat(64), ...attacker.secrets.slice(-3)]),
  userId,
  buyerUserId: userId,
  nftId: ({ world, dice }) => pickFrom(dice, world.sales).nftId,
  listingId: ({ world, dice }) => pickFrom(dice, world.sales).listingId,
  nft: ({ world, dice }) => pickFrom(dice, world.sales).nft,
  listing: ({ world, dice }) => pickFrom(dice, world.sales).listing,
  quantity: pick(1, 2, 3),
  ttl: pick(1, 600, 1800),
  reservationId,
  // Listings ask 1000.
  expectedPriceCents: pick(1000, 1000, 900),
  expectedCurrency: pick('EUR'),
  'param.providerId': providerId,
  providerId: (draw) => (draw.dice.chance(0.3) ? null : providerId(draw)),
  custom: pick({ cart: 'c-1' }, {}, null),
  'paid.grossCents': pick(900, 900, 0, -1),
  'paid.taxCents': pick(144, null, 901),
  'paid.discountCents': pick(100, null),
  'paid.currency': pick('EUR', 'EUR', 'XXX'),
  'paid.invoiceNumber': pick('2026-0815', null, '=1+1'),
  ...Object.fromEntries(DeliveryFields.keyof().options.map((name) => [name, line])),
  avatarUrl: () => `http://${inject('remoteHost')}/picture.jpg`,
  namespace: pick('master:shop', 'user:x:shop'),
  limit: pick(100),
  sellerId: userId,
  creatorId: userId,
  sale: pick('on'),
  'query.creator': userId,
  updatedSince: pick('2025-01-01T00:00:00Z'),
  cursor: (draw) => {
    if (!draw.endpoint?.includes('webhook')) return rowId(draw)
    return draw.endpoint.includes('/:webhook_id') ? messageId(draw) : webhookId(draw)
  },
  before: rowId,
  'json.before': pick('2025-01-01'),
  side: pick('sold'),
  transfers: pick(2),
  import: () => '01234567-89ab-4def-8123-456789abcdef',
  line: pick(1),
  chainId: pick(CHAIN_ID),
  message: ({ dice, attacker: { signed } }) => signed[dice.upTo(signed.length)]?.message ?? 'hello',
  signature: ({ dice, attacker: { signed } }) =>
    signed[dice.upTo(signed.length)]?.signature ?? '0x00',
  'cf-turnstile-response': pick('', 'proof'),
  redirect: pick('/settings/account', 'https://evil.test/'),
  url: pick('https://evil.example.com/hook', 'https://evil.example.com/', 'https://10.0.0.1/'),
  'form.events': pick('order.created', 'order.failed', 'alarm.raised'),
  'form.enabled': pick('on'),
  'form.id': rowId,
  'form.returnPieces': pick('on'),
  'query.imported': () => '01234567-89ab-4def-8123-456789abcdef',
  'form.last': pick('1'),
  'form.confirm': pick('on'),
  'form.shown': pick('{}'),
  'form.shownAmount': pick('{}'),
  'form.priceCents': pick('0.01', '10'),
  'form.priceEths': pick('0.005'),
  'form.amount': pick('', '1'),
  'form.perOrder': pick('', '1'),
  'form.active': pick('on'),
  'form.activeTill': pick('', '2026-01-01T00:00'),
  'form.shopUrl': pick('', 'https://evil.example.com/'),
  'form.token': pick('1', '1:3', 'x'),
  'form.title': pick('', 'Mine'),
  'form.description': pick('', 'A text'),
  'form.link': pick('', 'https://evil.example.com/'),
  'form.image': pick('', 'https://evil.example.com/a.png'),
  'form.priceCurrency': pick('EUR', 'XXX'),
  'form.phrase': pick('', 'open sesame'),
  'form.action': pick('draft', 'publish'),
  'form.status': pick('draft', 'released'),
  'form.reason': line,
  'form.text': line,
  chain: pick(CHAIN_ID),
  'form.source': pick('shop', 'session'),
  'form.since': pick('2026-01-01T00:00'),
  since: pick('2026-01-01T00:00:00.000Z'),
  back: pick('everyone'),
  owner: ({ world, dice }) => {
    const { id, email, wallet } = pickFrom(dice, world.victims.all)
    return dice.pick(String(id), email, wallet)
  },
  sources: pick('shop', 'session'),
  user: userId,
  person: ({ world, dice }) => pickFrom(dice, world.victims.all).email,
  until: pick('2026-12-31'),
  update: pick('on'),
  test: pick('evt_1'),
  'query.token': pick('0'.repeat(64), 'a.b.c'),
  'query.after': messageId,
  after: (draw) => `${new Date().toISOString()},${tokenId(draw)}`,
}

const jsonSchemas = new WeakMap<$ZodType, JsonSchema>()

function knownSchemaOf(schema: $ZodType): JsonSchema {
  const known = jsonSchemas.get(schema) ?? jsonSchemaOf(schema)
  jsonSchemas.set(schema, known)
  return known
}

function drawValue(draw: Draw, schema: JsonSchema, part: string, name: string): unknown {
  const { dice } = draw
  const inner = schema.anyOf?.find((one) => one.type === 'object' || one.enum || one.items?.enum)
  if (inner) return drawValue(draw, inner, part, name)
  if (schema.type === 'array' && schema.items) {
    const { items } = schema
    return Array.from({ length: 1 + dice.upTo(3) }, () => drawValue(draw, items, part, name))
  }
  if (schema.properties) {
    const one = (names: readonly string[]) => pickFrom(dice, names)
    const excluded = excludedFields(schema, one)
    const needed = [...(schema.required ?? []), ...excludedFields(schema, () => undefined)]
    const fields = Object.entries(schema.properties)
      .filter(([field]) => !excluded.includes(field))
      .filter(([field]) => needed.includes(field) || dice.chance(0.6))
      .map(([field, of]) => [field, drawValue(draw, of, name || part, field)])
    return paired(draw, Object.fromEntries(fields))
  }
  const choices =
    schema.type === 'boolean' ? [true, false] : 'const' in schema ? [schema.const] : schema.enum
  const values = valuesOf[`${part}.${name}`] ?? valuesOf[name] ?? (choices && pick(...choices))
  if (!values) throw new Error(`requests.ts has no values for ${part}.${name}`)
  return values(draw)
}

/** Most fields that belong together get values that do. */
function paired({ world, dice, attacker }: Draw, fields: Record<string, unknown>) {
  if (dice.chance(0.15)) return fields
  // Hardly ever the right one.
  if (dice.chance(0.8)) Reflect.deleteProperty(fields, 'reservationId')
  if ('listingId' in fields || 'listing' in fields) {
    const { sellerId: _, ...sale } =
      attacker.sale && dice.chance(0.8) ? attacker.sale : pickFrom(dice, world.sales)
    const own = Object.entries(sale).filter(([name]) => name in fields)
    const price = 'expectedPriceCents' in fields ? { expectedCurrency: 'EUR' } : {}
    return { ...fields, ...price, ...Object.fromEntries(own) }
  }
  // A record that is accepted.
  if ('publish' in fields && 'priceCents' in fields) {
    const { priceWei: _, ...rest }: Record<string, unknown> = { ...fields, priceEths: '0.01' }
    if (!('contractName' in rest)) return rest
    const contract = `0x${'c0'.repeat(20)}`
    return {
      ...rest,
      contract,
      network: 'localhost',
      amountType: 'limited',
      amount: 3,
      content: null,
    }
  }
  const newest = attacker.signed.at(-1)
  if ('signature' in fields && newest) return { ...fields, ...newest }
  return fields
}

const textsOf = (fields: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(fields)).map(([name, value]) => [
      name,
      value === null ? '' : String(value),
    ]),
  )

/** Draws a request. Throws if a field or a path parameter has no values. */
export function requestTo(endpoint: Endpoint, { world, dice, attacker }: Draw): HostileRequest {
  const { method, path, input = {} } = endpoint
  const draw: Draw = { world, dice, attacker, endpoint: `${method} ${path}` }
  const drawn = path.replace(/:(\w+)/g, (_, name: string) => {
    const value =
      name === 'id' && /^\/settings\/(api-access|sessions)/.test(path)
        ? tokenId(draw)
        : drawValue(draw, {}, 'param', name)
    return encodeURIComponent(String(value)).replaceAll('%2C', ',')
  })
  const request: HostileRequest = { endpoint: `${method} ${path}`, method, path: drawn }
  for (const [target, schema] of Object.entries(input)) {
    if (target === 'param') continue
    const value = drawValue(draw, knownSchemaOf(schema), target, '')
    if (target === 'query') request.path += `?${new URLSearchParams(textsOf(value))}`
    else if (target === 'header') request.headers = textsOf(value)
    else if (target === 'form') request.body = new URLSearchParams(textsOf(value))
    else if (target === 'json') request.json = value
    else throw new Error(`requests.ts cannot send a ${target}`)
  }
  const described = describedEndpoints.find((one) => one.method === method && one.path === path)
  const body = described?.body
  if (body?.type === 'multipart/form-data' || path === '/settings/profile/avatar')
    request.body = aForm(aPng())
  else if (body) request.body = aPng()
  return request
}
