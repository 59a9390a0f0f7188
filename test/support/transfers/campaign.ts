/**
 * Hundreds of paid items, and everything that can go wrong, drawn from a seed: messages that come
 * twice, late, in any order or never; runs that fail, are killed or stand still at any step; a
 * node that lies, lags and breaks off; blocks that are taken back, transactions that are forgotten,
 * fees that soar, funds that run out, somebody else with the signer's key. Then the faults end,
 * the operator does what the reasons ask for, and the oracle judges.
 */
import { aChain, type Chain } from '../chain/chain.ts'
import { randomFrom } from '../chain/faults.ts'
import { aMasterToken } from '../makers.ts'
import { type PaidItem, paidItems, type Sale } from './items.ts'
import { type Mishap, Stall } from './life.ts'
import { aMarketplace, type Marketplace, pass, type Run } from './marketplace.ts'
import { expectExactlyOnce, rowsOf } from './oracle.ts'
import type { Pending } from './queue.ts'
import { drawnTurns } from './turns.ts'

/** Rounds in which faults come; in each, time passes and everything may happen. */
const ROUNDS = 60
/** Items are sold in so many waves. */
const WAVES = 20
/** The most steps of a run that a mishap may come at. */
const STEPS = 10
const ETHER = 10n ** 18n

export type Report = {
  seed: number
  items: number
  /** Transfers by status, when all is over. */
  ended: Record<string, number>
  /** How often each fault came. */
  faults: Record<string, number>
}

export async function campaign(seed: number, size: number): Promise<Report> {
  const dice = aDice(seed)
  const sales = Array.from({ length: size }, () => aSale(dice))
  const tokens = sales.filter(({ standard }) => standard === 'erc721').length
  const chain = await aChain({ erc721: tokens, erc1155: size * 10 })
  const confirmations = 1 + dice.upTo(4)
  const network = { confirmations, maxInFlight: 20 + dice.upTo(80), maxFeePerGasGwei: 100 }
  const market = aMarketplace(chain, { network, turns: drawnTurns(dice.random) })
  const world: World = { dice, chain, market, confirmations, stalls: [], foreign: [], faults: {} }
  await chain.setAutomine(false)
  // So that no reorganisation takes back the contracts.
  await chain.mine(confirmations)

  const items: PaidItem[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const wave = sales.splice(0, Math.ceil(size / WAVES))
    if (wave.length > 0) items.push(...(await sell(world, wave)))
    await happen(world)
    await deliverAll(world)
    pass(1 + dice.upTo(dice.chance(0.1) ? 300 : 30))
  }
  await heal(world)
  await tidyUp(world, items)
  await expectExactlyOnce(chain, items, world.foreign)
  return { seed, items: size, ended: await endings(items), faults: world.faults }
}

type Dice = ReturnType<typeof aDice>

function aDice(seed: number) {
  const random = randomFrom(seed)
  const upTo = (limit: number) => Math.floor(random() * limit)
  return {
    random,
    chance: (share: number) => random() < share,
    /** 0 to one less than the limit. */
    upTo,
    pick: <T>(first: T, ...others: T[]): T => [first, ...others][upTo(others.length + 1)] ?? first,
    shuffled: <T>(list: readonly T[]): T[] => {
      const drawn = list.map((value) => ({ value, at: random() }))
      return drawn.sort((a, b) => a.at - b.at).map(({ value }) => value)
    },
  }
}

type World = {
  dice: Dice
  chain: Chain
  market: Marketplace
  confirmations: number
  /** Runs that stand still, to be woken later. */
  stalls: { stall: Stall; run: Promise<unknown> }[]
  foreign: number[]
  faults: Record<string, number>
}

const tell = ({ faults }: World, fault: string) => {
  faults[fault] = (faults[fault] ?? 0) + 1
}

/** Mostly good ones of both standards; some can never be transferred. */
function aSale(dice: Dice): Sale {
  if (dice.chance(0.02)) return { standard: 'erc721', tokenId: '99999999' }
  if (dice.chance(0.02)) return { standard: 'erc1155', network: 'nowhere' }
  if (dice.chance(0.02)) return { standard: 'erc1155', recipient: null }
  if (dice.chance(0.5)) return { standard: 'erc721' }
  return { standard: 'erc1155', quantity: 1 + dice.upTo(9) }
}

async function sell({ dice, chain, market }: World, wave: readonly Sale[]): Promise<PaidItem[]> {
  const items = await paidItems(chain, wave)
  for (const { id, recipient } of items) {
    if (recipient && !dice.chance(0.1)) market.queue.put(id, dice.pick(0, 0, 0, 60))
  }
  return items
}

type Happening = (world: World) => Promise<unknown>

/** What may happen in a round, and how likely it is. */
const happenings: Record<string, [chance: number, Happening]> = {
  blocks: [0.7, ({ chain, dice }) => chain.mine(1 + dice.upTo(3))],
  storm: [
    0.3,
    ({ chain, dice }) =>
      chain.storm({ seed: dice.upTo(2 ** 31), rate: dice.pick(0, 0.05, 0.2, 0.5) }),
  ],
  reorganisation: [0.15, reorganise],
  'transactions forgotten': [0.1, ({ chain }) => chain.rpc('anvil_dropAllTransactions')],
  'fee spike': [
    0.1,
    ({ chain, dice }) => setBaseFee(chain, dice.pick(2n, 20n, 60n, 150n) * 10n ** 9n),
  ],
  'funds gone': [0.05, ({ chain }) => setBalance(chain, 0n)],
  'funds back': [0.3, ({ chain }) => setBalance(chain, 1000n * ETHER)],
  'nonce used from outside': [0.02, useNonce],
  'a run goes on': [0.3, wakeOne],
  sweep: [0.3, (world) => finished(world, (mishap) => world.market.sweep(mishap))],
}

