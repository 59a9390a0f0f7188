/**
 * Two sellers, a thief with a session and a stranger send what they can think of to every endpoint.
 * After each request, every row that has changed must be one that the attacker may change, and
 * nothing that the attacker got, and no line of the log, may hold what is private. Now and then the
 * victims ask again for what is theirs, and must get the same bytes.
 */
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { listEndpoints } from '../../../scripts/build/openapi/list.ts'
import app from '../../../src/app.ts'
import { callWith } from '../../support/api.ts'
import { aChain } from '../../support/chain/chain.ts'
import { aDice } from '../../support/delivery/campaign/dice.ts'
import { aToken } from '../../support/makers.ts'
import { CHAIN_ID } from '../../support/visitor.ts'
import {
  type Attacker,
  type Credentials,
  createForger,
  createOthers,
  createSellers,
  drawCredentials,
  pickFrom,
} from './attackers.ts'
import { playCombination } from './combinations.ts'
import { startJournal, takeChanges } from './journal.ts'
import {
  type Answer,
  objectionsToAnswer,
  objectionsToMails,
  objectionsToPictures,
  objectionToChange,
  type Step,
  sessionIn,
} from './judge.ts'
import { type HostileRequest, requestTo } from './requests.ts'
import { answersOf, bindings, createVictims, expectSignInByMail } from './victims.ts'
import type { World } from './world.ts'

const endpoints = listEndpoints(app)

const Mail = z.object({ to: z.string(), subject: z.string(), text: z.string() })

/** Requests between two checks of what the victims get. */
const CHECK_INTERVAL = 500

/** `forced` are the orders that sellers placed for victims. */
export type Report = { requests: number; accepted: number; forced: number }

/** `lines` is the log, which is emptied after each request. */
export async function campaign(seed: number, steps: number, lines: string[]): Promise<Report> {
  // Signatures that are not those of a key are checked on the chain.
  const { rpcUrl, delivery } = await aChain()
  // Sessions stay as fresh, or as old, as they are.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const world = await createWorld(seed, lines, { rpcUrl, delivery })
  expectRequestsTo(world)
  // The first answers store when the tokens were last used.
  await answersOf(world.victims)
  const expected = await answersOf(world.victims)
  await startJournal()
  let nextCheck = CHECK_INTERVAL
  while (world.steps < steps) {
    await attack(world, send)
    if (world.steps < nextCheck) continue
    nextCheck += CHECK_INTERVAL
    await expectUnharmed(world, expected)
    await renewTokens(world)
  }
  await expectUnharmed(world, expected)
  return {
    requests: world.steps,
    accepted: world.accepted,
    forced: [...world.buyerOf.values()].filter((id) => world.victims.ids.includes(id)).length,
  }
}

async function createWorld(seed: number, lines: string[], chain: World['chain']): Promise<World> {
  const sellers = await createSellers()
  const victims = await createVictims(sellers.map(({ sale }) => sale))
  const attackers = [...sellers, ...createOthers(victims)]
  const { objects } = await env.AVATARS.list()
  return {
    dice: aDice(seed),
    chain,
    victims,
    attackers,
    forge: await createForger(victims),
    sales: [...sellers.map(({ sale }) => sale), victims.sale],
    markers: victims.markers,
    lines,
    mails: [],
    pictures: new Map(objects.map(({ key, etag }) => [key, etag])),
    buyerOf: new Map(),
    nonces: new Map(),
    next: [],
    accepted: 0,
    ended: [],
    steps: 0,
  }
}

/** Fails for an endpoint that the campaign cannot attack. */
function expectRequestsTo(world: World): void {
  const dice = aDice(1)
  for (const endpoint of endpoints)
    for (const attacker of world.attackers)
      for (let i = 0; i < 5; i++) requestTo(endpoint, { world, dice, attacker })
}

