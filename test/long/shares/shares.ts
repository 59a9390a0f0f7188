/**
 * The attackers of the hostile campaign, and what they need to take the most they can. Every few
 * hundred requests a victim lists, orders, and waits for the event and the delivery: each may take
 * ten times as long as before the attack. The database grows by what `docs/limits.md` allows.
 *
 * Attackers send five requests a second by the clock of the test, and the rate limits of wrangler.toml
 * count them. The relayers have no limit: `test/delivery/fairness.test.ts` shares one.
 */

import { inArray } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { getAddress } from 'viem'
import { nfts } from '../../../src/db/schema/catalogue.ts'
import { webhookEndpoints } from '../../../src/db/schema/webhooks.ts'
import { randomHex } from '../../../src/events/secret.ts'
import type { Attacker } from '../../fuzz/hostile/attackers.ts'
import { attack, collect, createWorld } from '../../fuzz/hostile/campaign.ts'
import type { Attack } from '../../fuzz/hostile/combinations.ts'
import { type Answer, type Step, sessionIn } from '../../fuzz/hostile/judge.ts'
import { aSale, type Sale } from '../../fuzz/hostile/victims.ts'
import type { World } from '../../fuzz/hostile/world.ts'
import { callWith } from '../../support/api.ts'
import { aChain, type Chain } from '../../support/chain/chain.ts'
import { pass } from '../../support/delivery/clock.ts'
import { networksOf } from '../../support/delivery/engine.ts'
import { aMarketplace, type Marketplace } from '../../support/delivery/marketplace.ts'
import { aSession, aToken, aUser, aWebhook, db } from '../../support/makers.ts'
import { aRateLimit } from '../../support/rate-limit.ts'
import { CHAIN_ID } from '../../support/visitor.ts'
import { type Extent, MAX_OPEN, objectionsToGrowth, sizeOf } from './growth.ts'
import { drawHogs, fillQueue, type Goods, type Hog } from './hogs.ts'
import { RECEIVER, type Scene, type Shares, takeShares } from './probe.ts'
import { aReceiver } from './receivers.ts'

/** How many times as long as in quiet times a victim may have to wait. */
const MOST = 10

/** Seconds between two requests of attackers. */
const PACE = 0.2

/** Requests between two looks at a victim, and between two rounds while the victim waits. */
const CHECK_INTERVAL = 500
const ROUND = 5

/** Client addresses of each attacker. */
const CLIENTS = 10

/** Milliseconds between two blocks. */
const BLOCK_TIME = 2000

/** `worst`: how many times as much as before the attack a victim had to wait. */
type Report = { requests: number; accepted: number; worst: Shares }

