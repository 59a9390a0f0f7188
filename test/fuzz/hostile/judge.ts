/** Decides whether an attacker may cause a change, and see an answer. */

import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { hashAddress, mailboxOf } from '../../../src/mail/mail.ts'
import { type CallerName, mayCall, permissions } from '../../support/permissions.ts'
import type { Attacker, Credentials } from './attackers.ts'
import { type Change, changedColumns, type Row } from './journal.ts'
import type { HostileRequest } from './requests.ts'
import type { World } from './world.ts'

export type Step = { attacker: Attacker; request: HostileRequest; credentials: Credentials }
export type Answer = { status: number; headers: Headers; text: string }

/** Everything that the attacker has sent, as text. */
const sentText = ({ request: { path, json, body }, credentials }: Step): string =>
  [
    decodeURIComponent(path),
    JSON.stringify(json ?? ''),
    body instanceof URLSearchParams ? decodeURIComponent(`${body}`) : '',
    JSON.stringify(credentials.headers),
  ].join('\n')

/** The token that the request carries, which may be forged. */
const carriedJwt = ({ credentials: { headers } }: Step): string | undefined =>
  headers.authorization?.replace(/^Bearer /, '') ?? /token=([^;]+)/.exec(headers.cookie ?? '')?.[1]

function carriedId(step: Step): string | undefined {
  const jwt = carriedJwt(step)
  try {
    return jwt && decodeJwt(jwt).jti
  } catch {
    return undefined
  }
}

type Rule = (world: World, step: Step, change: Change & { row: Row; columns: string[] }) => boolean

const isOwn = ({ attacker }: Step, id: unknown) =>
  typeof id === 'number' && attacker.userIds.has(id)

const isRobbed = ({ victims }: World, { attacker }: Step, id: unknown) =>
  attacker.name === 'thief' && id === victims.robbed.id

const isOnly = (columns: readonly string[], ...allowed: string[]) =>
  columns.every((name) => allowed.includes(name))

const isOwnNamespace = ({ attacker }: Step, { namespace }: Row) =>
  attacker.identities.has(/^user:(.*?):/.exec(String(namespace))?.[1])

/** Whether the sign-in methods of an account are the attacker's. */
const hasOwnMethods = ({ attacker }: Step, { email, ethereumPublicAddr }: Row) =>
  (email === '' || attacker.emails.includes(String(email))) &&
  (ethereumPublicAddr === '' ||
    attacker.wallets.some(({ address }) => address === ethereumPublicAddr))

/** Whether a row is that of something that the caller may list. Nobody of them is approved, so it is not on sale. */
const isListing = ({ victims }: World, step: Step, ownerId: unknown) =>
  /^((PUT|DELETE) \/api\/(nfts|listings)\/|POST \/create)/.test(step.request.endpoint) &&
  (isOwn(step, ownerId) || (step.attacker.name === 'thief' && ownerId === victims.robbed.id))

const signIns = ['POST /sign-in/wallet', 'POST /sign-in/email/confirm']
const placing = ['POST /api/externalOrders', 'PUT /api/externalOrders/by-number/:providerId']
const RESERVE = 'POST /api/reservations'
const RELEASE = 'DELETE /api/reservations/:reservation_id'
const isPlacing = ({ request }: Step) => placing.includes(request.endpoint)
const CANCEL = 'POST /api/externalOrders/:order_id/cancel'

/**
 * Whether an account that an order creates is empty but for the address that the order names. It
 * belongs to whoever has that address.
 */
function isNewBuyer({ attackers }: World, step: Step, user: Row): boolean {
  for (const attacker of attackers)
    if (hasOwnMethods({ ...step, attacker }, user)) {
      attacker.userIds.add(Number(user.id))
      attacker.identities.add(user.identityHash)
    }
  const { email, ethereumPublicAddr, lastAccessAt, roleId, externalId, name, username } = user
  const address = String(email || ethereumPublicAddr).toLowerCase()
  return (
    (email === '') !== (ethereumPublicAddr === '') &&
    sentText(step).toLowerCase().includes(`"${address}"`) &&
    [lastAccessAt, roleId, externalId, name, username].every((value) => value === null)
  )
}