/** One request, or a combination of some. */
async function attack(
  world: World,
  send: (world: World, step: Step) => Promise<Answer>,
): Promise<void> {
  const { dice, attackers } = world
  const isSeller = dice.chance(0.6)
  const candidates = attackers.filter(({ sale }) => (sale !== null) === isSeller)
  const attacker = pickFrom(dice, candidates)
  const sendAs = (request: HostileRequest, credentials: Credentials) =>
    send(world, { attacker, request, credentials })
  if (dice.chance(attacker.name === 'thief' ? 0.4 : 0.2))
    return playCombination({ world, dice, attacker, send: sendAs })
  if (world.next.length === 0) world.next = dice.shuffled(endpoints)
  const endpoint = world.next.pop()
  if (!endpoint) throw new Error('the app has no endpoints')
  const request = requestTo(endpoint, { world, dice, attacker })
  await sendAs(request, await drawCredentials(dice, attacker, world))
}

/** Sends a request and judges what it has done. Throws if that is not allowed. */
async function send(world: World, step: Step): Promise<Answer> {
  const { attacker, request, credentials } = step
  const { endpoint: _, method, path, headers, ...content } = request
  world.lines.length = 0
  world.mails.length = 0
  world.steps++
  const EMAIL = {
    send: async (mail: EmailMessage | EmailMessageBuilder) => {
      world.mails.push(Mail.parse(mail))
      return { messageId: 'test' }
    },
  }
  const all = { 'cf-connecting-ip': attacker.ip, ...headers, ...credentials.headers }
  const { rpcUrl, delivery } = world.chain
  const NETWORKS = {
    localhost: {
      ...{ chainId: CHAIN_ID, rpcUrls: [rpcUrl], delivery, finality: 1 },
      ...{ maxFeePerGasGwei: 500, maxPriorityFeePerGasGwei: 50 },
    },
  }
  const response = await callWith({ ...bindings, NETWORKS, EMAIL }, method, path, {
    ...content,
    headers: all,
  })
  const text = new TextDecoder().decode(await response.arrayBuffer())
  const answer = { status: response.status, headers: response.headers, text }
  const changes = await takeChanges()
  const objections = [
    ...changes.flatMap((change) => objectionToChange(world, step, change) ?? []),
    // Before the answer, which must not hold the secret of a mailed link.
    ...objectionsToMails(world, step),
    ...objectionsToAnswer(world, step, answer),
    ...(path.includes('/profile/') ? await objectionsToPictures(world, step) : []),
  ]
  if (objections.length > 0)
    throw new Error(
      `request ${world.steps}: ${attacker.name}, ${method} ${path} ${JSON.stringify(content.json ?? {})}: ` +
        `${objections.join('; ')} (headers ${JSON.stringify(all)})`,
    )
  if (answer.status < 400) world.accepted++
  if (!credentials.isCrossSite) collect(attacker, answer)
  await undo(world)
  return answer
}

/** Keeps what an attacker can use later. */
function collect(attacker: Attacker, { headers, text }: Answer): void {
  const session = sessionIn(headers)
  if (session) attacker.sessions.push(session)
  for (const cookie of headers.getSetCookie()) {
    const secret = /^wallet=([^;]*)/.exec(cookie)?.[1]
    if (secret !== undefined) attacker.walletSecret = secret
  }
  const token = /<textarea[^>]*>\s*([\w-]+\.[\w-]+\.[\w-]+)\s*<\/textarea>/.exec(text)?.[1]
  if (token) attacker.tokens.push(token)
}

/** Makes the tokens work again that the thief has ended, so that there is something to steal. */
async function undo({ ended }: World): Promise<void> {
  for (const id of ended.splice(0)) {
    await env.DB.prepare('UPDATE tokens SET revokedAt = NULL WHERE id = ?').bind(id).run()
    await takeChanges()
  }
}

/** Sellers revoke their own tokens and unlink their wallets as well. */
async function renewTokens({ attackers }: World): Promise<void> {
  for (const { sale, tokens } of attackers)
    if (sale) tokens.push(await aToken({ id: sale.sellerId }))
  await takeChanges()
}

async function expectUnharmed({ victims, lines }: World, expected: Record<string, string>) {
  lines.length = 0
  expect(await answersOf(victims)).toEqual(expected)
  await expectSignInByMail(victims)
  const wrong = await env.DB.prepare(
    `SELECT orders.id FROM orders JOIN addresses ON addresses.id = orders.billingAddressId
     WHERE addresses.userId <> orders.buyerId`,
  ).all()
  expect(wrong.results).toEqual([])
  await takeChanges()
}
