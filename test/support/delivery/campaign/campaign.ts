/**
 * Hundreds of paid items, and everything that can go wrong, drawn from a seed: messages that come
 * twice, late or never; runs that fail, are killed or stand still at any step; a node that lies,
 * lags and breaks off; blocks that are taken back, transactions that are dropped, fees that rise,
 * funds that run out; keys of signers that a thief uses; a contract that is paused, retired and
 * replaced; limits that run out; relayers, approvals and roles that are withdrawn; hostile recipients
 * and tokens; a database that is set back. Half of the items are transferred, half are minted. Then
 * the faults end, an operator retries or ends what waits for one, and the oracle compares the rows
 * with the chain.
 */
import { expect } from 'vitest'
import { aChain } from '../../chain/chain.ts'
import { aMasterToken } from '../../makers.ts'
import { pass } from '../clock.ts'
import { rowsOf } from '../engine.ts'
import type { TransferEvent } from '../events.ts'
import { recordFailures } from '../failures.ts'
import { LOST } from '../life.ts'
import { aMarketplace } from '../marketplace.ts'
import { expectExactlyOnce, expectStock } from '../oracle.ts'
import { drawnTurns } from '../turns.ts'
import { restoreBackup, takeBackup } from './backup.ts'
import { MAX_DEPTH } from './contract.ts'
import { aDice } from './dice.ts'
import { happen, heal } from './happenings.ts'
import { endWaiting, expectNoneFailed, idsOf, isWanted } from './operator.ts'
import { deliverAll } from './runs.ts'
import { makeSales } from './sales.ts'
import { linkWallet, repeatOrders, sell } from './shop.ts'
import { isTheft } from './thief.ts'
import { count, type Order, type World } from './world.ts'

/** Rounds with faults: in each, time passes and everything may happen. In the first half, a wave of
 * items is sold in each. */
const roundsFor = (size: number) => 25 + Math.ceil(size / 2)
/** How often the operator retries what failed. */
const RETRIES = 4

export type Report = {
  seed: number
  items: number
  /** Items by their last state. */
  ended: Record<string, number>
  /** How often each fault came. */
  faults: Record<string, number>
}

export async function campaign(seed: number, size: number): Promise<Report> {
  const failures = recordFailures()
  const dice = aDice(seed)
  const chain = await aChain({ erc1155: size * 10 })
  const { sales, limited, fickle } = await makeSales(chain, dice, size)
  const nodes = dice.pick(1, 2)
  const network = {
    finality: 1 + dice.upTo(4),
    itemsPerTransaction: dice.pick(2, 5, 20),
    transactionsInFlight: 1 + dice.upTo(8),
    maxFeePerGasGwei: 100,
  }
  const market = aMarketplace(chain, {
    turns: drawnTurns(dice.random),
    nodes,
    network,
    onWait: async () => {
      if (dice.chance(0.3)) await market.mine()
    },
  })
  const world: World = {
    dice,
    chain,
    market,
    network,
    nodes,
    contracts: [chain.delivery],
    limited,
    fickle,
    thefts: new Set(),
    token: await aMasterToken(),
    orders: [],
    stalls: [],
    backup: null,
    restores: 0,
    faults: {},
  }
  // No reorganization may take back what was deployed.
  await chain.mine(MAX_DEPTH + 1)

  const rounds = roundsFor(size)
  for (let round = 0; round < rounds; round++) {
    const wave = sales.splice(0, Math.ceil((2 * size) / rounds))
    if (wave.length > 0) await sell(world, `${seed}`, wave)
    if (round === Math.floor(rounds / 3)) await takeBackup(world)
    if (round === Math.floor(rounds / 2)) await restoreBackup(world)
    await happen(world)
    await deliverAll(world)
    pass(1 + dice.upTo(dice.chance(0.1) ? 300 : 30))
  }
  await heal(world)
  await expectNoneFailed(world)
  await finish(world)
  expect(failures.filter((line) => !line.includes(LOST))).toEqual([])
  return { seed, items: size, ended: await endings(world), faults: world.faults }
}

/** Does what is left to do for the shop, the buyers and the operator, without faults. */
async function finish(world: World): Promise<void> {
  const { market, orders, token, chain, contracts } = world
  const calm = { ...world, dice: { ...world.dice, chance: () => false } }
  await repeatOrders(calm)
  for (const { isLate } of orders) if (isLate) await linkWallet(calm)
  await endWaiting(calm)
  // Keys of items that failed or wait are compared with the chain once a day, and items of a network
  // that is not configured fail after a day.
  pass(25 * 3600)
  await market.runCron()
  for (let retries = 0; ; retries++) {
    await market.settle()
    const missing = await missingOf(orders)
    if (missing.length === 0) break
    if (retries === RETRIES)
      throw new Error(`${missing.length} are missing: ${JSON.stringify(missing.slice(0, 3))}`)
    count(world, 'final retry')
    const path = '/api/admin/transfers/retry?status=failed'
    await market.request({ method: 'POST', path, token })
  }
  const ids = await idsOf(orders)
  const items = orders
    .filter((order) => order.isPlaced || !isStopped(order))
    .map((order) => ({ ...order, id: ids.get(order.providerId) ?? 0 }))
  const circumstances = {
    contracts,
    hasLostLogs: true,
    isTheft: (event: TransferEvent) => isTheft(world, event),
  }
  await expectStock(chain, items, circumstances)
  await expectExactlyOnce(chain, items, circumstances)
}

/** Obstacles of the token itself. Once one item has met it, the others are not sold any more. */
const STOPPING: readonly Order['obstacle'][] = [
  'no such token',
  'token without code',
  'token without effect',
  'token that burns gas',
]

const isStopped = ({ obstacle }: Order): boolean => STOPPING.includes(obstacle)

/** The items that can be delivered and are not. */
async function missingOf(orders: readonly Order[]) {
  const wanted = orders.filter(isWanted)
  const ids = await idsOf(wanted)
  const rows = await rowsOf([...ids.values()].map((id) => ({ id })))
  return wanted.flatMap(({ providerId }) => {
    const row = rows.get(ids.get(providerId) ?? 0)
    return row?.state === 'transferred' ? [] : [row ?? providerId]
  })
}

async function endings({ orders }: World): Promise<Record<string, number>> {
  const ids = await idsOf(orders)
  const rows = await rowsOf([...ids.values()].map((id) => ({ id })))
  const ended: Record<string, number> = {}
  for (const { state } of rows.values()) ended[state] = (ended[state] ?? 0) + 1
  return ended
}