/** An update of these columns would hand a row to somebody else. */
const fixed = [
  'id',
  'userId',
  'buyerId',
  'orderId',
  'endpointId',
  'eventId',
  'body',
  'placedBy',
  'namespace',
  'role',
  'scope',
  'kind',
]

/** Columns of a user that any session, even an old one, may change. */
const shown = ['avatarKey', 'name', 'username', 'language', 'updatedAt']

/** Columns of an endpoint that the consumer changes, once it is woken. */
const sending = ['leaseUntil', 'wakeAt', 'penalty', 'pausedUntil', 'failingSince']

/** Columns of an endpoint that gets an event, and of one to which something is sent again. */
const woken = ['position', 'dueAt', ...sending]
const replayed = [...woken, 'logFrom']

/** Columns of a message that is sent again. */
const sent = ['state', 'tries', 'dueAt']

/** Whether the attacker may send tests and messages to an endpoint: also with a stolen session. */
const isTarget = ({ victims }: World, { attacker }: Step, endpointId: unknown) =>
  attacker.webhookIds.includes(endpointId) ||
  (attacker.name === 'thief' && endpointId === victims.robbed.webhookId)

/** By table: the changes that an attacker may cause. A table without a rule must not change. */
const rules: Record<string, Rule> = {
  users: (world, step, { before, after, columns }) => {
    if (!after) return false
    if (before && isListing(world, step, after.id) && isOnly(columns, 'externalId'))
      return after.externalId === `user-${after.id}` && before.externalId === null
    if (before && isRobbed(world, step, after.id)) return isOnly(columns, ...shown)
    if (!before && isPlacing(step)) return isNewBuyer(world, step, after)
    if (!hasOwnMethods(step, after)) return false
    if (before) {
      const wallet = ['ethereumPublicAddr', 'walletChainId', 'walletProvedByFactory', 'hadWallet']
      // A guest whose wallet a key proves becomes its account.
      const proved = ['email', ...wallet, 'identityHash', 'lastAccessAt', 'ipAddress']
      return isOwn(step, after.id) && isOnly(columns, ...proved, ...shown)
    }
    step.attacker.userIds.add(Number(after.id))
    step.attacker.identities.add(after.identityHash)
    return signIns.includes(step.request.endpoint) && after.roleId === null
  },

  tokens: (world, step, { before, after, row, columns }) => {
    if (!after) return false
    if (before && isOnly(columns, 'lastUsedAt')) return carriedId(step) === row.id
    if (isOwn(step, row.userId)) return row.role === 'user'
    if (!isRobbed(world, step, row.userId) || !isOnly(columns, 'revokedAt')) return false
    world.ended.push(String(row.id))
    const { endpoint } = step.request
    // The owner's browser, or a program, is signed out, and the thief has gained nothing.
    return row.kind === 'session'
      ? carriedId(step) === row.id && [...signIns, 'POST /sign-out'].includes(endpoint)
      : endpoint === 'POST /settings/api-access/tokens/:id/revoke'
  },

  addresses: (world, step, { before, after, row }) => {
    if (!after) return false
    if (row.origin !== 'seller_order')
      return isOwn(step, row.userId) || isRobbed(world, step, row.userId)
    return !before && !row.isDefault && isPlacing(step)
  },

  orders: ({ buyerOf }, step, { before, after, row }) => {
    if (before || !after) return false
    buyerOf.set(Number(row.id), Number(row.buyerId))
    step.attacker.orderIds.push(Number(row.id))
    return isOwnNamespace(step, row) && isPlacing(step)
  },

  orderItems: ({ buyerOf }, step, { before, after, row, columns }) => {
    if (!after) return false
    if (!before) return row.listingId === step.attacker.sale?.listingId
    const isBuyer = isOwn(step, buyerOf.get(Number(row.orderId)))
    return isBuyer && isOnly(columns, 'ethRecipient', 'recipientChainId', 'updatedAt')
  },

  // Whoever proves the address of a guest gets what it bought.
  deliveries: (_, step, { before, after, columns }) => {
    if (!before) return isOwn(step, after?.placedBy)
    const isPlacer = isOwn(step, before.placedBy)
    if (step.request.endpoint === CANCEL) return isPlacer
    return isOwn(step, before.awaits) || (isPlacer && isOnly(columns, 'version', 'updatedAt'))
  },

  nfts: (world, step, { before, after, row, columns }) => {
    if (isListing(world, step, row.creatorId)) {
      step.attacker.nftIds.add(row.id)
      const isOwnBefore = before === null || before.creatorId === row.creatorId
      return isOwnBefore && ['draft', 'withdrawn'].includes(String(after?.status))
    }
    return (
      after?.id === step.attacker.sale?.nftId &&
      isPlacing(step) &&
      isOnly(columns, 'availableAmount', 'updatedAt') &&
      Number(after?.availableAmount) < Number(before?.availableAmount)
    )
  },

  listings: (world, step, { after, row }) =>
    isListing(world, step, row.sellerId) &&
    step.attacker.nftIds.has(row.nftId) &&
    after?.shopUrl === null,

  proposals: (world, step, { row }) => isListing(world, step, row.userId),

  reports: (world, step, { after, row }) =>
    after !== null && (isOwn(step, row.userId) || isRobbed(world, step, row.userId)),

  // Staged for one call, and removed.
  catalogueImports: (world, step) => isListing(world, step, [...step.attacker.userIds][0]),
  catalogueLines: (world, step) => isListing(world, step, [...step.attacker.userIds][0]),
  contentFiles: (_, { attacker }, { row }) => attacker.nftIds.has(row.nftId),
  contentStorage: () => true,

  idempotencyKeys: (_, step, { row }) => {
    step.attacker.keys.add(row.key)
    return isOwnNamespace(step, row) && (isPlacing(step) || step.request.endpoint === RESERVE)
  },

  reservations: (_, step, { before, after, row }) => {
    const { attacker, request } = step
    if (!before) attacker.reservationIds.push(row.id)
    const isAllowed = after
      ? !before && request.endpoint === RESERVE && isOwn(step, row.placedBy)
      : isPlacing(step) || request.endpoint === RELEASE
    return isAllowed && isOwnNamespace(step, row) && row.listingId === attacker.sale?.listingId
  },

  heldPieces: (_, { attacker }, { after }) => after?.nftId === attacker.sale?.nftId,

  emailLinks: (_, step, { before, after, row, columns }) => {
    const isOwnRequest =
      row.client === step.attacker.ip && (row.userId === null || isOwn(step, row.userId))
    if (!before) return isOwnRequest
    if (after) return isOwnRequest && isOnly(columns, 'expiresAt')
    return step.attacker.emails.includes(String(row.email))
  },

  // A stolen session is too old to make one.
  phoneLinks: (_, step, { row }) => isOwn(step, row.userId),

  // Of the name of an account, and of the title of an own NFT.
  words: (world, step, { row }) =>
    row.kind === 'user'
      ? isOwn(step, row.subjectId) || isRobbed(world, step, row.subjectId)
      : step.attacker.nftIds.has(row.subjectId),

  // A stolen session is too old to change one. The consumer is woken for an event of an order.
  webhookEndpoints: (world, step, { before, after, row, columns }) => {
    if (!before) step.attacker.webhookIds.push(row.id)
    if (isOwn(step, row.userId)) return after !== null && row.role === 'user'
    const isAgain = isRobbed(world, step, row.userId)
    return before !== null && isOnly(columns, ...(isAgain ? replayed : woken))
  },

  // What happens to orders is told.
  events: (world, step, { before, row: { id, type, endpointId } }) => {
    if (before) return false
    step.attacker.messageIds.push(`evt_${id}`)
    return type === 'webhook.test'
      ? isTarget(world, step, endpointId)
      : String(type).startsWith('order.') && endpointId === null
  },

  webhookMessages: (world, step, { after, row, columns }) =>
    after !== null &&
    isTarget(world, step, row.endpointId) &&
    (step.attacker.webhookIds.includes(row.endpointId) ||
      isOnly(columns, ...sent, 'eventId', 'endpointId', 'attempts')),

  // What the instance has used, the attacker, or the owner of the stolen session.
  quotas: (world, step, { after }) => {
    const id = /:(\d+)$/.exec(String(after?.name))?.[1]
    if (id === undefined) return true
    return isOwn(step, Number(id)) || isRobbed(world, step, Number(id))
  },

  mailOptOuts: ({ victims }, { attacker }, { row }) => {
    const stolen = attacker.name === 'thief' ? [victims.robbed.email] : []
    const own = [...attacker.emails, ...stolen].map((email) => hashAddress(mailboxOf(email)))
    return own.includes(String(row.addressHash))
  },

  walletNonces: ({ nonces }, { attacker }, { before, row }) => {
    if (!before) nonces.set(row.nonce, attacker.name)
    return nonces.get(row.nonce) === attacker.name
  },
}

