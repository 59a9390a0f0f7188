/** Who attacks, what they own, and what they send as credentials. */
import { decodeJwt } from 'jose'
import { newToken, signToken } from '../../../src/auth/tokens.ts'
import { peopleLimits } from '../../../src/limits.ts'
import { BASE_URL } from '../../support/api.ts'
import type { Dice } from '../../support/delivery/campaign/dice.ts'
import { forged } from '../../support/forged.ts'
import {
  aReadOnlyToken,
  aSession,
  aToken,
  aUser,
  aWebhook,
  aWebhookMessage,
  issuer,
} from '../../support/makers.ts'
import { aWallet } from '../../support/visitor.ts'
import { aSale, type Sale, type Victim, type Victims } from './victims.ts'

export type Attacker = {
  name: 'seller 1' | 'seller 2' | 'thief' | 'stranger'
  /** Differs from the victims' client, as limits by client count it. */
  ip: string
  /** Accounts of the attacker; sign-ups add to them. */
  userIds: Set<number>
  /** `users.identityHash` of these accounts. */
  identities: Set<unknown>
  wallets: ReturnType<typeof aWallet>[]
  emails: string[]
  /** API tokens, the newest last. Some are revoked or read-only. */
  tokens: string[]
  /** Session cookies, the newest last. */
  sessions: string[]
  /** Secrets of links that arrived in the attacker's own mailboxes. */
  secrets: string[]
  /** Signed messages, own and stolen. */
  signed: { message: string; signature: string }[]
  /** The cookie of the newest message. */
  walletSecret: string
  /** Orders that the attacker has placed. */
  orderIds: number[]
  /** Reservations that the attacker has made. */
  reservationIds: unknown[]
  /** Idempotency keys that the attacker has used. */
  keys: Set<unknown>
  /** Ids of the attacker's own webhooks and of their messages. */
  webhookIds: unknown[]
  /** Ids of NFTs that the attacker lists. */
  nftIds: Set<unknown>
  messageIds: unknown[]
  /** What a seller sells. */
  sale: Sale | null
}

export async function createSellers() {
  const sellers: (Attacker & { sale: Sale })[] = []
  for (const name of ['seller 1', 'seller 2'] as const) {
    const attacker = anAttacker(name, sellers.length + 1)
    const [wallet] = attacker.wallets
    const user = await aUser(wallet && { ethereumPublicAddr: wallet.address })
    attacker.userIds.add(user.id)
    attacker.identities.add(user.identityHash)
    attacker.tokens.push(await aReadOnlyToken(user), await aToken(user, 'user', 'api', 'shop'))
    attacker.sessions.push(await aSession(user))
    const webhook = await aWebhook(user)
    attacker.webhookIds.push(webhook.id)
    attacker.messageIds.push((await aWebhookMessage(webhook)).id)
    sellers.push({ ...attacker, sale: await aSale(user) })
  }
  return sellers
}

export function createOthers({ stolenSession, buyers }: Victims): Attacker[] {
  const thief = anAttacker('thief', 3)
  thief.sessions.push(stolenSession)
  const stranger = anAttacker('stranger', 4)
  // A phishing site can get a victim to sign a message of this site.
  stranger.signed.push(...buyers.map(({ signed }) => signed))
  thief.signed.push(...buyers.map(({ signed }) => signed))
  return [thief, stranger]
}

const anAttacker = (name: Attacker['name'], n: number): Attacker => ({
  name,
  ip: `198.51.100.${n}`,
  userIds: new Set(),
  identities: new Set(),
  wallets: [aWallet(), aWallet()],
  emails: [`attacker-${n}@evil.test`, `attacker-${n}+2@evil.test`],
  tokens: [],
  sessions: [],
  secrets: [],
  signed: [],
  walletSecret: '',
  orderIds: [],
  reservationIds: [],
  keys: new Set(),
  webhookIds: [],
  nftIds: new Set(),
  messageIds: [],
  sale: null,
})

/** Headers of a caller. */
export type Credentials = {
  headers: Record<string, string>
  /** A page of another site makes the browser of a victim send the request with the cookie. */
  isCrossSite: boolean
}

