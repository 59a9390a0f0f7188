/**
 * Hundreds of paid items, and everything that can go wrong, drawn from a seed: messages that come
 * twice, late, in any order or never; runs that fail, are killed or stand still at any step; a
 * node that lies, lags and breaks off; blocks that are taken back, transactions that are forgotten,
 * fees that soar, funds that run out, somebody else with the signer's key. Then the faults end,
 * the operator does what the reasons ask for, and the oracle judges.
 */
import { aChain } from '../../chain/chain.ts'
import { aMasterToken } from '../../makers.ts'
import { type PaidItem, paidItems, type Sale } from '../items.ts'
import { aMarketplace, pass } from '../marketplace.ts'
import { expectExactlyOnce, rowsOf } from '../oracle.ts'
import { drawnTurns } from '../turns.ts'
import { aDice, type Dice } from './dice.ts'
import { fund, happen, setBaseFee } from './happenings.ts'
import { deliverAll, wakeOne } from './runs.ts'
import { tell, type World } from './world.ts'

/** Rounds in which faults come; in each, time passes and everything may happen. */
const ROUNDS = 60
/** Items are sold in so many waves. */
const WAVES = 20

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

/** Ends every fault. */
async function heal(world: World): Promise<void> {
  const { chain, stalls } = world
  await chain.setFaults()
  await fund(chain)
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