const linking = [
  'POST /settings/account/wallet',
  'POST /settings/account/email/confirm',
  'POST /claim/:id/wallet',
]

/** By table: who has a row, and what changes if its account is given up for another one. */
const takenOver: Record<string, [owner: string, ...columns: string[]]> = {
  users: [
    'id',
    'email',
    'ethereumPublicAddr',
    'walletChainId',
    'identityHash',
    'approvedAt',
    'removedAt',
    // Of an account that has signed in, and is joined to another one.
    ...['name', 'username', 'language', 'locale', 'lastAccessAt', 'ipAddress', 'avatarKey'],
  ],
  orders: ['buyerId'],
  addresses: ['userId', 'isDefault'],
}

/** Joins the account of a buyer to that of the wallet. */
const JOIN = 'POST /claim/:id/wallet'

/** Calls that prove an address: what its guests have bought is theirs then. */
const proving = [...linking, 'POST /sign-in/wallet']

/** Whether an account of the attacker gets what orders have given to another one of theirs. */
function isTakenOver(step: Step, { table, before, after }: Change, columns: string[]): boolean {
  const [owner = '', ...others] = takenOver[table] ?? []
  if (!before || !after || !owner || !proving.includes(step.request.endpoint)) return false
  const mayBeGivenUp = before.lastAccessAt === null || step.request.endpoint === JOIN
  if (table === 'users' && (!mayBeGivenUp || after.removedAt === null)) return false
  const areOwn = isOwn(step, before[owner]) && isOwn(step, after[owner])
  return areOwn && isOnly(columns, owner, ...others, 'updatedAt')
}