async function happen(world: World): Promise<void> {
  for (const [name, [chance, act]] of Object.entries(happenings)) {
    if (!world.dice.chance(chance)) continue
    tell(world, name)
    await act(world)
  }
}

/** Takes back blocks that no transfer may be judged by yet; what was in them is forgotten. */
async function reorganise({ chain, dice, confirmations }: World): Promise<void> {
  const depth = dice.upTo(confirmations)
  if (depth > 0) await chain.rpc('anvil_reorg', depth, [])
}

const hex = (value: bigint) => `0x${value.toString(16)}`

const setBaseFee = (chain: Chain, wei: bigint) =>
  chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(wei))

const setBalance = (chain: Chain, wei: bigint) =>
  chain.rpc('anvil_setBalance', chain.signer, hex(wei))

/** The node holds the signer's key as well. */
async function useNonce({ chain, foreign }: World): Promise<void> {
  const gift = { from: chain.signer, to: chain.seller, value: '0x0', gas: '0x5208' }
  const fees = { maxFeePerGas: hex(500n * 10n ** 9n), maxPriorityFeePerGas: hex(10n ** 9n) }
  await setBalance(chain, 1000n * ETHER)
  const nonce = Number(await chain.rpc('eth_getTransactionCount', chain.signer, 'latest'))
  const hash = await chain.rpc('eth_sendTransaction', {
    ...gift,
    ...fees,
    nonce: hex(BigInt(nonce)),
  })
  if (typeof hash === 'string') foreign.push(nonce)
}

async function wakeOne({ stalls }: World): Promise<void> {
  const [woken] = stalls.splice(0, 1)
  woken?.stall.wake()
  await woken?.run
}

function aMishap(dice: Dice): Mishap | undefined {
  if (!dice.chance(0.4)) return undefined
  const step = dice.upTo(STEPS)
  const when = dice.pick('before', 'after')
  return { step, when, does: dice.pick<Mishap['does']>('fail', 'die', 'die', new Stall()) }
}

/** Hands out what is due in batches of any size and order, some twice, some never. */
async function deliverAll(world: World): Promise<void> {
  const { dice, market } = world
  await finished(world, (mishap) => market.consumeDeadLetters(mishap))
  const due = dice.shuffled(market.queue.take(1000)).flatMap((message) => {
    if (dice.chance(0.05)) return []
    return dice.chance(0.1) ? [message, { ...message }] : [message]
  })
  const batches: Pending[][] = []
  while (due.length > 0) batches.push(due.splice(0, 1 + dice.upTo(100)))
  // Up to three consumers beside each other, sometimes with the sweep.
  while (batches.length > 0) {
    const together = batches.splice(0, 1 + dice.upTo(3)).map((batch) => consume(world, batch))
    if (dice.chance(0.2)) together.push(finished(world, (mishap) => market.sweep(mishap)))
    await Promise.all(together)
  }
}

const consume = (world: World, batch: readonly Pending[]) =>
  finished(world, (mishap) => world.market.consume(batch, mishap))

/** Until the run has ended, or stands still. */
async function finished(world: World, start: (mishap?: Mishap) => Promise<Run | undefined>) {
  const mishap = aMishap(world.dice)
  const run = start(mishap).then((ended) => {
    if (ended?.isHit && mishap) tell(world, nameOf(mishap))
  })
  if (!(mishap?.does instanceof Stall)) return run
  const stall = mishap.does
  const hasStalled = await Promise.race([run.then(() => false), stall.reached.then(() => true)])
  if (hasStalled) world.stalls.push({ stall, run })
}

const nameOf = ({ does, when }: Mishap) =>
  `run ${does instanceof Stall ? 'stood still' : does === 'die' ? 'killed' : 'failed'} ${when} a step`

/** Ends every fault. */
async function heal(world: World): Promise<void> {
  const { chain, stalls } = world
  await chain.misbehave()
  await setBalance(chain, 1000n * ETHER)
  while (stalls.length > 0) await wakeOne(world)
  await setBaseFee(chain, 10n ** 9n)
  await chain.mine()
}

/**
 * What an operator does until only what can never be transferred is left: replays the dead
 * letters, and tries again what failed or is in review.
 */
async function tidyUp(world: World, items: readonly PaidItem[]): Promise<void> {
  const { market } = world
  const token = await aMasterToken()
  for (let attempt = 0; attempt < 6; attempt++) {
    await market.settle()
    const open = await openOf(items)
    if (open.length === 0) return
    for (const { id, status } of open) {
      tell(world, `operator: ${status}`)
      await market.request('POST', `/api/admin/transfers/${id}/retry`, token, null)
    }
  }
  const open = await openOf(items)
  if (open.length > 0)
    throw new Error(`${open.length} are left over: ${JSON.stringify(open.slice(0, 3))}`)
}

/** The good items that are not transferred. */
async function openOf(items: readonly PaidItem[]) {
  const rows = await rowsOf(items)
  return items.filter(isGood).flatMap(({ id }) => {
    const row = rows.get(id)
    return row && row.status !== 'transferred' ? [row] : []
  })
}

const isGood = ({ tokenId, network, recipient }: PaidItem) =>
  tokenId !== '99999999' && network !== 'nowhere' && recipient !== null

async function endings(items: readonly PaidItem[]): Promise<Record<string, number>> {
  const ended: Record<string, number> = {}
  for (const { status } of (await rowsOf(items)).values()) ended[status] = (ended[status] ?? 0) + 1
  return ended
}