export const pickFrom = <T>(dice: Dice, list: readonly T[]): T => {
  const [first, ...others] = list
  if (first === undefined) throw new Error('there is nothing to choose from')
  return dice.pick(first, ...others)
}

/**
 * Draws the id of a token or session of anybody. Ids are no secrets; a thief sees those of the robbed
 * account.
 */
export function drawTokenId(dice: Dice, { name, tokens, sessions }: Attacker, victims: Victims) {
  const jwtsOf = ({ token, reader, session }: Victim) => [token, reader, session]
  const jwts = dice.chance(0.3)
    ? [...tokens, ...sessions]
    : name === 'thief' && dice.chance(0.5)
      ? jwtsOf(victims.robbed)
      : [...victims.all.flatMap(jwtsOf), victims.master, victims.shop, victims.stolenSession]
  return jwts.length > 0 ? (decodeJwt(pickFrom(dice, jwts)).jti ?? '') : crypto.randomUUID()
}

export type Forger = Awaited<ReturnType<typeof createForger>>

/** Returns a function that draws a token that must be rejected everywhere. */
export async function createForger(victims: Victims) {
  const made: string[] = []
  for (const forge of Object.values(forged)) made.push(await forge())
  const times = newToken(issuer, { role: 'user' }, peopleLimits.session.max, new Date())

  /** Signs with the stolen signing key: claims of a victim, and the id of the attacker's token. */
  return async function forge(dice: Dice, { tokens, sessions }: Attacker): Promise<string> {
    const own = [...tokens, ...sessions]
    if (own.length === 0 || dice.chance(0.4)) return pickFrom(dice, made)
    const { jti, sub } = decodeJwt(pickFrom(dice, own))
    const id = dice.chance(0.8) ? (jti ?? '') : crypto.randomUUID()
    const userId = dice.chance(0.7) ? pickFrom(dice, victims.ids) : Number(sub)
    // With the own id and the own claims it would be the attacker's token.
    const role = userId === Number(sub) && id === jti ? 'master' : dice.pick('user', 'master')
    return signToken(issuer, {
      ...times,
      id,
      userId,
      role,
      scope: dice.pick('write', 'write', 'read'),
    })
  }
}

const ownSite = { origin: BASE_URL, 'sec-fetch-site': 'same-origin' }
const otherSites = [
  { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.marketplace.test', 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.test' },
  { origin: 'null' },
]

/** Draws credentials of the attacker, or what the attacker has got of others. */
export async function drawCredentials(
  dice: Dice,
  attacker: Attacker,
  { victims, forge }: { victims: Victims; forge: Forger },
): Promise<Credentials> {
  if (attacker.name === 'stranger' && dice.chance(0.25)) {
    const { session } = pickFrom(dice, victims.all)
    const headers = { cookie: `token=${session}`, ...pickFrom(dice, otherSites) }
    return { headers, isCrossSite: true }
  }
  const { tokens, sessions } = attacker
  const isForged = dice.chance(0.15)
  const own = dice.chance(0.6) ? tokens.slice(-6) : sessions.slice(-3)
  const candidates = own.length > 0 ? own : sessions
  if (isForged) return carry(dice, attacker, await forge(dice, attacker))
  if (candidates.length === 0 || dice.chance(0.05)) return carry(dice, attacker, '')
  if (attacker.name === 'thief' && dice.chance(0.8))
    return carry(dice, attacker, victims.stolenSession)
  return carry(dice, attacker, pickFrom(dice, candidates))
}

/** Sends a token in one of the ways in which it is accepted. */
function carry(dice: Dice, attacker: Attacker, jwt: string): Credentials {
  if (!jwt) return { headers: asBrowser(attacker), isCrossSite: false }
  const headers = dice.chance(0.4)
    ? { ...ownSite, authorization: dice.chance(0.8) ? `Bearer ${jwt}` : jwt }
    : asBrowser(attacker, jwt)
  return { headers, isCrossSite: false }
}

/** The headers of a browser of the attacker, with the cookies that it has. */
export const asBrowser = ({ walletSecret }: Attacker, jwt = ''): Record<string, string> => {
  const cookies = [jwt && `token=${jwt}`, walletSecret && `wallet=${walletSecret}`].filter(Boolean)
  return { ...ownSite, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) }
}