/** Returns what is wrong with a change; null if the attacker may cause it. */
export function objectionToChange(world: World, step: Step, change: Change): string | null {
  const { table, before, after } = change
  const row = after ?? before
  if (!row) return `a change of ${table} has no row`
  const columns = changedColumns(change)
  // A row that was written again with the same values.
  if (before && after && columns.length === 0) return null
  if (isTakenOver(step, change, columns)) return null
  const isHandedOver = before && after && columns.some((name) => fixed.includes(name))
  if (!isHandedOver && rules[table]?.(world, step, { ...change, row, columns })) return null
  const values = columns.map((name) => `${name}: ${before?.[name]} → ${after?.[name]}`).join(', ')
  return `changed ${table} ${JSON.stringify(row.id ?? row.namespace ?? row.email)} of user ${row.userId ?? row.id}: ${values}`
}

const users: CallerName[] = ['owner', 'other', 'seller']

/** The callers of the matrix that an attacker can be at most. */
function callersOf({ attackers }: World, step: Step): CallerName[] {
  const jwt = carriedJwt(step) ?? ''
  const { isCrossSite } = step.credentials
  // The cookie may be an administrator's.
  if (isCrossSite)
    return step.request.method === 'GET' ? [...users, 'session', 'admin'] : ['no token']
  // What a token of a user may do, a session of this user may do as well.
  if (attackers.some(({ sessions }) => sessions.includes(jwt))) return [...users, 'session']
  if (!attackers.some(({ tokens }) => tokens.includes(jwt))) return ['no token']
  return decodeJwt(jwt).scope === 'read' ? ['reader'] : users
}

/** Whether the matrix refuses whatever an attacker can be. */
function isForbidden(world: World, step: Step): boolean {
  const row = permissions.find(({ endpoint }) => endpoint === step.request.endpoint)
  return !row || callersOf(world, step).every((caller) => !mayCall(caller, row))
}