/** `lines` is the log, which is emptied after each request. */
export async function shareCampaign(seed: number, steps: number, lines: string[]): Promise<Report> {
  const chain = await aChain({ erc1155: 1_000_000 })
  let minedAt = 0
  const market: Marketplace = aMarketplace(chain, {
    network: networkOf(chain),
    onWait: async () => {
      await scene.interrupt()
      if (Date.now() - minedAt < BLOCK_TIME) return
      minedAt = Date.now()
      await market.mine()
    },
  })
  const receivers = aReceiver()
  const world = await createWorld(seed, lines, chain)
  const { victims, dice, attackers } = world
  const goods = await prepare(world, chain)
  await chain.setAutomine(false)
  const settings = settingsOf(chain, market)
  const send = (step: Step) => sendStep(world, settings, step)
  const attackOf = (attacker: Attacker): Attack => ({
    ...{ world, dice, attacker },
    send: (request, credentials) => send({ attacker, request, credentials }),
  })
  /** The first of them is done more than anything else until the next look at the victim. */
  let favourites: Hog[] = []
  const play = async () => {
    if (dice.chance(0.2)) return attack(world, (_, step) => send(step))
    const [favourite] = favourites
    const [other] = drawHogs(dice, goods, attackers)
    const hog = dice.chance(0.7) ? favourite : other
    if (hog) await hog.play(attackOf(hog.attacker))
  }
  const scene: Scene = {
    victims,
    market,
    receivers,
    settings,
    meanwhile: async () => {},
    interrupt: async () => {},
  }
  const playUntil = async (end: number) => {
    while (world.steps < end) await play()
  }

  const quiet = await takeQuietShares(scene)
  scene.meanwhile = () => playUntil(world.steps + ROUND)
  const start = new Date()
  const before = await sizeOf()
  const worst: Shares = {}
  for (let checks = 1; world.steps < steps; checks++) {
    favourites = favourites.length > 1 ? favourites.slice(1) : drawHogs(dice, goods, attackers)
    await playUntil(Math.min(world.steps + CHECK_INTERVAL, steps))
    await renewTokens(world)
    for (const seller of goods.salesOf.keys()) await fillQueue(attackOf(seller), goods)
    const shares = await takeShares(scene)
    const objections = await objectionsToGrowth(before, extentOf(world, goods, start, checks))
    for (const [name, share] of Object.entries(shares)) {
      const usual = Math.max(1, quiet[name] ?? 0)
      worst[name] = Math.max(worst[name] ?? 0, share / usual)
      if (share > MOST * usual) objections.push(`${name}: ${share} instead of ${usual}`)
    }
    if (objections.length > 0) throw new Error(`request ${world.steps}: ${objections.join('; ')}`)
  }
  return { requests: world.steps, accepted: world.accepted, worst }
}

const networkOf = ({ seller }: Chain) => ({ treasury: seller, callsPerSecond: 100 })

/** The bindings of the API. Rate limits are those of wrangler.toml. */
const settingsOf = (chain: Chain, { queue: { queue } }: Marketplace) => ({
  DELIVERIES: queue as never,
  NETWORKS: {
    ...networksOf([chain], networkOf(chain)),
    // For messages of wallets.
    localhost: { ...networksOf([chain])[chain.name], chainId: CHAIN_ID },
  } as never,
  MAX_OPEN_ORDERS: String(MAX_OPEN),
  MAX_MAILS_PER_HOUR: '100',
  MAX_MAILS_PER_DAY: '500',
  RATE_LIMIT: aRateLimit(600),
  USER_RATE_LIMIT: aRateLimit(1800),
  MASTER_RATE_LIMIT: aRateLimit(12_000),
  SIGN_IN_LIMIT: aRateLimit(20),
  AVATAR_LIMIT: aRateLimit(20),
  TOKEN_LIMIT: aRateLimit(10),
})

/** Gives attackers what they can waste, and lets the victims' NFTs be delivered. */
async function prepare({ attackers, victims, sales }: World, chain: Chain): Promise<Goods> {
  const network = { contractNetwork: chain.name, tokenId: '1' }
  const put = (of: readonly Sale[], contract: string) =>
    db
      .update(nfts)
      .set({ ...network, contractAddr: getAddress(contract) })
      .where(
        inArray(
          nfts.id,
          of.map(({ nftId }) => nftId),
        ),
      )
  await put(sales, chain.contracts.erc1155)
  const salesOf: Goods['salesOf'] = new Map()
  for (const attacker of attackers) {
    const { sale } = attacker
    if (!sale) continue
    const [burning, missing] = [
      await aSale({ id: sale.sellerId }),
      await aSale({ id: sale.sellerId }),
    ]
    await put([burning], await chain.aMaliciousToken({ answer: 'burns all gas' }))
    // The treasury has none of these.
    await put([missing], chain.contracts.erc721)
    salesOf.set(attacker, [sale, burning, missing])
  }
  const burners: { id: number }[] = []
  for (const answer of [
    'burns all gas',
    'burns gas unless the gas price is 0',
    'reverts with 100 KB',
    'accepts after 1,500,000 gas',
    'refuses',
  ] as const)
    burners.push(await aUser({ ethereumPublicAddr: await chain.aRecipient(answer) }))
  // Somebody for whom things can wait for a wallet.
  const stranger = attackers.find(({ name }) => name === 'stranger')
  const [wallet] = stranger?.wallets ?? []
  if (!stranger || !wallet) throw new Error('there is no stranger')
  const user = await aUser({ ethereumPublicAddr: wallet.address, email: stranger.emails[0] ?? '' })
  stranger.userIds.add(user.id)
  stranger.sessions.push(await aSession(user))
  // The victims' own webhooks have no receiver.
  await db
    .update(webhookEndpoints)
    .set({ disabledAt: new Date().toISOString(), disabledReason: 'owner' })
    .where(inArray(webhookEndpoints.userId, victims.ids))
  await aWebhook(victims.seller, { url: `${RECEIVER}hook`, secretId: randomHex() })
  return { salesOf, burners, waiter: stranger }
}