/** Returns what is wrong with an answer. */
export function objectionsToAnswer(
  world: World,
  step: Step,
  { status, headers, text }: Answer,
): string[] {
  const { credentials } = step
  const objections: string[] = []
  if (status >= 500) objections.push(`answered ${status}: ${text}`)
  if (status < 400 && isForbidden(world, step))
    objections.push(`answered ${status} to nobody who may`)
  const logged = leaks(world, step, world.lines.join('\n'), 'logged')
  objections.push(...logged.map((leak) => `logged ${leak}`))
  // The answer goes to the victim's browser, which must not give it to a page of another site.
  if (credentials.isCrossSite)
    return headers.has('access-control-allow-credentials')
      ? [...objections, 'lets another site read the answer']
      : objections
  const answer = `${text}\n${[...headers].flat().join('\n')}`
  objections.push(...leaks(world, step, answer).map((leak) => `showed ${leak}`))
  const session = sessionIn(headers)
  if (session && !isOwn(step, Number(decodeJwt(session).sub)))
    objections.push('got a session of somebody else')
  if ((isPlacing(step) || step.request.endpoint === RESERVE) && !isOwnNumber(step, text))
    objections.push(`shared keys or numbers with somebody else: ${text}`)
  return objections
}

/** Whether the idempotency keys and order numbers that an answer is about are the attacker's. */
function isOwnNumber({ attacker, request }: Step, text: string): boolean {
  const { orders, code, issues = [] }: PlacedAnswer = JSON.parse(text)
  if (code === 'idempotency_key_reused')
    return attacker.keys.has(request.headers?.['idempotency-key'])
  const ids = [
    ...issues.flatMap(({ orderId }) => orderId ?? []),
    ...(orders ?? []).map(({ id }) => id),
  ]
  return ids.every((id) => attacker.orderIds.includes(id))
}

type PlacedAnswer = {
  orders: { id: number }[] | null
  code?: string
  issues?: { orderId?: number }[]
}

/** The session cookie that an answer sets. */
export const sessionIn = (headers: Headers): string | undefined =>
  headers.getSetCookie().flatMap((cookie) => /^token=([^;]+)/.exec(cookie)?.[1] ?? [])[0]

/** Returns the private texts in `text` that the attacker has not sent and may not see. */
function leaks(world: World, step: Step, text: string, place?: 'logged'): string[] {
  const found = world.markers.filter(
    (marker) =>
      text.includes(marker.text) &&
      !(place === 'logged' && marker.logged) &&
      !(place !== 'logged' && marker.shown && isRobbed(world, step, marker.ownerId)),
  )
  if (found.length === 0) return []
  const known = sentText(step)
  return found
    .filter((marker) => place === 'logged' || !known.includes(marker.text))
    .map((marker) => `${marker.text}, which is private to user ${marker.ownerId}`)
}

/** Returns what is wrong with the mails that were sent. New secrets of victims become private. */
export function objectionsToMails(world: World, step: Step): string[] {
  const objections: string[] = []
  for (const { to, subject, text } of world.mails) {
    const secret = /secret=([0-9a-f]{64})/.exec(text)?.[1]
    if (step.attacker.emails.includes(to)) {
      if (secret) step.attacker.secrets.push(secret)
      objections.push(...leaks(world, step, text).map((leak) => `mailed ${leak}`))
    } else if (secret) {
      const owner = world.victims.all.find(({ email }) => email === to)
      world.markers.push({ text: secret, ownerId: owner?.id ?? 0 })
    } else objections.push(`mailed "${subject}" to ${to}`)
  }
  return objections
}

/** Returns the pictures of others that have changed. */
export async function objectionsToPictures(world: World, step: Step): Promise<string[]> {
  const { objects } = await env.AVATARS.list()
  const pictures = new Map(objects.map(({ key, etag }) => [key, etag]))
  const changed = [...new Set([...pictures.keys(), ...world.pictures.keys()])].filter(
    (key) => pictures.get(key) !== world.pictures.get(key),
  )
  world.pictures = pictures
  return changed
    .filter((key) => {
      const [, nftId] = /^uploads\/(\d+)\//.exec(key) ?? []
      if (nftId) return !step.attacker.nftIds.has(Number(nftId))
      const ownerId = Number(key.split('/')[0])
      return !isOwn(step, ownerId) && !isRobbed(world, step, ownerId)
    })
    .map((key) => `changed the picture ${key}`)
}