/** Places enough for a full page, and returns the most that is needed then. */
async function takeQuietShares(scene: Scene): Promise<Shares> {
  const { settings, victims } = scene
  const { sale, shop, buyers } = victims
  const element = { nftId: sale.nftId, listingId: sale.listingId, quantity: 1 }
  const json = Array.from({ length: 25 }, () => ({ ...element, buyerUserId: buyers[0]?.id }))
  await callWith(settings, 'POST', '/api/externalOrders', { token: shop, json })
  await takeShares(scene)
  const measurements = [await takeShares(scene), await takeShares(scene)]
  return Object.fromEntries(
    Object.keys(measurements[0] ?? {}).map((name) => [
      name,
      Math.max(...measurements.map((shares) => shares[name] ?? 0)),
    ]),
  )
}

/** Sends a request of an attacker from one of its addresses. */
async function sendStep(world: World, settings: Partial<Env>, step: Step): Promise<Answer> {
  const { attacker, request, credentials } = step
  const { endpoint: _, method, path, headers, ...content } = request
  world.lines.length = 0
  world.steps++
  pass(PACE)
  const client = CLIENTS * world.attackers.indexOf(attacker) + world.dice.upTo(CLIENTS)
  const all = { 'cf-connecting-ip': `192.0.2.${client}`, ...headers, ...credentials.headers }
  const response = await callWith({ ...settings, EMAIL: mailboxOf(step) }, method, path, {
    ...content,
    headers: all,
  })
  const text = new TextDecoder().decode(await response.arrayBuffer())
  const { status } = response
  if (status >= 500 && status !== 503)
    throw new Error(`${method} ${path}: ${status} ${text}\n${world.lines.join('\n')}`)
  if (status < 400) world.accepted++
  const answer = { status, headers: response.headers, text }
  if (credentials.isCrossSite) return answer
  collect(attacker, answer)
  const session = sessionIn(response.headers)
  if (session) attacker.userIds.add(Number(decodeJwt(session).sub))
  return answer
}

/** Gives the secrets of links to those whose mailbox it is. */
const mailboxOf = ({ attacker }: Step): SendEmail =>
  ({
    async send({ to, text }: { to: string; text: string }) {
      const secret = /secret=([0-9a-f]{64})/.exec(text)?.[1]
      if (secret && attacker.emails.includes(to)) attacker.secrets.push(secret)
      return { messageId: 'test' }
    },
  }) as never

/** Sellers revoke their own tokens as well. */
async function renewTokens({ attackers }: World): Promise<void> {
  for (const { sale, tokens } of attackers)
    if (sale) tokens.push(await aToken({ id: sale.sellerId }))
}

function extentOf({ attackers }: World, { salesOf }: Goods, start: Date, checks: number): Extent {
  const now = new Date()
  const dayOf = (time: Date) => Math.floor(time.getTime() / (24 * 3600 * 1000))
  return {
    since: start.toISOString(),
    days: 1 + dayOf(now) - dayOf(start),
    minutes: 2 + Math.floor((now.getTime() - start.getTime()) / 60_000),
    clients: CLIENTS * attackers.length,
    sellers: salesOf.size,
    victims: checks,
  }
}
